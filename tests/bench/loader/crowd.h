/* SPDX-License-Identifier: MIT */
#ifndef TP_BENCH_CROWD_H
#define TP_BENCH_CROWD_H

#include "group.h"

/* Many sleeping programs in one group. */
struct bench_crowd {
	struct bench_group *group;
	uint32_t *seqs;
	size_t n;          /* that are alive */
	int hold;          /* closing it ends them */
	char refusal[512]; /* why there are no more; empty if there are as many as wanted */
};

void bench_crowd_start(struct bench_crowd *ret_crowd, struct bench_group *group, size_t n);
void bench_crowd_end(struct bench_crowd *crowd);

#endif
