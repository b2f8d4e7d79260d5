/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include "crowd.h"
#include "pair.h"
#include "program.h"
#include "say.h"

static void row(struct bench_group *g, const struct tp_caller *alone, const char *name, double must)
{
	struct bench_pair pair = {
		.alone = alone,
		.argv = (const char *[]){"bench-forks", NULL},
		.starts = 4,
		.slices = 25,
	};
	struct bench_pair_result r = bench_pair_run(g, &pair);

	bench_row(&(struct bench_figure){name, r.wall, "x", BENCH_AT_MOST, must,
			  "the kernel walks every mapping of the group, copied or not"},
		"%.0f us / %.0f us, quartiles %.2f-%.2f; CPU time %.2f", r.inside_ns / 1e3,
		r.outside_ns / 1e3, r.low, r.high, r.cpu);
}

void bench_figure_fork(const struct tp_caller *caller)
{
	struct bench_group group;
	struct bench_program hog;
	struct bench_crowd crowd;

	row(NULL, caller, "fork + wait in a group / native: alone", 1.4);
	bench_group_start(&group, caller);
	bench_program_start(&hog, &group, (const char *[]){"bench-hog", "1024", NULL});
	bench_program_slice(&hog);
	row(&group, NULL, "fork + wait: beside a 1 GiB neighbour", 2);
	bench_program_end(&hog);
	bench_crowd_start(&crowd, &group, 100);
	row(&group, NULL, "fork + wait: with 100 live programs", 9);
	bench_crowd_end(&crowd);
	bench_group_end(&group);
}
