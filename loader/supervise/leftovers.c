/* SPDX-License-Identifier: MIT */
/*
 * A program's units, its extra units, the ranges outside that it recorded, its aio contexts.
 *
 * The lists come from memory that programs can write. A wrong entry can make programs lose memory,
 * which they could do to each other anyway; it is only kept from taking away what the group itself
 * needs, and what another live program says is its own.
 */
#include <string.h>

#include "addresses.h"
#include "supervise/leftovers.h"

static bool meet(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end)
{
	return a < b_end && b < a_end;
}

void tp_leftovers_init(struct tp_leftovers *l)
{
	memset(&l->head, 0, sizeof(l->head));
	l->head.head.op = TP_HOST_RECLAIM;
}

static void put(struct tp_leftovers *l, uint64_t addr, uint64_t end)
{
	if (l->head.nranges < TP_LEFTOVERS_RANGES && addr < end)
		l->ranges[l->head.nranges++] = (struct tp_range){addr, end - addr};
}

/* Cut out what meets a range that must stay; the parts around it are looked at again by the caller.
 */
struct keep {
	uint64_t addr, end;
};

static bool kept_baseline(const struct tp_group *g, uint64_t addr, uint64_t end, struct keep *ret)
{
	for (uint32_t i = 0; i < g->nbaseline; i++) {
		const struct tp_range *b = &g->baseline[i];

		if (meet(addr, end, b->addr, b->addr + b->len)) {
			*ret = (struct keep){b->addr, b->addr + b->len};
			return true;
		}
	}
	return false;
}

static bool kept_unit(const struct tp_group *g, const struct tp_prog *p, uint64_t addr,
	uint64_t end, struct keep *ret)
{
	for (uint32_t u = TP_UNIT_OF(addr); u <= TP_UNIT_OF(end - 1) && u < TP_UNITS; u++) {
		uint64_t owner = tp_seg_load(g->slots.owner[u]);

		if (g->slots.state[u] != TP_UNIT_RESERVED && owner != p->id &&
			owner != TP_OWNER_NONE) {
			*ret = (struct keep){TP_UNIT_BASE(u), TP_UNIT_BASE(u) + TP_UNIT_SIZE};
			return true;
		}
	}
	return false;
}

static bool kept_outside(const struct tp_group *g, const struct tp_prog *other, uint64_t addr,
	uint64_t end, struct keep *ret)
{
	struct tp_program *e = tp_seg_entry(&g->seg, other->index);
	uint32_t n = tp_seg_load(e->outside_n);

	for (uint32_t i = 0; i < n && i < TP_OUTSIDE_MAX; i++) {
		uint64_t a = tp_seg_load(e->outside[i].addr), len = tp_seg_load(e->outside[i].len);

		if (len && a < ARCH_USER_END && len <= ARCH_USER_END - a && meet(addr, end, a, a + len)) {
			*ret = (struct keep){a, a + len};
			return true;
		}
	}
	return false;
}

static bool kept_live(const struct tp_group *g, uint64_t addr, uint64_t end, struct keep *ret)
{
	const struct tp_prog *o;

	LIST_FOREACH (o, &g->live, link)
		if (!o->cleaned && kept_outside(g, o, addr, end, ret))
			return true;
	LIST_FOREACH (o, &g->lingering, link)
		if (kept_outside(g, o, addr, end, ret))
			return true;
	return false;
}

static void put_outside(
	struct tp_leftovers *l, const struct tp_prog *p, uint64_t addr, uint64_t end)
{
	while (addr < end) {
		struct keep k;

		if (!kept_baseline(p->group, addr, end, &k) &&
			!kept_unit(p->group, p, addr, end, &k) &&
			!kept_live(p->group, addr, end, &k)) {
			put(l, addr, end);
			return;
		}
		if (k.addr > addr)
			put_outside(l, p, addr, k.addr);
		addr = k.end;
	}
}

static void add_outside(struct tp_leftovers *l, struct tp_prog *p)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);
	uint32_t n = tp_seg_load(e->outside_n);

	for (uint32_t i = 0; i < n && i < TP_OUTSIDE_MAX; i++) {
		uint64_t addr = tp_seg_load(e->outside[i].addr) & ~(TP_PAGE_SIZE - 1);
		uint64_t len = tp_seg_load(e->outside[i].len);

		if (len && addr < ARCH_USER_END && len <= ARCH_USER_END - addr)
			put_outside(
				l, p, addr, (addr + len + TP_PAGE_SIZE - 1) & ~(TP_PAGE_SIZE - 1));
	}
}

static void add_extra_units(struct tp_leftovers *l, struct tp_prog *p)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);
	uint32_t n = tp_seg_load(e->extra_units_n);

	for (uint32_t i = 0; i < n && i < TP_EXTRA_UNITS_MAX; i++) {
		uint32_t u = tp_seg_load(e->extra_units[i]);

		if (tp_slots_extra(&p->group->slots, p->id, u))
			put(l, TP_UNIT_BASE(u), TP_UNIT_BASE(u) + TP_UNIT_SIZE);
	}
}

static void add_aio(struct tp_leftovers *l, struct tp_prog *p)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);

	if (!tp_seg_load(e->aio_n))
		return;
	for (uint32_t i = 0; i < TP_AIO_MAX; i++) {
		uint64_t context = tp_seg_load(e->aio[i]);

		if (context)
			l->aio[l->head.naio++] = context;
	}
}

bool tp_leftovers_add(struct tp_leftovers *l, struct tp_prog *p)
{
	/* A range may be cut into pieces: leave ample room. */
	if (l->head.nranges + 4 * TP_OUTSIDE_MAX + TP_EXTRA_UNITS_MAX + 1 > TP_LEFTOVERS_RANGES ||
		l->head.naio + TP_AIO_MAX > TP_LEFTOVERS_AIO)
		return false;
	add_aio(l, p);
	put(l, TP_UNIT_BASE(p->unit), TP_UNIT_BASE(p->unit) + TP_UNIT_SIZE);
	add_extra_units(l, p);
	add_outside(l, p);
	return true;
}

int tp_leftovers_send(struct tp_leftovers *l, struct tp_group *g, tp_host_done_fn *done)
{
	size_t ranges = l->head.nranges * sizeof(l->ranges[0]),
	       aio = l->head.naio * sizeof(l->aio[0]);

	memmove((char *)l->ranges + ranges, l->aio, aio);
	return tp_hostlink_post(&g->host, l, sizeof(l->head) + ranges + aio, done, g);
}

static int give_back(struct tp_prog *p, uint32_t unit, const bool *used, int64_t now)
{
	if (!used || !used[unit]) {
		tp_slots_free(&p->group->slots, unit, now);
		return 0;
	}
	tp_slots_retire(&p->group->slots, unit);
	return 1;
}

int tp_leftovers_free_units(struct tp_prog *p, const bool *used)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);
	uint32_t n = tp_seg_load(e->extra_units_n);
	int64_t now = tp_now_boot_ns();
	int retired = 0;

	for (uint32_t i = 0; i < n && i < TP_EXTRA_UNITS_MAX; i++) {
		uint32_t u = tp_seg_load(e->extra_units[i]);

		if (tp_slots_extra(&p->group->slots, p->id, u))
			retired += give_back(p, u, used, now);
	}
	return retired + give_back(p, p->unit, used, now);
}
