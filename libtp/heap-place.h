/* SPDX-License-Identifier: MIT */
/*
 * Where the heap lies and whom it asks. The engine is built twice: over the group's heap, with this file, and over the private region of
 * --shared-malloc, with malloc/heap-place.h. Included as <heap-place.h>: the build's -I decides.
 */
#ifndef TPI_HEAP_PLACE_H
#define TPI_HEAP_PLACE_H

#include "core.h"
#include "counters.h"
#include "program-name.h"
#include "syscall.h"
#include "tp/abi/heap.h"

#define TPI_HEAP_BASE	TP_HEAP_BASE
#define TPI_HEAP_NAME	"the group's heap"
#define TPI_HEAP_RAISE	"raise it with tprun run --heap SIZE"

enum { TPI_HEAP_MADV_REMOVE = 9 };

static inline int tpi_heap_ready(void)
{
	return tpi_ready();
}

static inline struct tp_heap *tpi_heap_meta(void)
{
	return tpi_area(TP_AREA_HEAP_META);
}

static inline uint64_t tpi_heap_size(void)
{
	return tpi_self.segment->areas[TP_AREA_HEAP].size;
}

/* Where this thread's part of the heap hangs; NULL: there are too many threads. */
static inline void **tpi_heap_thread(void)
{
	struct tpi_thread *t = tpi_thread();

	return t ? &t->part[TPI_PART_HEAP] : NULL;
}

static inline void tpi_heap_at_thread_end(tpi_thread_end_fn *fn)
{
	tpi_threads_at_end(TPI_PART_HEAP, fn);
}

static inline uint32_t tpi_heap_tag(void)
{
	return tpi_self.tag;
}

static inline bool tpi_heap_tag_alive(uint32_t tag)
{
	return tpi_tag_alive(tag);
}

/* The program that a tag stands for, dead or alive, while it has a registry entry; 0. */
static inline tp_id tpi_heap_holder(uint32_t tag)
{
	return tpi_tag_holder(tag);
}

/* Changes at each death. */
static inline uint32_t tpi_heap_deaths(void)
{
	return __atomic_load_n(&tpi_self.segment->deaths[0], __ATOMIC_ACQUIRE);
}

/* The group's heap is not copied by a fork, and a forked child is in no group. */
static inline void tpi_heap_check_fork(void)
{
}

static inline bool tpi_heap_is_copy(void)
{
	return false;
}

/* What people can see from outside. */
static inline void tpi_heap_count_adopted(void)
{
	tpi_count(TP_COUNTER_ADOPTED_SLABS);
}

static inline int tpi_heap_count_error(enum tp_call call, int error)
{
	return tpi_count_error(call, error);
}

/* Gives pages back to the kernel; they read as zero afterwards. 0: done. */
static inline long tpi_heap_drop(void *at, uint64_t size)
{
	return arch_syscall3(ARCH_NR_madvise, (long)at, (long)size, TPI_HEAP_MADV_REMOVE);
}

#endif
