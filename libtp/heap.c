/* SPDX-License-Identifier: MIT */
/* The public calls: fast where a slab of the thread's own has what is wanted, else the engine's. */
#include <tp/heap.h>

#include "heap-fast.h"

static __attribute__((noinline)) void *malloc_slow(size_t size)
{
	void *p;

	return tpi_heap_alloc(size, 1, &p) ? NULL : p;
}

int tp_alloc(size_t size, size_t align, void **ret_ptr)
{
	int r = tpi_ready_for(ret_ptr);

	return r ? r : tpi_heap_alloc(size, align, ret_ptr);
}

void *tp_malloc(size_t size)
{
	struct tpi_heap *t = tpi_heap_near();
	void *p;

	if (tpi_unlikely(!t || size > TPI_SMALL_MAX))
		return malloc_slow(size);
	return tpi_likely(tpi_heap_pop_small(t, size, &p)) ? p : malloc_slow(size);
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
	struct tpi_heap *t = tpi_heap_near();

	return tpi_likely(t != NULL) ? tpi_heap_free_fast(t, ptr) : tpi_heap_free(ptr);
}

size_t tp_usable_size(const void *ptr)
{
	return tpi_heap_usable_size(ptr);
}
