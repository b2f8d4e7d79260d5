/* SPDX-License-Identifier: MIT */
/*
 * See strays.h. The address space is compared with what is known: what the fresh host had, units in
 * use, ranges that programs recorded (before they mapped them, and they are read after the map, so
 * none is missed).
 *
 * Whose an unknown mapping is cannot be seen. But its maker lived when it was first seen or had
 * died before; so once every program is gone that lived then, it is nobody's and can be unmapped.
 * Until then it stays: taking memory from a running program would be worse than keeping some for
 * longer.
 */
#include <string.h>

#include "addresses.h"
#include "supervise/client.h"
#include "supervise/mapcount.h"
#include "supervise/orphans.h"
#include "supervise/procmaps.h"
#include "supervise/strays.h"

enum { LOOK_MS = 500, COST_SHARE = 50 };

struct look {
	struct tp_group *g;
	struct tp_stray found[TP_STRAYS_MAX];
	uint32_t n;
};

static bool meets(const struct tp_mapping *m, uint64_t addr, uint64_t len)
{
	return len && m->lo < addr + len && addr < m->hi;
}

static bool in_baseline(const struct tp_group *g, const struct tp_mapping *m)
{
	for (uint32_t i = 0; i < g->nbaseline; i++)
		if (meets(m, g->baseline[i].addr, g->baseline[i].len))
			return true;
	return false;
}

static bool recorded_by(
	const struct tp_group *g, const struct tp_prog *p, const struct tp_mapping *m)
{
	struct tp_program *e = tp_seg_entry(&g->seg, p->index);
	uint32_t n = tp_seg_load(e->outside_n);

	if (meets(m, p->fixed.addr, p->fixed.len))
		return true;
	for (uint32_t i = 0; i < n && i < TP_OUTSIDE_MAX; i++)
		if (meets(m, tp_seg_load(e->outside[i].addr), tp_seg_load(e->outside[i].len)))
			return true;
	for (uint32_t i = 0; i < TP_AIO_MAX; i++) /* a context's id is the address of its ring */
		if (tp_seg_load(e->aio[i]) >= m->lo && tp_seg_load(e->aio[i]) < m->hi)
			return true;
	return false;
}

static bool recorded(const struct tp_group *g, const struct tp_mapping *m)
{
	const struct tp_prog *p;

	LIST_FOREACH (p, &g->live, link)
		if (recorded_by(g, p, m))
			return true;
	LIST_FOREACH (p, &g->lingering, link)
		if (recorded_by(g, p, m))
			return true;
	LIST_FOREACH (p, &g->returning, link)
		if (recorded_by(g, p, m))
			return true;
	return false;
}

static bool is_used(const struct tp_group *g, uint32_t unit)
{
	return unit < TP_UNITS && g->slots.state[unit] != TP_UNIT_RESERVED &&
	       tp_seg_load(g->slots.owner[unit]) != TP_OWNER_NONE;
}

/* Units in use are leapt over: programs have nearly all of the mappings. */
static uint64_t consider(void *arg, const struct tp_mapping *m)
{
	struct look *l = arg;
	uint32_t unit = TP_UNIT_OF(m->lo);

	if (l->n == TP_STRAYS_MAX || m->hi > ARCH_USER_END)
		return UINT64_MAX;
	if (is_used(l->g, unit)) {
		while (is_used(l->g, unit))
			unit++;
		return m->hi > TP_UNIT_BASE(unit) ? m->hi : TP_UNIT_BASE(unit);
	}
	if (!in_baseline(l->g, m) && !recorded(l->g, m))
		l->found[l->n++] = (struct tp_stray){m->lo, m->hi, l->g->serial};
	return m->hi;
}

/* When each was first seen carries over; one that has changed counts as new. */
static void remember(struct tp_group *g, struct look *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		for (uint32_t j = 0; j < g->nstrays; j++)
			if (l->found[i].lo == g->strays[j].lo && l->found[i].hi == g->strays[j].hi)
				l->found[i].serial = g->strays[j].serial;
	memcpy(g->strays, l->found, l->n * sizeof(l->found[0]));
	g->nstrays = l->n;
}

/* The oldest program that still has memory here. */
static uint64_t oldest_serial(const struct tp_group *g)
{
	const struct tp_prog *p;
	uint64_t oldest = UINT64_MAX;

	LIST_FOREACH (p, &g->live, link)
		if (!p->cleaned && p->id >> TP_ID_INDEX_BITS < oldest)
			oldest = p->id >> TP_ID_INDEX_BITS;
	LIST_FOREACH (p, &g->lingering, link)
		if (p->id >> TP_ID_INDEX_BITS < oldest)
			oldest = p->id >> TP_ID_INDEX_BITS;
	LIST_FOREACH (p, &g->returning, link)
		if (!p->cleaned && p->id >> TP_ID_INDEX_BITS < oldest)
			oldest = p->id >> TP_ID_INDEX_BITS;
	return oldest;
}

struct removal {
	struct tp_host_reclaim head;
	struct tp_range ranges[TP_STRAYS_MAX];
};

/* No routed call may move into a free unit just now. */
static bool hold_unit(struct tp_group *g, uint32_t unit)
{
	uint64_t none = TP_OWNER_NONE;

	return g->slots.state[unit] == TP_UNIT_RESERVED ||
	       __atomic_compare_exchange_n(&g->slots.owner[unit], &none, TP_OWNER_RESERVED, false,
		       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void release_unit(struct tp_group *g, uint32_t unit)
{
	if (g->slots.state[unit] != TP_UNIT_RESERVED)
		tp_seg_store(g->slots.owner[unit], TP_OWNER_NONE);
}

static bool same_unit_again(const struct removal *r, uint32_t unit)
{
	for (uint32_t i = 0; i < r->head.nranges; i++)
		if (TP_UNIT_OF(r->ranges[i].addr) == unit)
			return true;
	return false;
}

static void choose(struct tp_group *g, struct removal *r)
{
	uint64_t oldest = oldest_serial(g);

	for (uint32_t i = 0; i < g->nstrays; i++) {
		const struct tp_stray *s = &g->strays[i];
		uint32_t unit = TP_UNIT_OF(s->lo);

		if (s->serial >= oldest || !(same_unit_again(r, unit) || hold_unit(g, unit)))
			continue;
		r->ranges[r->head.nranges++] = (struct tp_range){s->lo, s->hi - s->lo};
	}
}

static void unmap(struct tp_group *g, struct removal *r)
{
	struct tp_host_result res;

	if (!r->head.nranges)
		return;
	tp_hostlink_call(&g->host, r, sizeof(r->head) + r->head.nranges * sizeof(r->ranges[0]),
		NULL, 0, &res);
	for (uint32_t i = 0; i < r->head.nranges; i++) {
		release_unit(g, TP_UNIT_OF(r->ranges[i].addr));
		if (g->debug)
			tp_group_note(g,
				"%s: unmapped what a dead program had left outside its slot: "
				"0x%llx-0x%llx",
				g->opts->group, (unsigned long long)r->ranges[i].addr,
				(unsigned long long)(r->ranges[i].addr + r->ranges[i].len));
	}
}

static void look(struct tp_group *g)
{
	struct removal r = {.head.head.op = TP_HOST_RECLAIM};
	struct look l = {.g = g};

	if (!g->host.alive || tp_orphans_share_mm(g) ||
		tp_procmaps_leap(g->host.pid, consider, &l) < 0)
		return;
	remember(g, &l);
	choose(g, &r);
	unmap(g, &r);
}

static void on_look(struct tp_timer *t)
{
	struct tp_group *g = tp_container(t, struct tp_group, stray_timer);
	int64_t start = tp_now_ms();

	look(g);
	g->stray_pause_ms = COST_SHARE * (tp_now_ms() - start);
}

void tp_strays_init(struct tp_group *g)
{
	g->stray_timer.fire = on_look;
}

void tp_strays_look_soon(struct tp_group *g)
{
	if (!g->stray_timer.armed)
		tp_timer_arm(&g->loop, &g->stray_timer,
			g->stray_pause_ms > LOOK_MS ? g->stray_pause_ms : LOOK_MS);
}
