/* SPDX-License-Identifier: MIT */
/* Freeing what is not in a slab of the calling thread, or not as it should be. What is right is done here; what is not is blamed. */
#include <errno.h>

#include "heap-fast.h"
#include "heap-span.h"

struct spot {
	uint32_t head;
	uint64_t word;
	uint32_t off; /* from the head's start; UINT32_MAX: too far to be in a slab */
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
	*ret = (struct spot){i, w, off < UINT32_MAX ? (uint32_t)off : UINT32_MAX};
	return true;
}

static bool free_in_slab(struct tpi_heap *t, const struct spot *at)
{
	uint32_t class_ = TP_HEAP_WORD_CLASS(at->word), block;

	if (!tpi_class_block(&tpi_class[class_], at->off, &block))
		return false;
	if ((at->word ^ t->slab_word) < 64)
		return tpi_slab_free_own(t, at->head, class_, block);
	return tpi_slab_free_other(t, at->head, at->word, block);
}

static int free_slow(struct tpi_heap *t, void *ptr)
{
	struct spot at;

	for (;;) {
		if (!spot_of(&t->map, ptr, &at))
			return tpi_heap_blame(ptr, "free");
		if (TP_HEAP_WORD_KIND(at.word) == TP_HEAP_SLAB && free_in_slab(t, &at))
			return 0;
		if (TP_HEAP_WORD_KIND(at.word) != TP_HEAP_SPAN || at.off)
			return tpi_heap_blame(ptr, "free");
		if (tpi_span_free(t, at.head, at.word) == 0)
			return 0;
	}
}

/* Too many threads: one that stands in. */
int tpi_heap_free_as_guest(void *ptr)
{
	struct tpi_heap guest;

	return free_slow(tpi_heap_guest(&guest), ptr);
}

/*
 * A small block, without the questions that others need. Of a slab that another thread works on, which is what a receiver frees, nothing is
 * read here but the link: its entry's first line is the other's. False: it is something else, or wrong.
 */
static inline bool free_small(struct tpi_heap *t, void *ptr)
{
	uint64_t off = (uint64_t)(uintptr_t)ptr - TPI_HEAP_BASE, w;
	uint32_t slab = (uint32_t)(off >> TP_HEAP_UNIT_SHIFT), class_, block;
	const struct tpi_class *c;
	unsigned __int128 product;

	if (tpi_unlikely(off >> TP_HEAP_UNIT_SHIFT >= t->map.units))
		return false;
	w = tpi_get(t->map.owner[slab]);
	class_ = (uint32_t)((w & 0x1ff) - (TP_HEAP_SLAB << 6));
	if (tpi_unlikely(class_ >= TPI_DENSE))
		return false;
	/* As tpi_heap_free_fast. */
	c = &tpi_class[class_];
	product = (unsigned __int128)(off % TP_HEAP_UNIT) * c->step;
	block = (uint32_t)(product >> 64);
	if (tpi_unlikely((uint64_t)product >= c->step))
		return false;
	if (tpi_unlikely((w ^ t->slab_word) < 64))
		return tpi_slab_free_own(t, slab, class_, block);
	if (tpi_unlikely(TP_HEAP_WORD_THREAD(w) == TP_HEAP_SHARED))
		return tpi_slab_free_other(t, slab, w, block);
	return tpi_slab_free_away(t, slab, tpi_links(&t->map, slab, class_) + block, block);
}

int tpi_heap_free_by(struct tpi_heap *t, void *ptr)
{
	if (tpi_likely(free_small(t, ptr)))
		return 0;
	return ptr ? free_slow(t, ptr) : 0;
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
		return tpi_heap_free_as_guest(ptr);
	return free_slow(t, ptr);
}

size_t tpi_heap_usable_size(const void *ptr)
{
	struct tpi_heap_map m;
	const struct tpi_class *c;
	struct spot at;
	uint32_t block;

	if (!ptr || tpi_heap_ready())
		return 0;
	tpi_heap_map_init(&m);
	if (!spot_of(&m, ptr, &at))
		return 0;
	if (TP_HEAP_WORD_KIND(at.word) == TP_HEAP_SPAN && at.off == 0)
		return (size_t)tpi_get(m.slabs[at.head].units) << TP_HEAP_UNIT_SHIFT;
	c = &tpi_class[TP_HEAP_WORD_CLASS(at.word)];
	return TP_HEAP_WORD_KIND(at.word) == TP_HEAP_SLAB && tpi_class_block(c, at.off, &block) ? c->size : 0;
}
