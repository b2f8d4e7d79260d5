/* SPDX-License-Identifier: MIT */
/* See stop.h. A stopped program is continued, or it would never see its TERM. */
#include <signal.h>
#include <stdlib.h>

#include "supervise/client.h"
#include "supervise/stop.h"

struct tp_stop {
	struct tp_timer grace;
	LIST_ENTRY(tp_stop) link;
	struct tp_group *group;
	struct tp_client *client;
	uint32_t seq;
	uint64_t id; /* 0: all */
};

static void signal_one(const struct tp_prog *p, int signo)
{
	kill(p->pid, signo);
	if (signo == SIGTERM && p->stopped)
		kill(p->pid, SIGCONT);
}

static void signal_targets(const struct tp_stop *s, int signo)
{
	struct tp_prog *p;

	LIST_FOREACH (p, &s->group->live, link)
		if (!s->id || p->id == s->id)
			signal_one(p, signo);
}

static void on_grace(struct tp_timer *t)
{
	signal_targets(tp_container(t, struct tp_stop, grace), SIGKILL);
}

static bool over(const struct tp_stop *s)
{
	const struct tp_prog *p;

	LIST_FOREACH (p, &s->group->live, link)
		if (!s->id || p->id == s->id)
			return false;
	return true;
}

static void finish(struct tp_stop *s)
{
	tp_timer_disarm(&s->grace);
	LIST_REMOVE(s, link);
	tp_client_ok(s->client, s->seq);
	if (!s->id)
		s->group->first_done = true;
	free(s);
}

void tp_stop_begin(
	struct tp_group *g, struct tp_client *c, uint32_t seq, struct tp_prog *p, uint32_t grace_ms)
{
	struct tp_stop *s = calloc(1, sizeof(*s));

	if (!s) { /* an end without an answer is better than a wait without end */
		if (c)
			tp_client_drop(c);
		return;
	}
	*s = (struct tp_stop){
		.group = g, .client = c, .seq = seq, .id = p ? p->id : 0, .grace.fire = on_grace};
	LIST_INSERT_HEAD(&g->stops, s, link);
	if (over(s)) {
		finish(s);
		return;
	}
	signal_targets(s, SIGTERM);
	tp_timer_arm(&g->loop, &s->grace, grace_ms);
}

void tp_stop_died(struct tp_group *g, const struct tp_prog *p)
{
	struct tp_stop *s, *next;

	for (s = LIST_FIRST(&g->stops); s; s = next) {
		next = LIST_NEXT(s, link);
		if (s->id == p->id || (!s->id && LIST_EMPTY(&g->live)))
			finish(s);
	}
}

void tp_stop_client_gone(struct tp_group *g, const struct tp_client *c)
{
	struct tp_stop *s;

	LIST_FOREACH (s, &g->stops, link)
		if (s->client == c)
			s->client = NULL;
}
