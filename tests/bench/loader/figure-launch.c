/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <unistd.h>

#include "crowd.h"
#include "processes.h"
#include "say.h"
#include "start-exit.h"

#define WARM_UP 20

/* Who spends what: the supervisor and the host work for every launch, beside the program itself. */
struct shares {
	double supervisor, host, self;
};

static struct shares now(const struct tp_wire_info *info)
{
	return (struct shares){
		.supervisor = bench_process_cpu_us(info->supervisor_pid),
		.host = bench_process_cpu_us(info->host_pid),
		.self = bench_process_cpu_us(getpid()),
	};
}

static void measure(struct bench_group *g, const char *name, int pairs, double must)
{
	struct tp_wire_info info = bench_group_info(g);
	struct shares before, after;
	struct bench_start_exit r;

	bench_start_exit_pairs(g, WARM_UP);
	before = now(&info);
	r = bench_start_exit_pairs(g, pairs);
	after = now(&info);
	bench_row(&(struct bench_figure){ name, r.ratio, "x", BENCH_AT_MOST, must },
		"%.0f us / %.0f us, quartiles %.2f-%.2f, %d pairs; CPU of a launch: supervisor %.0f us, "
		"host %.0f us", r.inside, r.outside, r.low, r.high, pairs,
		(after.supervisor - before.supervisor) / pairs, (after.host - before.host) / pairs);
}

void bench_figure_launch(const struct tp_caller *caller)
{
	struct bench_group group;
	struct bench_crowd crowd;

	bench_group_start(&group, caller);
	measure(&group, "start + exit of a tiny PIE in a running group / posix_spawn + wait", 1500,
		1.15);
	bench_crowd_start(&crowd, &group, 1000);
	measure(&group, "the same with 1,000 live programs", 1000, 2.2);
	bench_crowd_end(&crowd);
	bench_group_end(&group);
}
