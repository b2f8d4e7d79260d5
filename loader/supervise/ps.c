/* SPDX-License-Identifier: MIT */
/*
 * Memory is attributed by address: one pass over the address space's smaps, each mapping added to
 * the program whose unit, extra unit or recorded range holds it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervise/mapcount.h"
#include "supervise/procmaps.h"
#include "supervise/ps.h"
#include "supervise/reclaim.h"
#include "supervise/registry.h"

struct usage {
	uint64_t resident;
	uint32_t vmas, units;
};

struct survey {
	struct tp_group *g;
	struct usage use[TP_REGISTRY_MAX];
};

static bool records(const struct tp_group *g, const struct tp_prog *p, uint64_t addr)
{
	struct tp_program *e = tp_seg_entry(&g->seg, p->index);
	uint32_t n = tp_seg_load(e->outside_n);

	for (uint32_t i = 0; i < n && i < TP_OUTSIDE_MAX; i++) {
		uint64_t a = tp_seg_load(e->outside[i].addr), len = tp_seg_load(e->outside[i].len);

		if (addr >= a && addr - a < len)
			return true;
	}
	return false;
}

static struct tp_prog *outside_owner(struct tp_group *g, uint64_t addr)
{
	struct tp_prog *p;

	LIST_FOREACH (p, &g->live, link)
		if (!p->cleaned && records(g, p, addr))
			return p;
	LIST_FOREACH (p, &g->lingering, link)
		if (records(g, p, addr))
			return p;
	return NULL;
}

static struct tp_prog *owner_of(struct tp_group *g, uint64_t addr)
{
	uint32_t unit = TP_UNIT_OF(addr);

	if (unit >= TP_UNITS)
		return NULL;
	if (g->slots.state[unit] == TP_UNIT_RESERVED)
		return outside_owner(g, addr);
	return tp_registry_by_id(g, tp_seg_load(g->slots.owner[unit]));
}

static void attribute(void *arg, const struct tp_mapping *m)
{
	struct survey *s = arg;
	struct tp_prog *p = owner_of(s->g, m->lo);

	if (!p)
		return;
	s->use[p->index].resident += m->rss;
	s->use[p->index].vmas++;
}

static void count_units(struct survey *s)
{
	for (uint32_t u = 0; u < TP_UNITS; u++) {
		struct tp_prog *p =
			s->g->slots.state[u] == TP_UNIT_RESERVED
				? NULL
				: tp_registry_by_id(s->g, tp_seg_load(s->g->slots.owner[u]));

		if (p)
			s->use[p->index].units++;
	}
}

static void put_outside(struct tp_wire_program *m, struct tp_program *e)
{
	uint32_t n = tp_seg_load(e->outside_n);

	for (uint32_t i = 0; i < n && i < TP_OUTSIDE_MAX; i++) {
		uint64_t len = tp_seg_load(e->outside[i].len);

		if (len)
			m->outside[m->noutside++] =
				(struct tp_range){tp_seg_load(e->outside[i].addr), len};
	}
}

static void put_extra_units(struct tp_wire_program *m, const struct tp_slots *slots)
{
	for (uint32_t u = 0; u < TP_UNITS && m->noutside < TP_OUTSIDE_MAX; u++)
		if (u != m->unit && slots->state[u] != TP_UNIT_RESERVED &&
			tp_seg_load(slots->owner[u]) == m->id)
			m->outside[m->noutside++] =
				(struct tp_range){TP_UNIT_BASE(u), TP_UNIT_SIZE};
}

static void send_prog(
	struct tp_client *c, uint32_t seq, const struct tp_prog *p, const struct usage *use)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);
	struct tp_wire_program m = {.id = p->id,
		.pid = p->pid,
		.state = p->state,
		.unit = p->satellite ? UINT32_MAX : p->unit,
		.kind = p->satellite ? TP_KIND_SATELLITE : TP_KIND_MEMBER,
		.nunits = use->units,
		.resident = use->resident,
		.vmas = use->vmas,
		.wait_status = (uint32_t)p->wait_status,
		.start_ns = p->start_ns,
		.exit_ns = p->exit_ns};

	/* Whether its first instruction was reached is known to the program alone until somebody
	 * asks. */
	if (m.state == TP_PROGRAM_STARTING && tp_seg_load(e->started))
		m.state = TP_PROGRAM_RUNNING;
	memcpy(m.name, p->name, sizeof(m.name));
	if (!p->cleaned && !p->satellite)
		put_outside(&m, e);
	if (m.nunits > 1)
		put_extra_units(&m, &p->group->slots);
	tp_client_send(c, &m, sizeof(m), TP_WIRE_PROGRAM, seq);
}

/* Newest first in the lists; people want the oldest first: by id. */
static int by_id(const void *a, const void *b)
{
	const struct tp_prog *x = *(struct tp_prog *const *)a, *y = *(struct tp_prog *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static uint32_t collect(struct tp_group *g, struct tp_prog **ret)
{
	struct tp_prog *p;
	uint32_t n = 0;

	LIST_FOREACH (p, &g->live, link)
		ret[n++] = p;
	LIST_FOREACH (p, &g->lingering, link)
		ret[n++] = p;
	LIST_FOREACH (p, &g->satellites, link)
		ret[n++] = p;
	qsort(ret, n, sizeof(*ret), by_id);
	return n;
}

void tp_ps_answer(struct tp_client *c, uint32_t seq)
{
	struct tp_group *g = c->group;
	struct survey *s = calloc(1, sizeof(*s));
	static struct tp_prog *progs[TP_REGISTRY_MAX];
	uint32_t n;

	if (!s) {
		tp_client_drop(c);
		return;
	}
	tp_reclaim_flush(g);
	s->g = g;
	if (tp_group_member(g))
		tp_procmaps_each(tp_group_member(g), "smaps", attribute, s);
	count_units(s);
	n = collect(g, progs);
	for (uint32_t i = 0; i < n; i++)
		send_prog(c, seq, progs[i], &s->use[progs[i]->index]);
	tp_client_ok(c, seq);
	free(s);
}

void tp_info_answer(struct tp_client *c, uint32_t seq)
{
	struct tp_group *g = c->group;
	struct tp_wire_info m = {.supervisor_pid = getpid(),
		.host_pid = g->host.pid,
		.programs = g->nlive,
		.max_map_count = g->max_maps,
		.start_ns = g->start_ns};

	tp_reclaim_flush(g);
	m.vmas = tp_mapcount_refresh(g);
	m.host_alive = g->host.alive;
	strncpy(m.group, g->opts->group, sizeof(m.group) - 1);
	tp_client_send(c, &m, sizeof(m), TP_WIRE_INFO_REPLY, seq);
}
