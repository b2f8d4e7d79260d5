/* SPDX-License-Identifier: MIT */
/* Allocating, in all forms. */
#include <errno.h>
#include <string.h>

#include "heap-near.h"
#include "heap-span.h"

static struct tpi_heap *heap_or_why(int *ret_error)
{
	struct tpi_heap *t;
	int r = tpi_heap_ready();

	if (r) {
		*ret_error = r;
		return NULL;
	}
	t = tpi_heap_mine();
	if (!t)
		*ret_error = tpi_fail(-EAGAIN, "this program has more threads than can allocate in " TPI_HEAP_NAME);
	return t;
}

/* The smallest class whose blocks hold size and, since slabs start aligned, all start at a multiple of align. */
static uint32_t class_for(size_t size, size_t align)
{
	uint32_t c;

	if (size > TPI_CLASS_MAX || align > TP_HEAP_UNIT)
		return TPI_CLASSES;
	for (c = tpi_class_of(size); c < TPI_CLASSES && tpi_class[c].size % align; c++)
		;
	return c;
}

static int alloc(struct tpi_heap *t, size_t size, size_t align, void **ret_ptr, bool *ret_zero)
{
	uint32_t c = align <= 16 && size <= TPI_CLASS_MAX ? tpi_class_of(size) : class_for(size, align);
	void *p;
	int r;

	*ret_zero = false;
	if (c == TPI_CLASSES) {
		r = tpi_span_alloc(t, size, align, ret_ptr, ret_zero);
		return r ? tpi_heap_full(size, align) : 0;
	}
	p = tpi_slab_alloc(t, c);
	if (!p)
		return tpi_heap_full(size, align);
	*ret_ptr = p;
	return 0;
}

static int check(size_t size, size_t align)
{
	if (align & (align - 1))
		return tpi_fail(-EINVAL, "an alignment of %u is no power of two", (uint64_t)align);
	if (size > PTRDIFF_MAX)
		return tpi_fail(-EINVAL, "no block can have %u bytes", (uint64_t)size);
	return 0;
}

int tpi_heap_alloc(size_t size, size_t align, void **ret_ptr)
{
	struct tpi_heap *t;
	bool zero;
	int r;

	t = heap_or_why(&r);
	if (!t)
		return r;
	r = check(size, align);
	return r ? r : alloc(t, size, align ? align : 1, ret_ptr, &zero);
}

int tpi_heap_alloc_zero(size_t size, void **ret_ptr)
{
	struct tpi_heap *t;
	bool zero;
	int r;

	t = heap_or_why(&r);
	if (!t)
		return r;
	r = check(size, 1);
	if (!r)
		r = alloc(t, size, 1, ret_ptr, &zero);
	if (!r && !zero)
		memset(*ret_ptr, 0, size);
	return r;
}

/* Worth keeping where it is: it fits, and at least half of it is used. */
static bool stays(size_t usable, size_t size)
{
	return size <= usable && (size >= usable / 2 || usable <= 64);
}

/*
 * A large block that becomes smaller and stays large gives back its end, and its place is the same. Not in a forked child, where what
 * another wrote about it may be half there.
 */
static bool shrinks(void *ptr, size_t usable, size_t size)
{
	struct tpi_heap *t;

	if (usable <= TPI_CLASS_MAX || size <= TPI_CLASS_MAX || size > usable)
		return false;
	t = tpi_heap_mine();
	if (!t || t->copy)
		return false;
	tpi_span_shrink(t, ptr, size);
	return true;
}

int tpi_heap_realloc(void *ptr, size_t size, void **ret_ptr)
{
	size_t usable;
	void *p;
	int r;

	if (!ptr)
		return tpi_heap_alloc(size, 1, ret_ptr);
	r = tpi_heap_ready();
	if (r)
		return r;
	usable = tpi_heap_usable_size(ptr);
	if (!usable)
		return tpi_heap_blame(ptr, "realloc");
	if (stays(usable, size) || shrinks(ptr, usable, size)) {
		*ret_ptr = ptr;
		return 0;
	}
	r = tpi_heap_alloc(size, 1, &p);
	if (r)
		return r;
	memcpy(p, ptr, size < usable ? size : usable);
	r = tpi_heap_free(ptr);
	if (r) {
		tpi_heap_free(p);
		return r;
	}
	*ret_ptr = p;
	return 0;
}
