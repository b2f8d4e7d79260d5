/* SPDX-License-Identifier: MIT */
/* Where a thread finds its part of the heap at once. */
#ifndef TPI_HEAP_NEAR_H
#define TPI_HEAP_NEAR_H

#include "heap-engine.h"

/*
 * The parts of this process's threads by a hash of the thread pointer, as distances from a part that is nobody's, so that all zero means none:
 * a forked child finds its page wiped. What is found is right if its `pointer` says so, and so races with nobody. A miss is looked up in the
 * table of threads.
 */
enum { TPI_NEAR = 256 };

struct tpi_near {
	uintptr_t first_pointer; /* the first thread has a place of its own: most programs' only one, or busiest */
	uintptr_t first_taken;
	struct tpi_heap *first;
	intptr_t part[TPI_NEAR];
	char pad[4096 - (TPI_NEAR + 3) * sizeof(intptr_t)];
	struct tpi_heap nobody;
};

extern struct tpi_near tpi_near TPI_HIDDEN;

static inline uint32_t tpi_near_hash(uintptr_t pointer)
{
	/* Threads' stacks are pages apart, and of whatever size. */
	return (uint32_t)(pointer >> 12) % TPI_NEAR;
}

/* This thread's part if it is near; else NULL, and tpi_heap_mine may have it. */
static inline struct tpi_heap *tpi_heap_near(void)
{
	uintptr_t pointer;
	struct tpi_heap *t;

	/* Only that thread sets it, and finds it by its own pointer. */
	if (tpi_likely(arch_is_thread_pointer(tpi_get(tpi_near.first_pointer)))) {
		t = tpi_near.first;
		if (!t)
			__builtin_unreachable();
		return t;
	}
	pointer = arch_thread_pointer();
	t = (struct tpi_heap *)((char *)&tpi_near.nobody + tpi_get(tpi_near.part[tpi_near_hash(pointer)]));
	return tpi_likely(tpi_get(t->pointer) == pointer) ? t : NULL;
}

static inline struct tpi_heap *tpi_heap_mine(void)
{
	struct tpi_heap *t = tpi_heap_near();

	return tpi_likely(t != NULL) ? t : tpi_heap_far();
}

/* heap-near.c: the calling thread's part is t from now on; it has none any more. */
void tpi_near_put(struct tpi_heap *t) TPI_HIDDEN;
void tpi_near_leave(void) TPI_HIDDEN;
/* No thread has one; a forked child finds it so. */
void tpi_near_forget(void) TPI_HIDDEN;
void tpi_near_wipe_on_fork(void) TPI_HIDDEN;

#endif
