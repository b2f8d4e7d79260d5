/* SPDX-License-Identifier: MIT */
/*
 * The end: no program lives and the foreground wants no more. What programs have left behind gets a
 * moment to end by itself, is then named and asked to (TERM), and a second later made to (KILL).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervise/client.h"
#include "supervise/end.h"
#include "supervise/orphans.h"
#include "supervise/reap.h"
#include "supervise/registry.h"

enum stage { RUNNING = 0, MOMENT, ASKED, FORCED, OVER };
enum {
	MOMENT_MS = 100,
	ASK_MS = 1000,
	FORCE_MS = 3000,
	FORCE_STEP_MS = 20,
	KILL_ALL_MS = 4000,
	NAMED_MAX = 16
};

static void say_bye(struct tp_group *g)
{
	struct tp_client *c, *next;
	struct tp_wire_head m;

	for (c = LIST_FIRST(&g->clients); c; c = next) {
		next = LIST_NEXT(c, link);
		tp_client_send(c, &m, sizeof(m), TP_WIRE_BYE, 0);
	}
}

static void finish(struct tp_group *g)
{
	g->end_stage = OVER;
	say_bye(g);
	g->loop.stop = true;
}

struct census {
	struct tp_group *g;
	int n, signo;
	size_t len;
	char names[TP_WIRE_TEXT_MAX / 2];
};

static void count_one(void *arg, pid_t pid)
{
	struct census *c = arg;

	(void)pid;
	c->n++;
}

static int count_descendants(struct tp_group *g)
{
	struct census c = {.g = g};

	tp_descendants_each(g, count_one, &c);
	return c.n;
}

static void comm_of(pid_t pid, char ret[17])
{
	char path[64];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, ret, 16);
		close(fd);
	}
	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
}

static void name_one(void *arg, pid_t pid)
{
	struct census *c = arg;
	char comm[17];

	if (c->n++ >= NAMED_MAX || c->len >= sizeof(c->names))
		return;
	comm_of(pid, comm);
	c->len += (size_t)snprintf(c->names + c->len, sizeof(c->names) - c->len, "%s%s (pid %d)",
		c->n > 1 ? ", " : "", comm, (int)pid);
}

static void signal_child(void *arg, pid_t pid)
{
	const struct census *c = arg;

	kill(pid, c->signo);
	if (c->signo == SIGTERM)
		kill(pid, SIGCONT);
}

static void signal_descendants(struct tp_group *g, int signo)
{
	struct census c = {.g = g, .signo = signo};

	tp_descendants_each(g, signal_child, &c);
}

static void name_descendants(struct tp_group *g)
{
	struct census c = {.g = g};

	tp_descendants_each(g, name_one, &c);
	if (c.n > NAMED_MAX)
		tp_group_note(g, "%s: ending what its programs left running: %s, and %d more",
			g->opts->group, c.names, c.n - NAMED_MAX);
	else if (c.n)
		tp_group_note(g, "%s: ending what its programs left running: %s", g->opts->group,
			c.names);
}

static void next_stage(struct tp_group *g)
{
	switch (g->end_stage) {
	case MOMENT:
		name_descendants(g);
		signal_descendants(g, SIGTERM);
		g->end_stage = ASKED;
		tp_timer_arm(&g->loop, &g->end_timer, ASK_MS);
		break;
	case ASKED:
		g->end_stage = FORCED;
		g->forced_ms = tp_now_ms();
		__attribute__((fallthrough));
	case FORCED:
		signal_descendants(g, SIGKILL);
		if (tp_now_ms() - g->forced_ms > FORCE_MS)
			finish(g);
		else
			tp_timer_arm(&g->loop, &g->end_timer, FORCE_STEP_MS);
		break;
	default: break;
	}
}

static void on_end_timer(struct tp_timer *t)
{
	struct tp_group *g = tp_container(t, struct tp_group, end_timer);

	tp_reap_scan(g);
	if (count_descendants(g))
		next_stage(g);
	else
		finish(g);
}

void tp_end_init(struct tp_group *g)
{
	g->end_timer.fire = on_end_timer;
}

static bool childless(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

/* The host first: then no child at all is left in the usual case, which is asked without reading
 * /proc. */
static void begin(struct tp_group *g)
{
	tp_hostlink_stop(&g->host);
	tp_reap_scan(g);
	if (g->opts->leave || childless()) {
		finish(g);
		return;
	}
	g->end_stage = MOMENT;
	tp_timer_arm(&g->loop, &g->end_timer, MOMENT_MS);
}

void tp_end_check(struct tp_group *g)
{
	if (g->end_stage == OVER || (g->end_stage == RUNNING && (g->nlive || !g->first_done)))
		return;
	if (g->end_stage == RUNNING)
		begin(g);
	else if (childless())
		finish(g);
}

static void kill_programs(struct tp_group *g)
{
	struct tp_prog *p;

	LIST_FOREACH (p, &g->live, link)
		kill(p->pid, SIGKILL);
}

void tp_end_kill_all(struct tp_group *g)
{
	const struct timespec step = {.tv_nsec = 1000000};
	int64_t end = tp_now_ms() + KILL_ALL_MS;

	g->end_stage = OVER;
	g->loop.stop = true;
	do {
		kill_programs(g);
		signal_descendants(g, SIGKILL);
		if (g->host.pid > 0)
			kill(g->host.pid, SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			break;
		nanosleep(&step, NULL);
	} while (tp_now_ms() < end);
	g->host.alive = false;
	g->host.pid = 0;
}
