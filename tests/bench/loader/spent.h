/* SPDX-License-Identifier: MIT */
#ifndef TP_BENCH_SPENT_H
#define TP_BENCH_SPENT_H

#include "counters.h"
#include "group.h"

/* What starting and ending a program costs everybody who works for it, on both sides. */
struct bench_spent {
	double inside, outside; /* a launch */
};

/*
 * bench_spent_measure - start and end bench-tiny so many times inside, then so many times outside.
 * Returns 0, or negative errno where this machine does not count it.
 */
int bench_spent_measure(struct bench_group *group, enum bench_count what, int launches,
	struct bench_spent *ret_spent);

#endif
