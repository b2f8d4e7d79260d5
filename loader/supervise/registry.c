/* SPDX-License-Identifier: MIT */
/* See registry.h. Entries are reused first freed first, so a dead program's stays readable for
 * long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervise/fdkeep.h"
#include "supervise/registry.h"

enum { PID_BUCKETS = 4096 };

int tp_registry_init(struct tp_group *g)
{
	g->progs = calloc(TP_REGISTRY_MAX, sizeof(*g->progs));
	g->index_of_pid = calloc(PID_BUCKETS + TP_REGISTRY_MAX, sizeof(*g->index_of_pid));
	if (!g->progs || !g->index_of_pid)
		return -ENOMEM;
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++)
		g->free_index[i] = (uint16_t)i;
	g->index_free = TP_REGISTRY_MAX;
	LIST_INIT(&g->live);
	LIST_INIT(&g->lingering);
	LIST_INIT(&g->returning);
	LIST_INIT(&g->satellites);
	return 0;
}

void tp_registry_fini(struct tp_group *g)
{
	free(g->progs);
	free(g->index_of_pid);
}

/* Chains: [0, PID_BUCKETS) heads, behind them one link a program; index + 1, 0 ends. */
static uint16_t *pid_bucket(struct tp_group *g, pid_t pid)
{
	return &g->index_of_pid[(uint32_t)pid % PID_BUCKETS];
}

static uint16_t *pid_link(struct tp_group *g, uint32_t index)
{
	return &g->index_of_pid[PID_BUCKETS + index];
}

void tp_registry_set_pid(struct tp_prog *p, pid_t pid)
{
	uint16_t *bucket = pid_bucket(p->group, pid);

	p->pid = pid;
	*pid_link(p->group, p->index) = *bucket;
	*bucket = (uint16_t)(p->index + 1);
	tp_seg_store(tp_seg_entry(&p->group->seg, p->index)->pid, pid);
}

static void forget_pid(struct tp_prog *p)
{
	uint16_t *link = pid_bucket(p->group, p->pid);

	while (*link && *link != p->index + 1)
		link = pid_link(p->group, *link - 1u);
	if (*link)
		*link = *pid_link(p->group, p->index);
}

struct tp_prog *tp_registry_by_pid(struct tp_group *g, pid_t pid)
{
	for (uint32_t i = *pid_bucket(g, pid); i; i = *pid_link(g, i - 1))
		if (g->progs[i - 1].pid == pid)
			return &g->progs[i - 1];
	return NULL;
}

struct tp_prog *tp_registry_by_id(struct tp_group *g, uint64_t id)
{
	uint32_t index = TP_ID_INDEX(id);

	if (index >= TP_REGISTRY_MAX || g->progs[index].id != id)
		return NULL;
	return &g->progs[index];
}

struct tp_prog *tp_registry_by_name(struct tp_group *g, const char *name)
{
	int index = tp_names_find(&g->names, name);
	char *end;
	long pid;

	if (index >= 0)
		return &g->progs[index];
	pid = strtol(name, &end, 10);
	return *name && !*end && pid > 0 ? tp_registry_by_pid(g, (pid_t)pid) : NULL;
}

static struct tp_prog *take_entry(struct tp_group *g, const char *wanted_name)
{
	struct tp_prog *p;
	uint32_t index;

	if (!g->index_free)
		return NULL;
	index = g->free_index[g->index_head];
	g->index_head = (g->index_head + 1) % TP_REGISTRY_MAX;
	g->index_free--;
	p = &g->progs[index];
	*p = (struct tp_prog){
		.group = g, .index = index, .death.fd = -1, .state = TP_PROGRAM_STARTING};
	do
		p->id = ++g->serial << TP_ID_INDEX_BITS | index;
	while (!(g->serial & 0xfffff)); /* no tag is 0: see TP_TAG */
	p->name = tp_names_take(&g->names, wanted_name, index);
	return p;
}

struct tp_prog *tp_registry_add(struct tp_group *g, const char *wanted_name)
{
	struct tp_prog *p = take_entry(g, wanted_name);

	if (!p)
		return NULL;
	LIST_INSERT_HEAD(&g->live, p, link);
	g->nlive++;
	return p;
}

struct tp_prog *tp_registry_add_satellite(struct tp_group *g, const char *wanted_name)
{
	struct tp_prog *p = take_entry(g, wanted_name);

	if (!p)
		return NULL;
	p->satellite = true;
	p->state = TP_PROGRAM_RUNNING;
	LIST_INSERT_HEAD(&g->satellites, p, link);
	return p;
}

/*
 * An entry changes hands: id 0 first, then all the rest, then the id. Partner: who reads an id, the rest, and the id again (libtp: tpi_alive,
 * tpi_peer_read). If it has read anything that is stored behind the fence, its second look finds 0 or what came later; an id never
 * comes back. So nobody takes what belongs to one id for another's.
 */
void tp_registry_publish(struct tp_prog *p)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);

	__atomic_store_n(&e->id, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memset(e, 0, sizeof(*e));
	e->unit = p->unit;
	e->start_ns = p->start_ns;
	e->kind = p->satellite ? TP_KIND_SATELLITE : TP_KIND_MEMBER;
	e->pid = p->pid;
	memcpy(e->name, p->name, sizeof(e->name));
	tp_seg_store(e->state, p->state);
	tp_seg_store(e->id, p->id);
	if (p->index >= p->group->registry_used)
		p->group->registry_used = p->index + 1;
	tp_seg_store(p->group->seg.at->registry_used, p->group->registry_used);
}

void tp_registry_state(struct tp_prog *p, uint32_t state)
{
	p->state = state;
	tp_seg_store(tp_seg_entry(&p->group->seg, p->index)->state, state);
}

void tp_registry_arrived(struct tp_group *g)
{
	tp_seg_announce_arrival(&g->seg);
	tp_fdkeep_ring(g);
}

void tp_registry_left(struct tp_prog *p)
{
	tp_registry_state(p, TP_PROGRAM_LEFT);
	tp_fdkeep_forget(p);
	tp_seg_announce_death(&p->group->seg);
	tp_fdkeep_ring(p->group);
}

void tp_registry_died(struct tp_prog *p, uint32_t state)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);

	if (p->pid > 0 && !p->satellite)
		forget_pid(p);
	e->exit_ns = p->exit_ns;
	e->wait_status = (uint32_t)p->wait_status;
	tp_registry_state(p, state);
	tp_fdkeep_forget(p);
	tp_seg_announce_death(&p->group->seg);
	tp_fdkeep_ring(p->group);
	LIST_REMOVE(p, link);
	if (!p->satellite)
		p->group->nlive--;
	if (state == TP_PROGRAM_LINGERING)
		LIST_INSERT_HEAD(&p->group->lingering, p, link);
	else
		LIST_INSERT_HEAD(&p->group->returning, p, link);
}

void tp_registry_release(struct tp_prog *p)
{
	struct tp_group *g = p->group;

	LIST_REMOVE(p, link);
	tp_names_drop(&g->names, p->index);
	p->id = 0;
	p->name = "";
	g->free_index[(g->index_head + g->index_free++) % TP_REGISTRY_MAX] = (uint16_t)p->index;
}
