/* SPDX-License-Identifier: MIT */
/*
 * What a few processes, and everything they start from now on, have spent: a measure that a busy
 * neighbour on the machine does not spoil as it spoils wall time. By perf_event_open(2).
 */
#ifndef TP_BENCH_COUNTERS_H
#define TP_BENCH_COUNTERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum bench_count {
	BENCH_CPU_NS,       /* user and system time */
	BENCH_INSTRUCTIONS, /* few virtual machines have it */
};

#define BENCH_COUNTER_PIDS 2

struct bench_counter {
	int fds[BENCH_COUNTER_PIDS];
	size_t n;
};

/* bench_counter_open - start counting; children count if they are started later.
 * Returns 0, or negative errno where this cannot be counted. */
int bench_counter_open(
	struct bench_counter *ret_counter, enum bench_count what, const pid_t *pids, size_t n);
void bench_counter_close(struct bench_counter *counter);

double bench_counter_read(const struct bench_counter *counter);

#endif
