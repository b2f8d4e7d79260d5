/* SPDX-License-Identifier: MIT */
/*
 * A thread's part of the heap, from its first call to its end.
 *
 * The parts of a process are in one list that only grows; a part whose `pointer` is 0 is taken again by CAS. So whoever reads one that it
 * found near (heap-near.h) reads a part, its own or not, whatever has ended meanwhile.
 */
#include <string.h>

#include "heap-near.h"

static struct tpi_heap *newest;

/* Of this process: the last number that a thread was given. */
static uint32_t threads;

void tpi_heap_map_init(struct tpi_heap_map *m)
{
	uint32_t n = (uint32_t)(tpi_heap_size() >> TP_HEAP_UNIT_SHIFT);
	char *meta = (char *)tpi_heap_meta();

	*m = (struct tpi_heap_map){
		.meta = tpi_heap_meta(),
		.slabs = (struct tp_slab *)(meta + TP_HEAP_SLABS_OFF),
		.owner = (uint64_t *)(meta + TP_HEAP_OWNER_OFF(n)),
		.busy = (uint64_t *)(meta + TP_HEAP_BUSY_OFF(n)),
		.dirty = (uint64_t *)(meta + TP_HEAP_DIRTY_OFF(n)),
		.room = (uint64_t *)(meta + TP_HEAP_ROOM_OFF(n)),
		.units = n,
		.room_words = (uint32_t)(TP_HEAP_BITMAP(n) / 8),
	};
}

static uint64_t word_for(uint32_t thread)
{
	return TP_HEAP_WORD(tpi_heap_tag(), thread, TP_HEAP_SLAB, 0);
}

static void at_end(struct tpi_thread *thread)
{
	struct tpi_heap *t = thread->part[TPI_PART_HEAP];

	thread->part[TPI_PART_HEAP] = NULL;
	tpi_slab_leave(t);
	tpi_near_leave();
	/* Release, partner: take_part. */
	__atomic_store_n(&t->pointer, 0, __ATOMIC_RELEASE);
}

static uint32_t kept_limit(uint32_t units)
{
	uint32_t limit = units / 64;

	return limit < 256 ? limit : 256;
}

static struct tpi_heap *take_part(uintptr_t pointer)
{
	for (struct tpi_heap *t = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); t; t = t->older) {
		uintptr_t none = 0;

		if (tpi_get(t->pointer) == 0 &&
			__atomic_compare_exchange_n(&t->pointer, &none, pointer, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

static struct tpi_heap *new_part(uintptr_t pointer)
{
	struct tpi_heap *t = tpi_pages(sizeof(*t));

	if (!t)
		return NULL;
	tpi_set(t->pointer, pointer);
	t->older = tpi_get(newest);
	while (!__atomic_compare_exchange_n(&newest, &t->older, t, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return t;
}

static bool is_used(uint32_t number)
{
	for (const struct tpi_heap *t = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); t; t = t->older)
		if (tpi_get(t->pointer) && TP_HEAP_WORD_THREAD(tpi_get(t->slab_word)) == number)
			return true;
	return false;
}

/* From 1 to SHARED - 2; no two threads that live have the same, nor does one that ended without notice and may still hold slabs. */
static uint32_t new_number(void)
{
	uint32_t number;

	do
		number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) % (TP_HEAP_SHARED - 2) + 1;
	while (is_used(number));
	return number;
}

/* It has no slabs: `none` has no block, whoever looks at it as which kind, and is of no unit. */
static void start_empty(struct tpi_heap *t)
{
	uint16_t *no_link = (uint16_t *)t->none.reserved2;

	t->none = (struct tp_slab){.many = {.unit = UINT64_MAX, .links = (uintptr_t)no_link}};
	*no_link = TP_HEAP_NO_BLOCK;
	for (uint32_t c = 0; c < TPI_CLASSES; c++) {
		t->slab[c] = &t->none;
		t->held[c].n = 0;
	}
	for (uint32_t i = 0; i <= TPI_SMALL_MAX / 16; i++)
		t->slab_of_16[i] = &t->none;
	for (uint32_t i = 0; i < TPI_OWN; i++)
		t->own[i] = &t->none;
}

static struct tpi_heap *make(uintptr_t pointer)
{
	uint32_t number = new_number();
	struct tpi_heap *t = take_part(pointer);

	if (!t)
		t = new_part(pointer);
	if (!t)
		return NULL;
	tpi_heap_check_fork();
	t->copy = tpi_heap_is_copy();
	tpi_set(t->slab_word, word_for(number));
	t->takes = 0;
	t->may_keep = 0;
	tpi_heap_map_init(&t->map);
	t->kept = (struct tpi_kept){.limit = kept_limit(t->map.units)};
	start_empty(t);
	tpi_heap_at_thread_end(at_end);
	tpi_near_wipe_on_fork();
	return t;
}

struct tpi_heap *tpi_heap_far(void)
{
	void **slot = tpi_heap_thread();

	if (!slot)
		return NULL;
	if (!*slot)
		*slot = make(arch_thread_pointer());
	if (*slot)
		tpi_near_put(*slot);
	return *slot;
}

/* Also in a forked child that goes on with a copy of the heap: but for its one thread, which finds its own again, these are nobody's. */
void tpi_heap_drop_parts(void)
{
	struct tpi_heap *older;

	for (struct tpi_heap *t = newest; t; t = older) {
		older = t->older;
		tpi_pages_free(t, sizeof(*t));
	}
}

void tpi_heap_forget(void)
{
	newest = NULL;
	tpi_near_forget();
}

/* For a thread that can have none of its own: enough to free with. */
struct tpi_heap *tpi_heap_guest(struct tpi_heap *t)
{
	memset(t, 0, sizeof(*t));
	t->slab_word = word_for(TP_HEAP_SHARED - 1);
	t->guest = true;
	tpi_heap_map_init(&t->map);
	return t;
}
