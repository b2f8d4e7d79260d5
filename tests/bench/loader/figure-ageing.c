/* SPDX-License-Identifier: MIT */
/*
 * 10,000 launches one after another: what is left of them, and what the last cost beside the first.
 */
#include "figures.h"

#include "processes.h"
#include "say.h"
#include "start-exit.h"

#define LAUNCHES 10000
#define SAMPLE 200	/* pairs at the beginning and at the end */

struct holdings {
	long vmas, fds, kib;
};

static struct holdings holdings(const struct tp_wire_info *info)
{
	return (struct holdings){
		.vmas = bench_process_vmas(info->host_pid),
		.fds = bench_process_fds(info->host_pid) + bench_process_fds(info->supervisor_pid),
		.kib = bench_process_resident_kib(info->host_pid) +
			bench_process_resident_kib(info->supervisor_pid),
	};
}

static void row(const char *name, long before, long after, const char *unit, double must)
{
	bench_row(&(struct bench_figure){ name, (double)(after - before), unit, BENCH_AT_MOST, must },
		"%ld after %d launches, %ld after %d", before, SAMPLE, after, LAUNCHES);
}

void bench_figure_ageing(const struct tp_caller *caller)
{
	struct bench_group group;
	struct bench_start_exit first, last;
	struct holdings before, after;
	struct tp_wire_info info;

	bench_group_start(&group, caller);
	info = bench_group_info(&group);
	first = bench_start_exit_pairs(&group, SAMPLE);
	before = holdings(&info);
	for (int i = SAMPLE; i < LAUNCHES - SAMPLE; i++)
		bench_start_exit_inside(&group);
	last = bench_start_exit_pairs(&group, SAMPLE);
	after = holdings(&info);
	bench_group_end(&group);
	bench_row(&(struct bench_figure){ "launch 10,000 / launch 10", last.ratio / first.ratio, "x",
		BENCH_AT_MOST, 1.1 }, "each taken relative to posix_spawn next to it: %.2f at first, %.2f at "
		"last", first.ratio, last.ratio);
	row("10,000 sequential launches: mappings left", before.vmas, after.vmas, "", 0);
	row("10,000 sequential launches: descriptors left, host and supervisor", before.fds, after.fds,
		"", 0);
	row("10,000 sequential launches: resident memory left, host and supervisor", before.kib,
		after.kib, "KiB", 256);
}
