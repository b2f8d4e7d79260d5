/* SPDX-License-Identifier: MIT */
/*
 * Whose memory is this? Of a slot: owner[], one look-up. Of the segment: its own state, or the
 * heap, which knows its blocks. Elsewhere, where executables that are not position independent and
 * mappings at fixed addresses lie: the registry's lists, program by program.
 *
 * Everything that is read may be damaged: indices are taken modulo their table, counts are cut,
 * names are copied up to their end.
 */
#include <errno.h>
#include <string.h>

#include "heap-engine.h"
#include "owner.h"
#include "program-name.h"

static bool running(uint32_t state)
{
	return state == TP_PROGRAM_STARTING || state == TP_PROGRAM_RUNNING;
}

/* A dead program's entry keeps its name until another program is given it. */
static void name_owner(struct tp_owner *o, tp_id id)
{
	o->id = id;
	if (tpi_program_known(id, o->name))
		o->alive = tpi_alive(id);
}

static int in_heap(const void *ptr, struct tp_owner *o)
{
	uint32_t tag = 0;
	tp_id id;
	int r = tpi_heap_find(ptr, &o->block, &o->size, &tag);

	o->memory = TP_MEMORY_HEAP;
	if (r < 0) {
		o->block = NULL;
		o->size = 0;
	}
	id = tpi_tag_holder(tag);
	if (id)
		name_owner(o, id);
	return 0;
}

static bool holds(const struct tp_program *e, uint64_t addr)
{
	uint32_t n = __atomic_load_n(&e->outside_n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n && i < TP_OUTSIDE_MAX; i++) {
		uint64_t at = __atomic_load_n(&e->outside[i].addr, __ATOMIC_RELAXED);

		if (addr >= at && addr - at < __atomic_load_n(&e->outside[i].len, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/* The last of those that have mapped something there. */
static tp_id outside_owner(uint64_t addr)
{
	tp_id found = 0;

	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++) {
		const struct tp_program *e = tpi_entry(i);
		tp_id id = __atomic_load_n(&e->id, __ATOMIC_ACQUIRE);

		if (id > found && __atomic_load_n(&e->kind, __ATOMIC_RELAXED) == TP_KIND_MEMBER &&
			running(__atomic_load_n(&e->state, __ATOMIC_ACQUIRE)) && holds(e, addr))
			found = id;
	}
	return found;
}

static bool in_area(uint64_t addr, enum tp_area_kind kind, uint64_t base)
{
	return addr >= base && addr - base < tpi_self.segment->areas[kind].size;
}

int tpi_owner_find(const void *ptr, struct tp_owner *o)
{
	uint64_t addr = (uint64_t)(uintptr_t)ptr;
	tp_id id;

	memset(o, 0, sizeof(*o));
	if (in_area(addr, TP_AREA_HEAP, TP_HEAP_BASE))
		return in_heap(ptr, o);
	if (tpi_in_segment(ptr, 1)) {
		o->memory = TP_MEMORY_SEGMENT;
		return 0;
	}
	if (in_area(addr, TP_AREA_PRIVATE_HEAP, TP_PRIVATE_HEAP_BASE)) {
		o->memory = TP_MEMORY_SHARED_MALLOC;
		return 0;
	}
	id = tpi_slot_holder(addr);
	id = id ? id : outside_owner(addr);
	if (!id)
		return -EFAULT;
	name_owner(o, id);
	o->memory = TP_MEMORY_PRIVATE;
	return 0;
}

int tpi_pointer_refuse(const void *ptr)
{
	uint64_t at = (uint64_t)(uintptr_t)ptr;
	struct tp_owner o;

	if (tpi_owner_find(ptr, &o) < 0)
		return tpi_fail(-EFAULT, "%x is memory of nobody in the group", at);
	if (o.memory == TP_MEMORY_SHARED_MALLOC)
		return tpi_fail(-EFAULT,
			"%x lies in the region of --shared-malloc, which a satellite does not "
			"have: take tp_malloc",
			at);
	if (o.memory != TP_MEMORY_PRIVATE)
		return tpi_fail(-EFAULT, "%x cannot be handed over", at);
	return tpi_fail(-EFAULT,
		"%x is private memory of %s, which a satellite cannot reach: take tp_malloc", at,
		o.name[0] ? o.name : "a program that has ended");
}

int tp_owner_of(const void *ptr, struct tp_owner *ret_owner)
{
	int r = tpi_ready_for(ret_owner);

	if (r < 0)
		return r;
	r = tpi_owner_find(ptr, ret_owner);
	if (r < 0)
		return tpi_fail(r, "%x is memory of nobody in the group", (uint64_t)(uintptr_t)ptr);
	return 0;
}
