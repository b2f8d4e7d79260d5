/* SPDX-License-Identifier: MIT */
/*
 * Who is in the group: the registry, read from outside.
 *
 * The supervisor gives an entry to another program by storing id 0, then what it says, then the id
 * (release). A copy is good if the id was the same before and after it; the fence keeps the second
 * look behind the copying.
 */
#include <errno.h>
#include <string.h>

#include "peer.h"

static uint32_t state_of(uint32_t state)
{
	switch (state) {
	case TP_PROGRAM_STARTING: return TP_PEER_STARTING;
	case TP_PROGRAM_RUNNING: return TP_PEER_RUNNING;
	case TP_PROGRAM_LINGERING: return TP_PEER_LINGERING;
	default: return TP_PEER_GONE;
	}
}

uint32_t tpi_registry_used(void)
{
	uint32_t used = __atomic_load_n(&tpi_self.segment->registry_used, __ATOMIC_ACQUIRE);

	return used && used < TP_REGISTRY_MAX ? used : TP_REGISTRY_MAX;
}

bool tpi_peer_read(uint32_t index, struct tpi_peer *ret)
{
	const struct tp_program *e = tpi_entry(index);
	tp_id id = __atomic_load_n(&e->id, __ATOMIC_ACQUIRE);
	struct tp_peer_info *p = &ret->info;

	memset(ret, 0, sizeof(*ret));
	if (!id || TP_ID_INDEX(id) != index)
		return false;
	p->id = id;
	p->state = state_of(__atomic_load_n(&e->state, __ATOMIC_ACQUIRE));
	p->pid = __atomic_load_n(&e->pid, __ATOMIC_RELAXED);
	p->satellite = __atomic_load_n(&e->kind, __ATOMIC_RELAXED) == TP_KIND_SATELLITE;
	p->start_ns = e->start_ns;
	p->exit_ns = p->state == TP_PEER_GONE || p->state == TP_PEER_LINGERING ? e->exit_ns : 0;
	memcpy(p->name, e->name, sizeof(p->name));
	p->name[sizeof(p->name) - 1] = '\0';
	ret->started = p->satellite || __atomic_load_n(&e->started, __ATOMIC_RELAXED);
	ret->left = __atomic_load_n(&e->state, __ATOMIC_RELAXED) == TP_PROGRAM_LEFT;
	ret->wait_status = (int32_t)e->wait_status;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&e->id, __ATOMIC_RELAXED) == id;
}

bool tpi_peer_lives(const struct tp_peer_info *p)
{
	return p->state == TP_PEER_STARTING || p->state == TP_PEER_RUNNING;
}

/* A live one comes before all that have ended: names are unique among the live. */
static bool better(const struct tp_peer_info *p, const struct tp_peer_info *best)
{
	if (tpi_peer_lives(p) != tpi_peer_lives(best))
		return tpi_peer_lives(p);
	return p->id >> TP_ID_INDEX_BITS > best->id >> TP_ID_INDEX_BITS;
}

int tp_peer(const char *name, struct tp_peer_info *ret_peer)
{
	struct tpi_peer p, best = {.info.id = 0};
	uint32_t used;
	int r = tpi_ready_for(ret_peer);

	if (r < 0)
		return r;
	if (!name || !*name)
		return tpi_fail(-EINVAL, "a program's name cannot be empty");
	used = tpi_registry_used();
	for (uint32_t i = 0; i < used; i++)
		if (tpi_peer_read(i, &p) && !strcmp(p.info.name, name) &&
			(!best.info.id || better(&p.info, &best.info)))
			best = p;
	if (!best.info.id)
		return tpi_fail(-ENOENT, "there is no program %s in this group", name);
	*ret_peer = best.info;
	return 0;
}

int tp_peer_by_id(tp_id id, struct tp_peer_info *ret_peer)
{
	struct tpi_peer p;
	int r = tpi_ready_for(ret_peer);

	if (r < 0)
		return r;
	if (TP_ID_INDEX(id) >= TP_REGISTRY_MAX || !tpi_peer_read(TP_ID_INDEX(id), &p) ||
		p.info.id != id)
		return tpi_fail(-ENOENT,
			"there is no program %u in this group, or nothing is known about it any "
			"more",
			id);
	*ret_peer = p.info;
	return 0;
}

int tp_peers(struct tp_peer_info *ret_peers, size_t max)
{
	struct tpi_peer p;
	uint32_t used;
	int r = max ? tpi_ready_for(ret_peers) : tpi_ready(), n = 0;

	if (r < 0)
		return r;
	used = tpi_registry_used();
	for (uint32_t i = 0; i < used; i++) {
		if (!tpi_peer_read(i, &p) || !tpi_peer_lives(&p.info))
			continue;
		if ((size_t)n < max)
			ret_peers[n] = p.info;
		n++;
	}
	return n;
}
