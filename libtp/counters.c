/* SPDX-License-Identifier: MIT */
/*
 * See abi/tp/abi/counters.h. Counts are relaxed adds, of which a reader sees any recent value. A program killed in between has counted
 * or has not: at worst the number of an error is one ahead of its times.
 */
#include <string.h>
#include <time.h>

#include "counters.h"

static int64_t boot_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * TP_SECOND + t.tv_nsec;
}

int tpi_count_error(enum tp_call call, int error)
{
	struct tp_error_count *e = &tpi_counters()->errors[call];
	int64_t now = boot_time(), never = 0;

	if (__atomic_compare_exchange_n(&e->first_ns, &never, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		__atomic_store_n(&e->first_error, error, __ATOMIC_RELAXED);
	__atomic_store_n(&e->last_error, error, __ATOMIC_RELAXED);
	__atomic_store_n(&e->last_ns, now, __ATOMIC_RELAXED);
	__atomic_fetch_add(&e->count, 1, __ATOMIC_RELAXED);
	return error;
}

/* Readers take nothing that stands beside another id; partner: the acquire load of `id` in tprun counters. */
void tpi_counters_begin(struct tp_segment *segment)
{
	struct tp_counters *c = (struct tp_counters *)((char *)segment + segment->areas[TP_AREA_COUNTERS].off) + tpi_self.index;
	uint64_t id = __atomic_load_n(&c->id, __ATOMIC_RELAXED);

	if (id == tpi_self.id)
		return;
	if (id) {
		__atomic_store_n(&c->id, 0, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		memset((char *)c + sizeof(c->id), 0, sizeof(*c) - sizeof(c->id));
	}
	__atomic_store_n(&c->id, tpi_self.id, __ATOMIC_RELEASE);
}
