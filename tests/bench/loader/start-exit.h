/* SPDX-License-Identifier: MIT */
#ifndef TP_BENCH_START_EXIT_H
#define TP_BENCH_START_EXIT_H

#include "group.h"

/* Start and exit of bench-tiny, in microseconds of wall time: in the group, and as an ordinary
 * child. */
double bench_start_exit_inside(struct bench_group *group);
double bench_start_exit_outside(void);

struct bench_start_exit {
	double ratio;           /* median of the pairs' ratios */
	double low, high;       /* its quartiles */
	double inside, outside; /* medians, microseconds */
};

struct bench_start_exit bench_start_exit_pairs(struct bench_group *group, int pairs);

#endif
