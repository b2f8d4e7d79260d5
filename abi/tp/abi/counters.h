/* SPDX-License-Identifier: MIT */
/*
 * What a program's libtp counts: one struct tp_counters a registry entry, in the area TP_AREA_COUNTERS. Read from outside, also after
 * the program's death, until its registry entry is given to another.
 *
 * `id` says whose counts these are. Who is given an entry clears what it finds there when it attaches; until then the id differs from
 * the registry's, and all counts are to be read as 0. So a program that never uses libtp costs no page.
 *
 * Depth of channels and blocks and bytes of the heap are not counted: they are read where they are (chan.h, heap.h).
 */
#ifndef TP_ABI_COUNTERS_H
#define TP_ABI_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "tp/abi/segment.h"

#define TP_COUNTERS_STRIDE	UINT64_C(4096)

/* Appended to, never reordered. */
enum tp_counter {
	TP_COUNTER_PUBLISHED,		/* names published, replaced and taken over */
	TP_COUNTER_TAKEOVERS,		/* of them: names whose owner had died */
	TP_COUNTER_WAITS,		/* times that a thread went to sleep, for whatever reason */
	TP_COUNTER_BACKPRESSURE,	/* sends that found their lane full */
	TP_COUNTER_REDELIVERED,		/* messages that this consumer was given a second time */
	TP_COUNTER_OWNER_DIED,		/* locks and channels whose other side was found dead */
	TP_COUNTER_ADOPTED_SLABS,	/* slabs and spans taken over from dead programs */
	TP_COUNTERS = 32
};

/* The kinds of call that errors are told apart by. Appended to, never reordered. */
enum tp_call {
	TP_CALL_PUBLISH,
	TP_CALL_LOOKUP,		/* and wait */
	TP_CALL_ALLOCATE,
	TP_CALL_FREE,
	TP_CALL_CHANNEL,	/* create, open */
	TP_CALL_SEND,
	TP_CALL_RECEIVE,	/* and acknowledge */
	TP_CALL_LOCK,		/* mutex and rwlock */
	TP_CALL_WAIT,		/* condition, semaphore, barrier */
	TP_CALL_ATTACH,
	TP_CALL_WATCH,
	TP_CALLS = 24
};

/* Of one kind of call. Times are of CLOCK_BOOTTIME, in ns, as the registry's. */
struct tp_error_count {
	uint64_t count;
	int64_t first_ns;
	int64_t last_ns;
	int32_t first_error;	/* negative errno */
	int32_t last_error;
};

struct tp_counters {
	uint64_t id;		/* stored last, after clearing */
	uint64_t reserved0[7];
	uint64_t count[TP_COUNTERS];
	struct tp_error_count errors[TP_CALLS];
	uint8_t reserved[3008];
};

_Static_assert(sizeof(struct tp_error_count) == 32, "errors are frozen");
_Static_assert(sizeof(struct tp_counters) == TP_COUNTERS_STRIDE, "one stride");
_Static_assert(offsetof(struct tp_counters, count) == 64, "counts are frozen");
_Static_assert(offsetof(struct tp_counters, errors) == 320, "errors come behind 32 counts");
_Static_assert(TP_REGISTRY_MAX * TP_COUNTERS_STRIDE <= TP_AREA_NAMES_OFF - TP_AREA_COUNTERS_OFF, "the area has room");

#endif
