/* SPDX-License-Identifier: MIT */
/*
 * Arenas: blocks that are allocated one after the other and freed, or handed over, all at once.
 *
 * Layout. The first run's head is an ARENA, with struct tp_arena at its start; further runs are PARTs whose word names that head, and are
 * chained through slabs[].next. Who owns it stands in the head's word, so that one store gives it to another program.
 *
 * Deaths. A part gets its word before it is chained: killed in between, it is found by its word (heap-reap.c), since then the arena's owner
 * is dead. Destroying makes the head's word name the thread, by CAS: of two that destroy one succeeds; then the parts go, then the head. At
 * each instruction each run is the arena's, or held by the dead program, or free. An allocation that is cut short loses its bytes until the arena goes.
 *
 * An arena is worked on by one thread at a time; the others that read its blocks are the users' business.
 */
#include <errno.h>
#include <tp/heap.h>

#include "heap-near.h"

enum { GROW_MAX = 16 }; /* units */

struct spot {
	struct tpi_heap *t;
	uint32_t head;
	uint64_t word;
};

/* Of one that may be used: it names no thread. One that is being freed names the thread that does. */
static uint64_t open_word(uint32_t tag)
{
	return TP_HEAP_WORD(tag, 0, TP_HEAP_ARENA, 0);
}

static int not_an_arena(const struct tp_arena *arena)
{
	return tpi_fail(-EFAULT, "%x is no arena (or one that has been destroyed)", (uint64_t)(uintptr_t)arena);
}

/* This program's arena. -EFAULT: none; -EPERM: another's. */
static int find(const struct tp_arena *arena, struct spot *ret)
{
	uint64_t off = (uint64_t)(uintptr_t)arena - TPI_HEAP_BASE;
	struct spot at;
	int r = tpi_heap_ready();

	if (r)
		return r;
	at.t = tpi_heap_mine();
	if (!at.t)
		return tpi_fail(-EAGAIN, "this program has more threads than can use " TPI_HEAP_NAME);
	at.head = (uint32_t)(off >> TP_HEAP_UNIT_SHIFT);
	if (off % TP_HEAP_UNIT || off >> TP_HEAP_UNIT_SHIFT >= at.t->map.units)
		return not_an_arena(arena);
	/* Acquire: what the giver wrote into the arena; partner: tp_arena_give. */
	at.word = __atomic_load_n(&at.t->map.owner[at.head], __ATOMIC_ACQUIRE);
	if (at.word != open_word(TP_HEAP_WORD_TAG(at.word)) || arena->magic != TP_ARENA_MAGIC)
		return not_an_arena(arena);
	if (TP_HEAP_WORD_TAG(at.word) != tpi_heap_tag())
		return tpi_fail(-EPERM, "the arena at %x is %s's", (uint64_t)(uintptr_t)arena, tpi_program_name(tpi_heap_holder(TP_HEAP_WORD_TAG(at.word))));
	*ret = at;
	return 0;
}

int tp_arena_create(struct tp_arena **ret_arena)
{
	struct tpi_heap *t;
	struct tp_arena *a;
	uint32_t head;
	bool zero;
	int r = tpi_heap_ready();

	if (r)
		return r;
	if (!ret_arena)
		return tpi_no_place();
	t = tpi_heap_mine();
	if (!t)
		return tpi_fail(-EAGAIN, "this program has more threads than can use " TPI_HEAP_NAME);
	if (tpi_run_get(t, 1, 1, 0, &head, &zero))
		return tpi_heap_full(1, 1);
	a = (struct tp_arena *)tpi_unit(head);
	*a = (struct tp_arena){.magic = TP_ARENA_MAGIC, .units = 1};
	a->at = (uintptr_t)(a + 1);
	a->end = (uintptr_t)a + TP_HEAP_UNIT;
	tpi_set(t->map.slabs[head].next, 0);
	__atomic_store_n(&t->map.owner[head], open_word(tpi_heap_tag()), __ATOMIC_RELEASE);
	*ret_arena = a;
	return 0;
}

/* The next byte at that alignment, if so many fit behind it. */
static bool bump(struct tp_arena *a, size_t size, size_t align, void **ret_ptr)
{
	uint64_t at = (a->at + align - 1) & ~(uint64_t)(align - 1);

	if (at < a->at || at > a->end || size > a->end - at)
		return false;
	a->at = at + size;
	*ret_ptr = (void *)(uintptr_t)at;
	return true;
}

static int add_part(struct spot *at, size_t size, size_t align, uint32_t *ret_part, uint32_t *ret_units)
{
	struct tp_arena *a = (struct tp_arena *)tpi_unit(at->head);
	struct tp_slab *slabs = at->t->map.slabs;
	uint64_t need = (size + TP_HEAP_UNIT - 1) >> TP_HEAP_UNIT_SHIFT, grow = a->units < GROW_MAX ? a->units : GROW_MAX;
	uint32_t units, step = align > TP_HEAP_UNIT ? (uint32_t)(align >> TP_HEAP_UNIT_SHIFT) : 1, part;
	bool zero;

	if (need > at->t->map.units || align > tpi_heap_size())
		return tpi_heap_full(size, align);
	units = (uint32_t)(need > grow ? need : grow);
	if (tpi_run_get(at->t, units, step, units / 4, &part, &zero))
		return tpi_heap_full(size, align);
	tpi_set(slabs[part].next, slabs[at->head].next);
	__atomic_store_n(&at->t->map.owner[part], TP_HEAP_WORD(0, at->head, TP_HEAP_PART, 0), __ATOMIC_RELEASE);
	tpi_then();
	tpi_set(slabs[at->head].next, part + 1);
	*ret_part = part;
	*ret_units = tpi_get(slabs[part].units);
	a->units += *ret_units;
	return 0;
}

static int alloc(struct tp_arena *a, size_t size, size_t align, void **ret_ptr)
{
	uint32_t part = 0, units = 0;
	uint64_t at, end;
	struct spot here;
	int r = find(a, &here);

	if (r)
		return r;
	if (align & (align - 1))
		return tpi_fail(-EINVAL, "an alignment of %u is no power of two", (uint64_t)align);
	if (size > PTRDIFF_MAX)
		return tpi_fail(-EINVAL, "no block can have %u bytes", (uint64_t)size);
	align = align ? align : 16;
	size = size ? size : 1;
	if (bump(a, size, align, ret_ptr))
		return 0;
	r = add_part(&here, size, align, &part, &units);
	if (r)
		return r;
	at = (uintptr_t)tpi_unit(part);
	end = at + ((uint64_t)units << TP_HEAP_UNIT_SHIFT);
	*ret_ptr = (void *)(uintptr_t)at;
	/* Go on where more is left. */
	if (end - at - size >= a->end - a->at || a->end < a->at) {
		a->at = at + size;
		tpi_then();
		a->end = end;
	}
	return 0;
}

void *tp_arena_alloc(struct tp_arena *arena, size_t size, size_t align)
{
	void *p = NULL;

	return alloc(arena, size, align, &p) ? NULL : p;
}

int tp_arena_give(struct tp_arena *arena, tp_id receiver)
{
	struct spot at = {0};
	int r = find(arena, &at);

	if (r)
		return r;
	if (!tpi_alive(receiver))
		return tpi_fail(-ESRCH, "no program with id %u is running", receiver);
	__atomic_store_n(&at.t->map.owner[at.head], open_word(TP_TAG(receiver)), __ATOMIC_RELEASE);
	return 0;
}

/* Of an arena that this thread frees. The chain is bounded; a part that is not this arena's ends it. */
static void free_parts(struct tpi_heap *t, uint32_t head)
{
	uint32_t next = tpi_get(t->map.slabs[head].next);

	for (uint32_t n = 0; next && next <= t->map.units && n < t->map.units; n++) {
		uint64_t word = TP_HEAP_WORD(0, head, TP_HEAP_PART, 0);
		uint32_t part = next - 1;

		next = tpi_get(t->map.slabs[part].next);

		if (!__atomic_compare_exchange_n(&t->map.owner[part], &word, tpi_word(t, TP_HEAP_HELD, 0), false,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
		tpi_run_keep(t, part);
	}
}

struct tp_arena *tp_arena_destroy(struct tp_arena *arena)
{
	struct spot at;
	int r;

	if (!arena)
		return NULL;
	r = find(arena, &at);
	if (r) {
		if (r != -ENOTCONN && r != -EPROTO)
			tpi_complain("tp_arena_destroy: %s", tp_why());
		return NULL;
	}
	if (!__atomic_compare_exchange_n(&at.t->map.owner[at.head], &at.word, tpi_word(at.t, TP_HEAP_ARENA, 0), false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return NULL;
	arena->magic = 0;
	free_parts(at.t, at.head);
	tpi_run_keep(at.t, at.head);
	return NULL;
}
