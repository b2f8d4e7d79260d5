/* SPDX-License-Identifier: MIT */
/* Talks to the host; see hostlink.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervise/host-start.h"
#include "supervise/hostlink.h"
#include "supervise/sockmsg.h"

enum { GREETING_MS = 10000, REPLY_MS = 20000, SLICE_MS = 100, LOOK_MS = 10 };

static void finish_post(struct tp_hostlink *h, int error)
{
	tp_host_done_fn *done = h->done;

	tp_timer_disarm(&h->look);
	h->done = NULL;
	if (done)
		done(h->done_arg, error);
}

void tp_hostlink_lose(struct tp_hostlink *h, const char *why)
{
	if (!h->alive)
		return;
	h->alive = false;
	snprintf(h->gone, sizeof(h->gone), "%s", why);
	tp_timer_disarm(&h->look);
	kill(h->pid, SIGKILL);
	finish_post(h, -EHOSTDOWN);
}

static bool is_reply(const struct tp_hostlink *h, const struct tp_host_result *r, ssize_t n)
{
	return n == (ssize_t)sizeof(*r) && r->head.magic == TP_HOST_MAGIC &&
	       r->head.version == TP_HOST_VERSION && r->head.op == TP_HOST_RESULT &&
	       r->head.len == sizeof(*r) && r->head.seq == h->seq && r->error <= 0;
}

/* A host that somebody stopped answers nobody. Its death is not looked at here. */
void tp_hostlink_continue(struct tp_hostlink *h)
{
	siginfo_t info = {0};

	if (h->pid > 0 && waitid(P_PID, (id_t)h->pid, &info, WSTOPPED | WNOHANG) == 0 &&
		info.si_pid)
		kill(h->pid, SIGCONT);
}

/* The socket blocks, for SLICE_MS at a time. */
static ssize_t wait_message(struct tp_hostlink *h, void *buf, size_t len, int timeout_ms)
{
	int64_t end = tp_now_ms() + timeout_ms;
	ssize_t n;

	for (;;) {
		n = recv(h->sock, buf, len, MSG_TRUNC);
		if (n >= 0)
			return n;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (tp_now_ms() >= end)
			return -ETIMEDOUT;
		tp_hostlink_continue(h);
	}
}

static int take_reply(struct tp_hostlink *h, struct tp_host_result *ret)
{
	ssize_t n = wait_message(h, ret, sizeof(*ret), REPLY_MS);

	if (n == -ETIMEDOUT)
		tp_hostlink_lose(h, "it does not answer");
	else if (n <= 0)
		tp_hostlink_lose(h, "it ended");
	else if (!is_reply(h, ret, n))
		tp_hostlink_lose(
			h, "it answered nonsense: a program has probably written over its memory");
	return h->alive ? 0 : -EHOSTDOWN;
}

void tp_hostlink_drain(struct tp_hostlink *h)
{
	struct tp_host_result result;

	if (h->done && take_reply(h, &result) == 0)
		finish_post(h, result.error);
}

static int send_request(
	struct tp_hostlink *h, struct tp_host_head *head, size_t len, const int *fds, uint32_t nfds)
{
	uint32_t first = nfds < TP_HOST_FDS_BATCH ? nfds : TP_HOST_FDS_BATCH;
	struct tp_host_head more = {TP_HOST_MAGIC, TP_HOST_VERSION, TP_HOST_FDS, sizeof(more), 0};
	int r;

	head->magic = TP_HOST_MAGIC;
	head->version = TP_HOST_VERSION;
	head->len = (uint32_t)len;
	head->seq = more.seq = ++h->seq;
	r = tp_sock_send(h->sock, head, len, fds, first, 0);
	for (uint32_t at = first; r == 0 && at < nfds; at += TP_HOST_FDS_BATCH) {
		uint32_t n = nfds - at < TP_HOST_FDS_BATCH ? nfds - at : TP_HOST_FDS_BATCH;

		r = tp_sock_send(h->sock, &more, sizeof(more), fds + at, n, 0);
	}
	if (r < 0)
		tp_hostlink_lose(h, r == -EPIPE || r == -ECONNRESET ? "it ended"
				    : r == -EAGAIN                  ? "it does not listen"
								    : "its socket failed");
	return r;
}

int tp_hostlink_call(struct tp_hostlink *h, void *msg, size_t len, const int *fds, uint32_t nfds,
	struct tp_host_result *ret)
{
	tp_hostlink_drain(h);
	if (!h->alive || send_request(h, msg, len, fds, nfds) < 0)
		return -EHOSTDOWN;
	return take_reply(h, ret);
}

int tp_hostlink_post(struct tp_hostlink *h, void *msg, size_t len, tp_host_done_fn *done, void *arg)
{
	tp_hostlink_drain(h);
	if (!h->alive || send_request(h, msg, len, NULL, 0) < 0)
		return -EHOSTDOWN;
	h->done = done;
	h->done_arg = arg;
	tp_timer_arm(h->loop, &h->look, LOOK_MS);
	return 0;
}

/* Nothing was asked for since the post: its reply will long be there. */
static void on_look(struct tp_timer *t)
{
	tp_hostlink_drain(tp_container(t, struct tp_hostlink, look));
}

static void on_death(struct tp_watch *w, uint32_t events)
{
	struct tp_hostlink *h = tp_container(w, struct tp_hostlink, death);
	siginfo_t info = {0};
	char why[96];

	(void)events;
	if (waitid(P_PIDFD, (id_t)w->fd, &info, WEXITED | WNOHANG) < 0 || !info.si_pid)
		return;
	snprintf(why, sizeof(why),
		info.si_code == CLD_EXITED ? "it exited with status %d"
					   : "it was killed by signal %d",
		info.si_status);
	tp_hostlink_lose(h, why);
	close(w->fd);
	tp_loop_remove(h->loop, w);
}

static int check_hello(const struct tp_host_hello *m, ssize_t n, struct tp_error *err)
{
	if (n == -ETIMEDOUT)
		return tp_error_set(err, TP_STATUS_OWN, ETIMEDOUT,
			"tp-host: could not start: it said nothing for %d s", GREETING_MS / 1000);
	if (n <= 0)
		return tp_error_set(err, TP_STATUS_OWN, ECONNRESET,
			"tp-host: could not start: it ended before its greeting "
			"(is one of the limits ulimit -v, -d, -s very low?)");
	if (n != (ssize_t)sizeof(*m) || m->head.magic != TP_HOST_MAGIC ||
		m->head.version != TP_HOST_VERSION || m->head.op != TP_HOST_HELLO ||
		m->head.len != sizeof(*m))
		return tp_error_set(err, TP_STATUS_OWN, EPROTO,
			"tp-host: could not be used: it is of another version (install tprun and "
			"tp-host together)");
	if (m->error < 0)
		return tp_error_set(err, TP_STATUS_OWN, m->error,
			"tp-host: could not set up the shared address space: %s: %s",
			m->stage == TP_STAGE_SEGMENT ? "mapping the group segment"
						     : "guarding the heap",
			tp_errno_words(m->error));
	return 0;
}

static int watch_host(struct tp_hostlink *h, struct tp_error *err)
{
	int r;

	h->death.ready = on_death;
	h->death.fd = pidfd_open(h->pid, 0);
	r = h->death.fd < 0 ? -errno : tp_loop_add(h->loop, &h->death, EPOLLIN);
	return r ? tp_error_set(err, TP_STATUS_OWN, r, "tp-host: could not be watched: %s",
			   tp_errno_words(r))
		 : 0;
}

int tp_hostlink_start(struct tp_hostlink *h, struct tp_loop *loop, const char *path, const struct tp_seg *seg,
	const char *group, struct tp_error *err)
{
	const struct timeval slice = {.tv_usec = SLICE_MS * 1000},
			     patience = {.tv_sec = REPLY_MS / 1000};
	int pair[2], r;

	*h = (struct tp_hostlink){.loop = loop, .sock = -1, .death.fd = -1};
	tp_host_limits(h->limits);
	h->nice = getpriority(PRIO_PROCESS, 0);
	h->look.fire = on_look;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return tp_error_set(err, TP_STATUS_OWN, errno, "%s: no socket for the host: %s",
			group, tp_errno_words(errno));
	r = tp_host_spawn(path, group, pair[1], seg, h->limits, &h->pid);
	close(pair[1]);
	h->sock = pair[0];
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice));
	setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	h->alive = r == 0;
	if (r < 0) {
		tp_error_set(err, TP_STATUS_OWN, r, "%s: could not be started: %s", path,
			tp_errno_words(r));
		tp_hostlink_stop(h);
	}
	return r;
}

int tp_hostlink_greet(struct tp_hostlink *h, struct tp_error *err)
{
	ssize_t n = wait_message(h, &h->hello, sizeof(h->hello), GREETING_MS);
	int r = check_hello(&h->hello, n, err);

	r = r ? r : watch_host(h, err);
	if (r < 0)
		tp_hostlink_stop(h);
	return r;
}

void tp_hostlink_stop(struct tp_hostlink *h)
{
	if (h->alive)
		snprintf(h->gone, sizeof(h->gone), "the group is ending");
	if (h->pid > 0 && (h->alive || h->death.fd >= 0 || !h->gone[0])) {
		kill(h->pid, SIGKILL);
		waitpid(h->pid, NULL, 0);
	}
	h->alive = false;
	h->pid = 0;
	finish_post(h, -EHOSTDOWN);
	if (h->sock >= 0)
		close(h->sock);
	if (h->death.fd >= 0)
		close(h->death.fd);
	h->sock = h->death.fd = -1;
}
