/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include "crowd.h"
#include "pair.h"
#include "say.h"

#define CROWD 1000
#define BUSY  20

static void measure_crowd(struct bench_group *g)
{
	unsigned before = bench_group_info(g).vmas;
	struct bench_crowd crowd;
	struct tp_wire_info info;

	bench_crowd_start(&crowd, g, CROWD);
	info = bench_group_info(g);
	bench_row(&(struct bench_figure){"small programs alive at once", info.programs - 1.0, "",
			  BENCH_AT_LEAST, CROWD, NULL},
		"%s", *crowd.refusal ? crowd.refusal : "sleepers, and room for more");
	if (crowd.n)
		bench_row(&(struct bench_figure){"mappings of each",
				  (info.vmas - before) / (double)crowd.n, "", BENCH_AT_MOST, 30,
				  NULL},
			"%u in the group, vm.max_map_count is %u", info.vmas, info.max_map_count);
	bench_crowd_end(&crowd);
}

static void measure_busy(struct bench_group *g)
{
	struct bench_pair pair = {
		.argv = (const char *[]){"bench-busy", NULL},
		.instances = BUSY,
		.starts = 3,
		.slices = 15,
	};
	struct bench_pair_result r = bench_pair_run(g, &pair);

	bench_row(&(struct bench_figure){"20 busy programs: throughput inside / outside",
			  1 / r.wall, "x", BENCH_AT_LEAST, 0.95, NULL},
		"quartiles %.2f-%.2f; CPU time %.2f", 1 / r.high, 1 / r.low, r.cpu);
}

void bench_figure_alive(void)
{
	struct bench_group group;

	bench_group_start(&group);
	measure_crowd(&group);
	measure_busy(&group);
	bench_group_end(&group);
}
