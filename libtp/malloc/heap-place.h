/* SPDX-License-Identifier: MIT */
/*
 * The heap's engine as libtp-malloc.so: over the private region of --shared-malloc. The partner of ../heap-place.h, which see; here the
 * first gigabyte of the region is the metadata.
 */
#ifndef TPI_HEAP_PLACE_H
#define TPI_HEAP_PLACE_H

#include "core.h"
#include "tp/abi/counters.h"
#include "region.h"
#include "program-name.h"
#include "syscall.h"
#include "tp/abi/heap.h"

#define TPI_REGION_META	UINT64_C(0x40000000)
#define TPI_HEAP_BASE	(TP_PRIVATE_HEAP_BASE + TPI_REGION_META)
#define TPI_HEAP_NAME	"the memory of --shared-malloc"
#define TPI_HEAP_RAISE	"raise ulimit -v, or free some"

_Static_assert(TP_PRIVATE_HEAP_MAX / TP_HEAP_UNIT * TP_HEAP_META_PER_UNIT <= TPI_REGION_META, "metadata for all of the region");

enum { TPI_HEAP_MADV_DONTNEED = 4 };

static inline int tpi_heap_ready(void)
{
	return tpi_ready();
}

static inline struct tp_heap *tpi_heap_meta(void)
{
	return (struct tp_heap *)TP_PRIVATE_HEAP_BASE;
}

static inline uint64_t tpi_heap_size(void)
{
	return tpi_region.size - TPI_REGION_META;
}

static inline void **tpi_heap_thread(void)
{
	struct tpi_thread *t = tpi_thread();

	if (!t)
		return NULL;
	t->part[TPI_PART_ENDED] = t;
	return &t->part[TPI_PART_HEAP];
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

static inline tp_id tpi_heap_holder(uint32_t tag)
{
	return tpi_region.mode == TPI_REGION_GROUP ? tpi_tag_holder(tag) : 0;
}

/* In a forked child nobody is ever dead. */
static inline uint32_t tpi_heap_deaths(void)
{
	return tpi_region.forked ? 0 : __atomic_load_n(&tpi_self.segment->deaths[0], __ATOMIC_ACQUIRE);
}

/* Before anything that others wrote is believed: has there been a fork? */
static inline void tpi_heap_check_fork(void)
{
	if (tpi_unlikely(!tpi_region_mark.here) && tpi_self.segment)
		tpi_region_forked();
}

static inline bool tpi_heap_is_copy(void)
{
	return tpi_region.forked != 0;
}

/* The group's counters are not for this region. */
static inline void tpi_heap_count_adopted(void)
{
}

static inline int tpi_heap_count_error(enum tp_call call, int error)
{
	(void)call;
	return error;
}

static inline long tpi_heap_drop(void *at, uint64_t size)
{
	return arch_syscall3(ARCH_NR_madvise, (long)at, (long)size, TPI_HEAP_MADV_DONTNEED);
}

#endif
