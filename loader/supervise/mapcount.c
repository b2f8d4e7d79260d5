/* SPDX-License-Identifier: MIT */
/* See mapcount.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "supervise/admit.h"
#include "supervise/client.h"
#include "supervise/mapcount.h"
#include "supervise/procmaps.h"

enum { RECOUNT_MS = 5000, NEAR_RECOUNT_MS = 100, DEFAULT_MAX = 65530 };

static uint32_t read_max(void)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	unsigned max = DEFAULT_MAX;

	if (f && fscanf(f, "%u", &max) != 1)
		max = DEFAULT_MAX;
	if (f)
		fclose(f);
	return max;
}

static void on_count_timer(struct tp_timer *t)
{
	tp_mapcount_refresh(tp_container(t, struct tp_group, count_timer));
}

struct baseline {
	struct tp_range *range;
	uint32_t n, room;
};

static void remember(void *arg, const struct tp_mapping *m)
{
	struct baseline *b = arg;

	if (b->n == b->room) {
		uint32_t room = b->room ? 2 * b->room : 32;
		struct tp_range *bigger = realloc(b->range, room * sizeof(*bigger));

		if (!bigger)
			return;
		b->range = bigger;
		b->room = room;
	}
	b->range[b->n++] = (struct tp_range){m->lo, m->hi - m->lo};
}

static void mark_units(const struct tp_range *r, bool *taken)
{
	for (uint64_t u = r->addr >> TP_UNIT_SHIFT;
		u <= (r->addr + r->len - 1) >> TP_UNIT_SHIFT && u < TP_UNITS; u++)
		taken[u] = true;
}

int tp_mapcount_init(struct tp_group *g, bool ret_taken[TP_UNITS])
{
	struct baseline b = {0};
	int r = tp_procmaps_each(g->host.pid, "maps", remember, &b);

	g->count_timer.fire = on_count_timer;
	g->max_maps = read_max();
	g->baseline = b.range;
	g->nbaseline = g->vmas = g->base_vmas = b.n;
	for (uint32_t i = 0; i < b.n; i++)
		mark_units(&b.range[i], ret_taken);
	return r < 0 ? r : b.n ? 0 : -ENOMEM;
}

void tp_mapcount_fini(struct tp_group *g)
{
	free(g->baseline);
	g->baseline = NULL;
}

pid_t tp_group_member(struct tp_group *g)
{
	struct tp_prog *p;

	if (g->host.alive)
		return g->host.pid;
	LIST_FOREACH (p, &g->live, link)
		if (p->state != TP_PROGRAM_LEFT)
			return p->pid;
	return 0;
}

uint32_t tp_mapcount_refresh(struct tp_group *g)
{
	pid_t pid = tp_group_member(g);
	int n = pid ? tp_procmaps_count(pid) : 0;

	if (n > 0)
		g->vmas = (uint32_t)n;
	g->counted_ms = tp_now_ms();
	return n > 0 ? (uint32_t)n : 0;
}

static void warn_once(struct tp_group *g)
{
	if (g->warned_maps)
		return;
	g->warned_maps = true;
	tp_group_note(g,
		"%s: the group has %u of %u memory mappings; launches stop %d short of the limit "
		"(raise it: sysctl vm.max_map_count=%u)",
		g->opts->group, g->vmas, g->max_maps, TP_ADMIT_VMAS_SPARE, 4 * g->max_maps);
}

int tp_mapcount_admit(struct tp_group *g, uint32_t need, const char *name, struct tp_error *err)
{
	if (!g->count_timer.armed)
		tp_timer_arm(&g->loop, &g->count_timer, RECOUNT_MS);
	if (g->vmas + need < g->max_maps / 5 * 4 &&
		g->vmas + need + TP_ADMIT_VMAS_SPARE <= g->max_maps)
		return 0;
	if (tp_now_ms() - g->counted_ms > NEAR_RECOUNT_MS ||
		g->vmas + need + TP_ADMIT_VMAS_SPARE > g->max_maps)
		tp_mapcount_refresh(g);
	if (g->vmas + need >= g->max_maps / 5 * 4)
		warn_once(g);
	if (g->vmas + need + TP_ADMIT_VMAS_SPARE <= g->max_maps)
		return 0;
	return tp_error_named(err, TP_STATUS_OWN, ENOMEM, name,
		"could not be started: the group has %u of %u memory mappings (raise "
		"vm.max_map_count, or stop programs)",
		g->vmas, g->max_maps);
}
