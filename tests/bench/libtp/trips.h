/* SPDX-License-Identifier: MIT */
#ifndef TP_BENCH_TRIPS_H
#define TP_BENCH_TRIPS_H

/*
 * Round trips: blocks of them for the median, single ones for the tail. C and C++; times are nanoseconds.
 */
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIPS = 20000, TRIPS_BLOCK = 100, TRIPS_ALL = 2 * TRIPS };

struct trips {
	double median, p999;
};

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void pin(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static inline int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts. */
static inline double at(double *v, size_t n, double part)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[(size_t)((double)(n - 1) * part)];
}

/* TRIPS_ALL calls of trip, numbered from 1. */
static inline __attribute__((always_inline)) struct trips measure_trips(void (*trip)(void *arg, uint32_t number), void *arg)
{
	static double block[TRIPS / TRIPS_BLOCK], one[TRIPS];
	struct trips t;
	uint32_t i = 0;

	for (int k = 0; k < TRIPS / TRIPS_BLOCK; k++) {
		double start = now();

		for (int j = 0; j < TRIPS_BLOCK; j++)
			trip(arg, ++i);
		block[k] = (now() - start) / TRIPS_BLOCK;
	}
	for (int k = 0; k < TRIPS; k++) {
		double start = now();

		trip(arg, ++i);
		one[k] = now() - start;
	}
	t.median = at(block, TRIPS / TRIPS_BLOCK, 0.5);
	t.p999 = at(one, TRIPS, 0.999);
	return t;
}

/* A line as the suite reads it: medians of rounds. */
static inline void print_trips(const char *name, double *medians, double *tails, int rounds)
{
	double median = at(medians, (size_t)rounds, 0.5);

	printf("%s %.2f ns p99.9 %.0f\n", name, median, at(tails, (size_t)rounds, 0.5));
}

#endif
