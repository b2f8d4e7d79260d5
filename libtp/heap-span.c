/* SPDX-License-Identifier: MIT */
/*
 * Spans. One is allocated by storing SPAN as the kind of a run that is held, and freed, by anybody, by a CAS from SPAN to HELD: of two that
 * free it one succeeds, and from then on it is that one's to give back, or the reaper's. A death before the store loses nothing (HELD by
 * the dead), one after it loses the block.
 */
#include <errno.h>

#include "heap-span.h"

/* Larger spans come in coarser steps, so that one that was kept fits the next of about its size. */
static uint32_t units_for(size_t size)
{
	uint32_t n = (uint32_t)((size + TP_HEAP_UNIT - 1) >> TP_HEAP_UNIT_SHIFT);

	return n ? n : 1;
}

int tpi_span_alloc(struct tpi_heap *t, size_t size, size_t align, void **ret_ptr, bool *ret_zero)
{
	uint32_t units, head, step = align > TP_HEAP_UNIT ? (uint32_t)(align >> TP_HEAP_UNIT_SHIFT) : 1;
	int r;

	/* A heap has 2^22 units at most, and no place at a multiple of more than its size but by chance. */
	if (size > tpi_heap_size() || align > tpi_heap_size())
		return -ENOSPC;
	units = units_for(size);
	r = tpi_run_get(t, units, step, units / 4, &head, ret_zero);
	if (r)
		return r;
	__atomic_store_n(&t->map.owner[head], tpi_word(t, TP_HEAP_SPAN, 0), __ATOMIC_RELEASE);
	*ret_ptr = tpi_unit(head);
	return 0;
}

/* The block is the caller's, whichever program made it: nobody else may free it, and the dead's blocks are not reaped. */
void tpi_span_shrink(struct tpi_heap *t, void *block, size_t size)
{
	tpi_run_shrink(t, (uint32_t)(((uintptr_t)block - TPI_HEAP_BASE) >> TP_HEAP_UNIT_SHIFT), units_for(size));
}

int tpi_span_free(struct tpi_heap *t, uint32_t head, uint64_t word)
{
	if (!__atomic_compare_exchange_n(&t->map.owner[head], &word, tpi_word(t, TP_HEAP_HELD, 0), false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return -EAGAIN;
	tpi_run_keep(t, head);
	return 0;
}
