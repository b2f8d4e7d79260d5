/* SPDX-License-Identifier: MIT */
/*
 * Allocating and freeing where a slab of the thread's own has what is wanted: the shortest way, the same for tp_malloc and for malloc. The
 * order of stores, and what a death at any of them leaves: heap-slab.c.
 */
#ifndef TPI_HEAP_FAST_H
#define TPI_HEAP_FAST_H

#include "heap-near.h"

/* The first free block's number. false: there is none, or its link makes no sense. */
static inline bool tpi_slab_pop(struct tp_slab *s, uint16_t *links, uint32_t max, uint32_t *ret_block)
{
	uint64_t block = tpi_get(s->free);
	uint16_t *link = links + block;
	uint16_t next = tpi_get(*link);

	if (tpi_unlikely(next > max))
		return false;
	/* From here on a death loses the block; before, it was in the list still. */
	tpi_set(s->free, next);
	tpi_then();
	tpi_set(*link, TP_HEAP_IN_USE);
	arch_count_up(&s->count);
	*ret_block = (uint32_t)block;
	return true;
}

/* A block of a slab of many. */
static inline bool tpi_heap_pop(struct tp_slab *s, void **ret_ptr)
{
	uint32_t block;

	if (!tpi_slab_pop(s, (uint16_t *)s->many.links, s->many.max, &block))
		return false;
	*ret_ptr = (char *)s->many.base + block * s->many.size;
	return true;
}

/* Up to TPI_SMALL_MAX bytes. */
static inline bool tpi_heap_pop_small(struct tpi_heap *t, size_t size, void **ret_ptr)
{
	return tpi_heap_pop(t->slab_of_16[(size + 15) / 16], ret_ptr);
}

/* What came of a free. */
enum tpi_put {
	TPI_PUT_NOT,	/* nothing was done: the block is free already */
	TPI_PUT_DONE,
	TPI_PUT_EMPTIED, /* and tpi_slab_emptied is to be called */
};

/* Frees into a slab of this thread's own. */
static inline enum tpi_put tpi_slab_put(struct tp_slab *s, uint16_t *links, uint64_t block)
{
	uint16_t *link = links + block;

	/* A plain load: who frees a block in use is the only one who may write its link. */
	if (tpi_unlikely(*link != TP_HEAP_IN_USE))
		return TPI_PUT_NOT;
	/* The link before the head: a death in between loses this block only. */
	tpi_set(*link, tpi_get(s->free));
	tpi_then();
	tpi_set(s->free, (uint16_t)block);
	return tpi_unlikely(arch_count_down(&s->count)) ? TPI_PUT_EMPTIED : TPI_PUT_DONE;
}

static inline int tpi_heap_free_fast(struct tpi_heap *t, void *ptr)
{
	uint64_t at = (uint64_t)(uintptr_t)ptr, unit = at >> TP_HEAP_UNIT_SHIFT;
	struct tp_slab *s = t->own[unit % TPI_OWN];
	unsigned __int128 product;

	if (tpi_unlikely(s->many.unit != unit))
		return tpi_heap_free_by(t, ptr);
	/* The next that is given it will write to it, and soon. Nobody waits for this. */
	__builtin_prefetch(ptr, 1);
	/* As tpi_class_block; what is before the first block, or behind the last, has a link that never says "in use". */
	product = (unsigned __int128)(at % TP_HEAP_UNIT) * s->many.step;
	if (tpi_unlikely((uint64_t)product >= s->many.step))
		return tpi_heap_free_by(t, ptr);
	switch (tpi_slab_put(s, (uint16_t *)s->many.links, (uint64_t)(product >> 64))) {
	case TPI_PUT_DONE: return 0;
	case TPI_PUT_EMPTIED: return tpi_slab_emptied(t, (uint32_t)(s - t->map.slabs));
	default: return tpi_heap_free_by(t, ptr);
	}
}

static inline uint32_t tpi_remote_count(uint32_t remote)
{
	return remote >> 16;
}

static inline uint32_t tpi_slab_push(struct tp_slab *s, uint16_t *link, uint32_t block)
{
	uint32_t r = tpi_get(s->remote), new;

	do {
		tpi_set(*link, (uint16_t)r);
		new = ((r & 0xffff0000) + 0x10000) | block;
	} while (!__atomic_compare_exchange_n(&s->remote, &r, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return new;
}

/* Into a slab that is another's, or nobody's: of its entry nothing is read but where the block goes. false: the block is free already. */
static inline bool tpi_slab_free_away(struct tpi_heap *t, uint32_t slab, uint16_t *link, uint32_t block)
{
	uint32_t remote;
	uint64_t word;

	if (tpi_unlikely(tpi_get(*link) != TP_HEAP_IN_USE))
		return false;
	remote = tpi_slab_push(&t->map.slabs[slab], link, block);
	/* Partner: tpi_slab_publish. */
	word = __atomic_load_n(&t->map.owner[slab], __ATOMIC_SEQ_CST);
	if (tpi_unlikely(TP_HEAP_WORD_THREAD(word) == TP_HEAP_SHARED) && TP_HEAP_WORD_KIND(word) == TP_HEAP_SLAB)
		tpi_slab_changed(t, slab, TP_HEAP_WORD_CLASS(word), remote, true);
	return true;
}

#endif
