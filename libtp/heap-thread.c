/* SPDX-License-Identifier: MIT */
/* A thread's part of the heap, from its first call to its end. */
#include <string.h>

#include "heap-engine.h"

/* Of this process; a thread's number is not used again, as one that ended without notice may still hold slabs. */
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
	tpi_pages_free(t, sizeof(*t));
}

static uint32_t kept_limit(uint32_t units)
{
	uint32_t limit = units / 64;

	return limit < 256 ? limit : 256;
}

struct tpi_heap *tpi_heap_make(void **slot)
{
	uint32_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) % (TP_HEAP_SHARED - 1);
	struct tpi_heap *t = tpi_pages(sizeof(*t));

	if (!t)
		return NULL;
	tpi_heap_check_fork();
	t->copy = tpi_heap_is_copy();
	t->slab_word = word_for(number);
	tpi_heap_map_init(&t->map);
	t->kept.limit = kept_limit(t->map.units);
	for (uint32_t c = 0; c < TPI_CLASSES; c++)
		t->bin[c].slab = &t->none;
	tpi_heap_at_thread_end(at_end);
	*slot = t;
	return t;
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
