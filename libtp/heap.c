/* SPDX-License-Identifier: MIT */
/* The public calls: fast where a slab of the thread's own has what is wanted, else the engine's. */
#include <tp/heap.h>

#include "heap-engine.h"

/* This thread's part if it has one already. */
static inline struct tpi_heap *at_hand(void)
{
	void **slot;

	if (tpi_unlikely(!tpi_heap_at_hand()))
		return NULL;
	slot = tpi_heap_thread();
	return tpi_likely(slot != NULL) ? *slot : NULL;
}

int tp_alloc(size_t size, size_t align, void **ret_ptr)
{
	return tpi_heap_alloc(size, align, ret_ptr);
}

void *tp_malloc(size_t size)
{
	struct tpi_heap *t = at_hand();
	void *p = NULL;

	if (tpi_likely(t && size <= TPI_SMALL_MAX))
		p = tpi_heap_pop(t, tpi_class_of_16[(size + 15) / 16]);
	if (tpi_likely(p != NULL))
		return p;
	return tpi_heap_alloc(size, 1, &p) ? NULL : p;
}

void *tp_calloc(size_t count, size_t size)
{
	size_t total;
	void *p;

	if (__builtin_mul_overflow(count, size, &total))
		total = SIZE_MAX;
	return tpi_heap_alloc_zero(total, &p) ? NULL : p;
}

void *tp_realloc(void *ptr, size_t size)
{
	void *p;

	return tpi_heap_realloc(ptr, size, &p) ? NULL : p;
}

void *tp_aligned_alloc(size_t align, size_t size)
{
	void *p;

	return tpi_heap_alloc(size, align, &p) ? NULL : p;
}

int tp_free(void *ptr)
{
	struct tpi_heap *t = at_hand();

	if (tpi_likely(t && tpi_heap_put(t, ptr)))
		return 0;
	return tpi_heap_free(ptr);
}

size_t tp_usable_size(const void *ptr)
{
	return tpi_heap_usable_size(ptr);
}
