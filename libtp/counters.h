/* SPDX-License-Identifier: MIT */
/*
 * Counts that people can read from outside (tprun counters). For slow paths: an add is a locked instruction on the program's own line.
 * In a group only: after tpi_ready().
 */
#ifndef TPI_COUNTERS_H
#define TPI_COUNTERS_H

#include "core.h"
#include "tp/abi/counters.h"

static inline struct tp_counters *tpi_counters(void)
{
	return (struct tp_counters *)((char *)tpi_area(TP_AREA_COUNTERS) + tpi_self.index * TP_COUNTERS_STRIDE);
}

static inline void tpi_count_add(enum tp_counter which, uint64_t n)
{
	__atomic_fetch_add(&tpi_counters()->count[which], n, __ATOMIC_RELAXED);
}

static inline void tpi_count(enum tp_counter which)
{
	tpi_count_add(which, 1);
}

/*
 * For what tells people that something is wrong: a full heap, a foreign pointer, a dead peer; not for the everyday answers (-EAGAIN,
 * -ETIMEDOUT, -ENOENT). Gives the error back: `return tpi_count_error(TP_CALL_FREE, tpi_fail(-EFAULT, …))`.
 */
int tpi_count_error(enum tp_call call, int error) TPI_HIDDEN __attribute__((cold));

/* Before this process is connected, id and index are known: what an earlier program of the registry entry has left is cleared. */
void tpi_counters_begin(struct tp_segment *segment) TPI_HIDDEN;

#endif
