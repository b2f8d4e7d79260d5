/* SPDX-License-Identifier: MIT */
/* Signals as events: SIGCHLD for stops and orphans, the usual three for an orderly end. */
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "supervise/reap.h"
#include "supervise/signals.h"
#include "supervise/stop.h"

enum { GRACE_MS = 10000 };

/* A death is the pidfd's business; the pid may already have been reaped, and then this finds
 * nothing. */
static void on_child(struct tp_group *g, const struct signalfd_siginfo *info)
{
	if ((pid_t)info->ssi_pid != g->last_reaped)
		tp_reap_child(g, (pid_t)info->ssi_pid);
	tp_reap_scan_soon(g);
}

static void on_signal(struct tp_watch *w, uint32_t events)
{
	struct tp_group *g = tp_container(w, struct tp_group, signals);
	struct signalfd_siginfo info[4];
	ssize_t n = read(w->fd, info, sizeof(info));

	(void)events;
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(info[0]); i++) {
		if (info[i].ssi_signo == SIGCHLD)
			on_child(g, &info[i]);
		else
			tp_stop_begin(g, NULL, 0, NULL, GRACE_MS);
	}
}

int tp_signals_init(struct tp_group *g)
{
	sigset_t all, wanted;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_DFL); /* ignored, children would vanish unreaped */
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGHUP);
	g->signals =
		(struct tp_watch){signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK), on_signal};
	return g->signals.fd < 0 ? -errno : tp_loop_add(&g->loop, &g->signals, EPOLLIN);
}
