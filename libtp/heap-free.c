/* SPDX-License-Identifier: MIT */
/*
 * Freeing what is not in a slab of the calling thread, or not as it should be. What is right is done here; what is not is blamed.
 *
 * A block that looks free already (it starts with a link) may be one whose user wrote such a value; whether it hangs on a list of its slab
 * is then looked up, which is slow and only right while nobody else works on that list: heap-find.c.
 */
#include <errno.h>

#include "heap-span.h"

struct spot {
	uint32_t head;
	uint64_t word;
	uint32_t place; /* from the head's start, 16-byte steps + 1; 0: not at one */
};

/* False: not in a run that could hold blocks. */
static bool spot_of(const struct tpi_heap_map *m, const void *ptr, struct spot *ret)
{
	uint64_t off = (uint64_t)(uintptr_t)ptr - TPI_HEAP_BASE;
	uint32_t i = (uint32_t)(off >> TP_HEAP_UNIT_SHIFT);
	uint64_t w;

	if (off >> TP_HEAP_UNIT_SHIFT >= m->units)
		return false;
	w = tpi_get(m->owner[i]);
	if (TP_HEAP_WORD_KIND(w) == TP_HEAP_TAIL) {
		i = TP_HEAP_WORD_HEAD(w);
		if (i >= m->units)
			return false;
		w = tpi_get(m->owner[i]);
	}
	off -= (uint64_t)i << TP_HEAP_UNIT_SHIFT;
	*ret = (struct spot){i, w, off % 16 || off / 16 >= UINT16_MAX ? 0 : (uint32_t)(off / 16) + 1};
	return true;
}

static bool looks_free(const void *ptr)
{
	uint32_t place;

	return tpi_link_read(tpi_get(*(const uint64_t *)ptr), &place);
}

static bool free_in_slab(struct tpi_heap *t, void *ptr, const struct spot *at)
{
	uint32_t class_ = TP_HEAP_WORD_CLASS(at->word);

	if (!tpi_place_ok(&tpi_class[class_], at->place))
		return false;
	if (looks_free(ptr)) {
		void *block;
		uint32_t tag;
		size_t size;

		if (tpi_heap_find(ptr, &block, &size, &tag))
			return false;
		tpi_set(*(uint64_t *)ptr, 0);
	}
	if ((at->word ^ t->slab_word) < 64)
		return tpi_heap_put_at(t, at->head, class_, ptr, at->place);
	tpi_slab_free_other(t, at->head, at->word, at->place);
	return true;
}

static int free_slow(struct tpi_heap *t, void *ptr)
{
	struct spot at;

	for (;;) {
		if (!spot_of(&t->map, ptr, &at))
			return tpi_heap_blame(ptr, "free");
		if (TP_HEAP_WORD_KIND(at.word) == TP_HEAP_SLAB && free_in_slab(t, ptr, &at))
			return 0;
		if (TP_HEAP_WORD_KIND(at.word) != TP_HEAP_SPAN || at.place != 1)
			return tpi_heap_blame(ptr, "free");
		if (tpi_span_free(t, at.head, at.word) == 0)
			return 0;
	}
}

/* Too many threads: one that stands in. */
static __attribute__((noinline)) int free_as_guest(void *ptr)
{
	struct tpi_heap guest;

	return free_slow(tpi_heap_guest(&guest), ptr);
}

int tpi_heap_free(void *ptr)
{
	struct tpi_heap *t;
	int r;

	if (!ptr)
		return 0;
	r = tpi_heap_ready();
	if (r)
		return r;
	t = tpi_heap_mine();
	if (!t)
		return free_as_guest(ptr);
	return tpi_likely(tpi_heap_put(t, ptr)) ? 0 : free_slow(t, ptr);
}

size_t tpi_heap_usable_size(const void *ptr)
{
	struct tpi_heap_map m;
	struct spot at;

	if (!ptr || tpi_heap_ready())
		return 0;
	tpi_heap_map_init(&m);
	if (!spot_of(&m, ptr, &at))
		return 0;
	if (TP_HEAP_WORD_KIND(at.word) == TP_HEAP_SPAN && at.place == 1)
		return (size_t)tpi_get(m.slabs[at.head].units) << TP_HEAP_UNIT_SHIFT;
	if (TP_HEAP_WORD_KIND(at.word) == TP_HEAP_SLAB && tpi_place_ok(&tpi_class[TP_HEAP_WORD_CLASS(at.word)], at.place))
		return tpi_class[TP_HEAP_WORD_CLASS(at.word)].size;
	return 0;
}
