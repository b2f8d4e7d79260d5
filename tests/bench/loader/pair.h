/* SPDX-License-Identifier: MIT */
/*
 * The same program inside a group and outside, slice against slice. A neighbour on the machine that
 * comes and goes then hits both sides of a pair or spoils one pair of many, and the median of the
 * pairs' ratios does not see it. The programs are started anew a few times, since the place where
 * memory happens to lie has a say, too.
 */
#ifndef TP_BENCH_PAIR_H
#define TP_BENCH_PAIR_H

#include "group.h"

struct bench_pair {
	const char *const *argv;
	int instances; /* that work at once; 0: one */
	int starts;    /* 0: 5 */
	int slices;    /* pairs a start; 0: 40 */
};

struct bench_pair_result {
	double wall, cpu;             /* medians of inside / outside */
	double low, high;             /* quartiles of wall */
	double inside_ns, outside_ns; /* medians of wall time per operation */
};

/* bench_pair_run - without a group, each start is in a new one that holds nothing else */
struct bench_pair_result bench_pair_run(struct bench_group *group, const struct bench_pair *pair);

#endif
