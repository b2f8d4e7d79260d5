/* SPDX-License-Identifier: MIT */
/*
 * Every program is a child of ours, so its pid cannot be reused before it is reaped here, and its
 * wait status is exact. What else becomes our child are orphans of programs: they are reaped and
 * forgotten.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervise/client.h"
#include "supervise/reap.h"
#include "supervise/reclaim.h"
#include "supervise/registry.h"
#include "supervise/stages.h"
#include "supervise/stop.h"
#include "supervise/warn.h"

enum { SCAN_MS = 100 };

/* It ended before its first instruction: that is not its exit, but our failure to start it. */
static bool start_failure(struct tp_prog *p, struct tp_error *err)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);
	uint32_t stage = tp_seg_load(e->start_stage);
	int error = tp_seg_load(e->start_error);

	if (tp_seg_load(e->started) || !stage)
		return false;
	if (error >= 0 || error < -4095)
		error = -EIO;
	tp_error_named(err, TP_STATUS_OWN, error, p->name, "could not be started: %s failed: %s",
		tp_stage_words(stage), tp_errno_words(error));
	return true;
}

static void tell(struct tp_prog *p)
{
	struct tp_error err;

	tp_warn(p);
	if (start_failure(p, &err))
		tp_client_error(p->client, p->seq, &err);
	else
		tp_client_event(p->client, p->seq, TP_WIRE_EXITED, p->id, p->wait_status);
}

/*
 * A client in the foreground of a terminal stops itself when all its programs are stopped. Once one
 * of them runs again, or the last has died, whoever did that, it has to go on.
 */
static void wake_client(struct tp_client *c)
{
	const struct tp_prog *p;
	bool lives = false, runs = false;

	if (!c || c->pidfd < 0)
		return;
	LIST_FOREACH (p, &c->group->live, link) {
		lives = lives || p->client == c;
		runs = runs || (p->client == c && !p->stopped);
	}
	if (runs || !lives)
		pidfd_send_signal(c->pidfd, SIGCONT, NULL, 0);
}

static void ended(struct tp_prog *p, int status)
{
	struct tp_group *g = p->group;
	bool linger = p->linger && p->state != TP_PROGRAM_LEFT;

	g->last_reaped = p->pid;
	close(p->death.fd); /* which also takes it out of the epoll: nobody else has it */
	p->death.fd = -1;
	p->wait_status = status;
	p->exit_ns = tp_now_boot_ns();
	p->ended = true;
	tp_timer_disarm(&p->retry);
	tp_registry_died(p, linger ? TP_PROGRAM_LINGERING : TP_PROGRAM_DEAD);
	tell(p);
	tp_stop_died(g, p);
	if (p->stopped)
		wake_client(p->client);
	p->client = NULL;
	if (!linger)
		tp_reclaim(p);
}

static bool try_reap(struct tp_prog *p)
{
	int status;

	if (p->pid <= 0 || waitpid(p->pid, &status, WNOHANG) != p->pid)
		return false;
	ended(p, status);
	return true;
}

static void on_death(struct tp_watch *w, uint32_t events)
{
	(void)events;
	try_reap(tp_container(w, struct tp_prog, death));
}

void tp_reap_prepare(struct tp_prog *p)
{
	p->death.ready = on_death;
}

void tp_reap_abandon(struct tp_prog *p)
{
	p->ended = true;
	p->exit_ns = tp_now_boot_ns();
	tp_registry_died(p, TP_PROGRAM_DEAD);
	tp_reclaim(p);
}

static void stopped_or_continued(struct tp_prog *p)
{
	siginfo_t info = {0};

	while (waitid(P_PID, (id_t)p->pid, &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
		info.si_pid) {
		p->stopped = info.si_code != CLD_CONTINUED;
		if (!p->stopped)
			wake_client(p->client);
		tp_client_event(p->client, p->seq, p->stopped ? TP_WIRE_STOPPED : TP_WIRE_CONTINUED,
			p->id, info.si_status);
		info.si_pid = 0;
	}
}

void tp_reap_child(struct tp_group *g, pid_t pid)
{
	struct tp_prog *p = tp_registry_by_pid(g, pid);
	siginfo_t info;

	if (pid <= 0)
		return;
	if (pid == g->host.pid)
		tp_hostlink_continue(&g->host);
	else if (!p)
		waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG);
	else if (!try_reap(p))
		stopped_or_continued(p);
}

void tp_reap_scan_soon(struct tp_group *g)
{
	if (!g->scan.armed)
		tp_timer_arm(&g->loop, &g->scan, SCAN_MS);
}

static void on_scan(struct tp_timer *t)
{
	tp_reap_scan(tp_container(t, struct tp_group, scan));
}

/* Peeks, so that each child is taken by whoever is responsible for it. The host's death is its own
 * watch's. */
void tp_reap_scan(struct tp_group *g)
{
	pid_t last = 0;

	for (;;) {
		siginfo_t info = {0};
		int r = waitid(
			P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT);

		if (r < 0 || !info.si_pid || info.si_pid == last)
			return;
		last = info.si_pid;
		tp_reap_child(g, last);
	}
}

void tp_reap_init(struct tp_group *g)
{
	g->scan.fire = on_scan;
}
