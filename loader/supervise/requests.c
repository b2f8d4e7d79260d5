/* SPDX-License-Identifier: MIT */
/* Takes a client's messages apart and hands them to whoever does the work. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervise/launch.h"
#include "supervise/peer.h"
#include "supervise/ps.h"
#include "supervise/reclaim.h"
#include "supervise/registry.h"
#include "supervise/requests.h"
#include "supervise/satellites.h"
#include "supervise/sockmsg.h"
#include "supervise/stop.h"

enum { PATIENCE_MS = 10000 };

static uint32_t seq_of(const void *msg, size_t n)
{
	return n >= sizeof(struct tp_wire_head) ? ((const struct tp_wire_head *)msg)->seq : 0;
}

__attribute__((format(printf, 4, 5))) static void refuse(
	struct tp_client *c, uint32_t seq, int error, const char *fmt, ...)
{
	struct tp_error err = {.status = TP_STATUS_OWN, .err = -error};
	va_list args;

	va_start(args, fmt);
	vsnprintf(err.text, sizeof(err.text), fmt, args);
	va_end(args);
	tp_client_error(c, seq, &err);
}

static void launch_if_complete(struct tp_client *c)
{
	struct tp_request *r = c->request;

	if (r->nfds < r->want)
		return;
	tp_timer_disarm(&c->patience);
	c->request = NULL;
	tp_launch(c, r);
	tp_request_free(r);
}

static void take_launch(
	struct tp_client *c, const struct tp_wire_launch *m, const int *fds, uint32_t nfds)
{
	if (c->request) {
		tp_close_all(fds, nfds);
		refuse(c, m->head.seq, EBUSY,
			"launch: could not be taken: an earlier one still lacks descriptors");
		return;
	}
	if (c->pidfd < 0)
		c->pidfd = tp_peer_pidfd(c->watch.fd);
	c->request = tp_request_create(m, fds, nfds);
	if (!c->request) {
		refuse(c, m->head.seq, ENOMEM, "launch: could not be taken: no memory");
		return;
	}
	if (c->request->nfds < c->request->want)
		tp_timer_arm(&c->group->loop, &c->patience, PATIENCE_MS);
	launch_if_complete(c);
}

static void take_fds(
	struct tp_client *c, const struct tp_wire_head *m, const int *fds, uint32_t nfds)
{
	if (!c->request || c->request->msg.head.seq != m->seq) {
		tp_close_all(fds, nfds);
		refuse(c, m->seq, EPROTO, "launch: descriptors came for no launch");
		return;
	}
	if (tp_request_add(c->request, fds, nfds) < 0) {
		c->request = tp_request_free(c->request);
		tp_timer_disarm(&c->patience);
		refuse(c, m->seq, EPROTO,
			"launch: could not be taken: it brings more descriptors than it announces");
		return;
	}
	launch_if_complete(c);
}

static int send_signal(const struct tp_prog *p, const struct tp_wire_signal *m)
{
	/* A program in the foreground's own group must not take the foreground with it. */
	if (m->whole_group && getpgid(p->pid) == p->pid)
		return kill(-p->pid, m->signo) < 0 ? -errno : 0;
	return kill(p->pid, m->signo) < 0 ? -errno : 0;
}

static int signal_all(struct tp_client *c, const struct tp_wire_signal *m)
{
	struct tp_prog *p;
	int r = 0;

	LIST_FOREACH (p, &c->group->live, link)
		if (p->client == c)
			r = send_signal(p, m);
	return r;
}

static void take_signal(struct tp_client *c, const struct tp_wire_signal *m)
{
	struct tp_prog *p = m->id ? tp_registry_by_id(c->group, m->id) : NULL;
	int r;

	if (m->signo < 1 || m->signo > 64) {
		refuse(c, m->head.seq, EINVAL, "signal: %d is not the number of a signal",
			m->signo);
		return;
	}
	if (m->id && (!p || p->ended || p->satellite)) {
		refuse(c, m->head.seq, ESRCH, "signal: could not be sent: the program has ended");
		return;
	}
	r = p ? send_signal(p, m) : signal_all(c, m);
	if (r < 0)
		refuse(c, m->head.seq, -r, "signal: could not be sent: %s", tp_errno_words(r));
	else
		tp_client_ok(c, m->head.seq);
}

static void take_stop(struct tp_client *c, const struct tp_wire_stop *m)
{
	struct tp_prog *p = m->all ? NULL : tp_registry_by_name(c->group, m->name);

	if (p && p->satellite)
		refuse(c, m->head.seq, EPERM,
			"%s: could not be stopped: it is a satellite, no program of the group (end it "
			"as any other process: kill %d)",
			p->name, (int)p->pid);
	else if (!m->all && (!p || p->ended))
		refuse(c, m->head.seq, ESRCH,
			"%s: could not be stopped: no program of this name or pid runs in group %s",
			m->name, c->group->opts->group);
	else
		tp_stop_begin(c->group, c, m->head.seq, p, m->grace_ms);
}

static void take_reclaim(struct tp_client *c, const struct tp_wire_signal *m)
{
	struct tp_prog *p = tp_registry_by_id(c->group, m->id);

	if (!p || p->state != TP_PROGRAM_LINGERING) {
		refuse(c, m->head.seq, ESRCH,
			"reclaim: nothing to return: no such lingering program");
		return;
	}
	tp_registry_state(p, TP_PROGRAM_DEAD);
	LIST_REMOVE(p, link);
	LIST_INSERT_HEAD(&c->group->returning, p, link);
	tp_reclaim(p);
	tp_reclaim_flush(c->group);
	tp_client_ok(c, m->head.seq);
}

static void take_done(struct tp_client *c, const struct tp_wire_head *m)
{
	if (c->group->first == c)
		c->group->first_done = true;
	tp_client_ok(c, m->seq);
}

static bool changes_something(unsigned type)
{
	return type != TP_WIRE_PS && type != TP_WIRE_INFO;
}

static void dispatch(
	struct tp_client *c, const struct tp_wire_head *m, const int *fds, uint32_t nfds)
{
	switch (m->type) {
	case TP_WIRE_LAUNCH: take_launch(c, (const struct tp_wire_launch *)m, fds, nfds); break;
	case TP_WIRE_FDS: take_fds(c, m, fds, nfds); break;
	case TP_WIRE_SIGNAL: take_signal(c, (const struct tp_wire_signal *)m); break;
	case TP_WIRE_STOP: take_stop(c, (const struct tp_wire_stop *)m); break;
	case TP_WIRE_RECLAIM: take_reclaim(c, (const struct tp_wire_signal *)m); break;
	case TP_WIRE_DONE: take_done(c, m); break;
	case TP_WIRE_PS: tp_ps_answer(c, m->seq); break;
	case TP_WIRE_INFO: tp_info_answer(c, m->seq); break;
	default: tp_satellites_request(c, m, fds, nfds); break;
	}
}

/* Whatever became of it: if it was the foreground's last launch, the group need not wait for
 * another. */
static void note_last_launch(struct tp_client *c, const void *msg, size_t n)
{
	const struct tp_wire_launch *m = msg;

	if (c->group->first == c && n >= sizeof(*m) && m->head.type == TP_WIRE_LAUNCH &&
		!(m->flags & TP_WIRE_MORE))
		c->group->first_done = true;
}

void tp_request_take(struct tp_client *c, const void *msg, size_t n, const int *fds, uint32_t nfds)
{
	const char *wrong = tp_wire_check(msg, n, nfds), *why = NULL;
	const struct tp_wire_head *head = msg;

	if (!wrong && changes_something(head->type) && !tp_satellites_trusts(c, head->type))
		why = tp_peer_refusal(c);
	if (!wrong && !why) {
		dispatch(c, head, fds, nfds);
		return;
	}
	tp_close_all(fds, nfds);
	note_last_launch(c, msg, n);
	if (why)
		refuse(c, seq_of(msg, n), EPERM, "%s: refused: %s", c->group->opts->group, why);
	else
		refuse(c, seq_of(msg, n), EPROTO, "message: could not be taken: %s", wrong);
}

void tp_request_broken(struct tp_client *c, const void *msg, int error)
{
	if (c->request) {
		c->request = tp_request_free(c->request);
		tp_timer_disarm(&c->patience);
	}
	note_last_launch(c, msg, sizeof(struct tp_wire_launch));
	refuse(c, seq_of(msg, sizeof(struct tp_wire_head)), -error,
		"message: could not be taken: %s",
		error == -EMFILE ? "the supervisor has no descriptors left for it (raise the limit "
				   "on open files)"
				 : "it is too long");
}

/* In the client's own process group others must not be met. A program that is being born has not
 * made its own yet. */
static void signal_own(const struct tp_prog *p, int signo)
{
	if (!p->own_session || kill(-p->pid, signo) < 0)
		kill(p->pid, signo);
}

void tp_requests_client_gone(struct tp_client *c)
{
	struct tp_prog *p;

	tp_stop_client_gone(c->group, c);
	LIST_FOREACH (p, &c->group->live, link) {
		if (p->client != c)
			continue;
		p->client = NULL;
		signal_own(p, SIGHUP);
		signal_own(p, SIGCONT);
	}
}
