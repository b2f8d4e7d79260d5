/* SPDX-License-Identifier: MIT */
#ifndef TP_BENCH_PAIR_ROW_H
#define TP_BENCH_PAIR_ROW_H

#include "pair.h"

struct bench_pair_row {
	const char *name;
	double must;     /* at most; 0: measured only */
	const char *why; /* as in struct bench_figure */
	const char *unit;
	double unit_ns; /* of the times in the note */
};

/* bench_pair_row - run the pair and print its row. The figure is the ratio of wall times, or, where
 * they are too far apart to mean anything, of CPU times; the note says which. */
void bench_pair_row(
	struct bench_group *group, const struct bench_pair_row *row, const struct bench_pair *pair);

#endif
