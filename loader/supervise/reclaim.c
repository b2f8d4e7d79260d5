/* SPDX-License-Identifier: MIT */
/*
 * Returns memory: programs that can go are gathered, and the host unmaps those of one batch with
 * one request, whose reply is not waited for unless a launch needs what it frees.
 *
 * A vfork child whose parent was killed runs on in the parent's memory. It has become our child, so
 * a look at our children finds it; until it has called execve or died the memory stays.
 */
#include <errno.h>
#include <string.h>

#include "plan.h"
#include "supervise/client.h"
#include "supervise/leftovers.h"
#include "supervise/orphans.h"
#include "supervise/procmaps.h"
#include "supervise/reclaim.h"
#include "supervise/registry.h"
#include "supervise/strays.h"

enum { BACKOFF_MIN_MS = 1, BACKOFF_MAX_MS = 50, EXEC_BACKOFF_MAX_MS = 1000, BATCH_MAX = 64 };

void tp_reclaim_init(struct tp_group *g)
{
	STAILQ_INIT(&g->to_reclaim);
	STAILQ_INIT(&g->reclaiming);
}

static void back_off(struct tp_prog *p, int32_t max)
{
	p->backoff_ms = p->backoff_ms ? 2 * p->backoff_ms : BACKOFF_MIN_MS;
	if (p->backoff_ms > max)
		p->backoff_ms = max;
	tp_timer_arm(&p->group->loop, &p->retry, p->backoff_ms);
}

/* Code that was not rewritten makes such children without being counted. */
static bool may_have_sharers(struct tp_prog *p)
{
	const struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);

	return tp_seg_load(e->vforks) || tp_seg_load(e->warnings) ||
	       (p->flavour & (TP_FLAVOUR_STATIC | TP_FLAVOUR_GO));
}

/*
 * Children made by vfork that still run in the program's memory: orphans of a dead one; of one that has left by execve in
 * another thread, its own children.
 */
static bool has_sharers(struct tp_prog *p)
{
	if (!may_have_sharers(p))
		return false;
	return tp_orphans_share_mm(p->group) || (p->state == TP_PROGRAM_LEFT && tp_children_share_mm(p->group, p->pid));
}

static void retry_reclaim(struct tp_timer *t)
{
	tp_reclaim(tp_container(t, struct tp_prog, retry));
}

void tp_reclaim(struct tp_prog *p)
{
	if (p->cleaned && p->ended)
		tp_registry_release(p);
	if (p->cleaned || p->queued)
		return;
	if (has_sharers(p)) {
		p->retry.fire = retry_reclaim;
		back_off(p, BACKOFF_MAX_MS);
		return;
	}
	p->queued = true;
	STAILQ_INSERT_TAIL(&p->group->to_reclaim, p, batch);
}

/* The last step: nothing of it is mapped any more (or never will be again: there is no host), but for `used` units. */
static void returned(struct tp_prog *p, const bool *used)
{
	struct tp_group *g = p->group;

	if (g->host.alive && tp_leftovers_free_units(p, used))
		tp_group_note(g, "%s: memory that it sealed stays mapped until the group ends", p->name);
	g->vmas -= p->vmas < g->vmas ? p->vmas : g->vmas;
	p->vmas = 0;
	p->fixed = (struct tp_range){0, 0};
	p->cleaned = true;
	p->backoff_ms = 0;
	if (p->ended)
		tp_registry_release(p);
}

static void note_unit(void *arg, const struct tp_mapping *m)
{
	bool *used = arg;

	for (uint64_t u = TP_UNIT_OF(m->lo); u < TP_UNITS && u <= TP_UNIT_OF(m->hi - 1); u++)
		used[u] = true;
}

/* Where the host could not unmap everything (mseal), the kernel's own list tells which units are lost. */
static void batch_done(void *arg, int error)
{
	static bool used[TP_UNITS];
	struct tp_group *g = arg;
	struct tp_prog *p;

	if (error < 0 && g->debug)
		tp_group_note(g, "%s: could not return memory: %s", g->opts->group,
			tp_errno_words(error));
	if (error < 0 && g->host.alive) {
		memset(used, 0, sizeof(used));
		tp_procmaps_each(g->host.pid, "maps", note_unit, used);
	}
	tp_strays_look_soon(g);
	while ((p = STAILQ_FIRST(&g->reclaiming))) {
		STAILQ_REMOVE_HEAD(&g->reclaiming, batch);
		returned(p, error < 0 && g->host.alive ? used : NULL);
	}
}

void tp_reclaim_post(struct tp_group *g)
{
	static struct tp_leftovers l; /* the stack may be small */
	struct tp_prog *p;

	if (STAILQ_EMPTY(&g->to_reclaim) || !STAILQ_EMPTY(&g->reclaiming))
		return;
	tp_leftovers_init(&l);
	for (int n = 0; n < BATCH_MAX && (p = STAILQ_FIRST(&g->to_reclaim)); n++) {
		if (tp_leftovers_add(&l, p)) {
			STAILQ_REMOVE_HEAD(&g->to_reclaim, batch);
			STAILQ_INSERT_TAIL(&g->reclaiming, p, batch);
		} else {
			break;
		}
	}
	if (tp_leftovers_send(&l, g, batch_done) < 0)
		batch_done(g, -EHOSTDOWN);
}

void tp_reclaim_flush(struct tp_group *g)
{
	tp_hostlink_drain(&g->host);
	while (!STAILQ_EMPTY(&g->to_reclaim)) {
		tp_reclaim_post(g);
		tp_hostlink_drain(&g->host);
	}
}

static void check_exec(struct tp_timer *t)
{
	struct tp_prog *p = tp_container(t, struct tp_prog, retry);
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);

	if (!(tp_seg_load(e->events) & TP_EVENT_EXEC) || !p->group->host.alive)
		return;
	if (tp_shares_mm(p->group, p->pid)) {
		back_off(p, EXEC_BACKOFF_MAX_MS);
		return;
	}
	p->backoff_ms = 0;
	tp_registry_left(p);
	tp_reclaim(p);
}

void tp_reclaim_watch_exec(struct tp_prog *p)
{
	if (p->state == TP_PROGRAM_LEFT)
		return;
	p->retry.fire = check_exec;
	p->backoff_ms = 0;
	back_off(p, EXEC_BACKOFF_MAX_MS);
}
