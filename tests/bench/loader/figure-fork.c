/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include "crowd.h"
#include "pair-row.h"
#include "program.h"

/* Without a group: each time in one of its own. */
static void row(struct bench_group *g, const char *name, double must, const char *why)
{
	bench_pair_row(g,
		&(struct bench_pair_row){
			.name = name,
			.must = must,
			.why = why,
			.unit = "us",
			.unit_ns = 1e3,
		},
		&(struct bench_pair){
			.argv = (const char *[]){"bench-forks", NULL},
			.starts = 4,
			.slices = 25,
		});
}

void bench_figure_fork(void)
{
	static const char walk[] = "the kernel walks every mapping of the group, copied or not";
	struct bench_group group;
	struct bench_program hog;
	struct bench_crowd crowd;

	row(NULL, "fork + wait in a group / native: alone", 1.4,
		"rewritten text has page tables to copy, and glibc's fork takes the way of a "
		"program "
		"with threads (docs/figures.md)");
	bench_group_start(&group);
	bench_program_start(&hog, &group, (const char *[]){"bench-hog", "1024", NULL});
	bench_program_slice(&hog);
	row(&group, "fork + wait: beside a 1 GiB neighbour", 2, walk);
	bench_program_end(&hog);
	bench_crowd_start(&crowd, &group, 100);
	row(&group, "fork + wait: with 100 live programs", 9, walk);
	bench_crowd_end(&crowd);
	bench_group_end(&group);
}
