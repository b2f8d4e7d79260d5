/* SPDX-License-Identifier: MIT */
#ifndef TP_BENCH_STATS_H
#define TP_BENCH_STATS_H

#include <stddef.h>

/* The values in the order they were measured. */
struct bench_series {
	double *values;
	size_t n, room;
};

void bench_series_add(struct bench_series *series, double value);
void bench_series_fini(struct bench_series *series);

/* bench_series_at - the value that this share of the others is not above; 0 of an empty series. The
 * order of the series is lost. */
double bench_series_at(struct bench_series *series, double share);
double bench_series_median(struct bench_series *series);

#endif
