/* SPDX-License-Identifier: MIT */
/*
 * 10,000 launches one after another: what is left of them, and what the last cost beside the first.
 */
#include "figures.h"

#include <unistd.h>

#include "processes.h"
#include "say.h"
#include "start-exit.h"

#define LAUNCHES  10000
#define SAMPLE    400  /* pairs at the beginning and at the end */
#define FILLED    2500 /* by then each of the 2,048 entries for programs, used in turn, was in use */
#define SETTLE_US 200000 /* the last one's memory is given back after its exit is known */

struct holdings {
	long vmas, fds, kib;
};

static struct holdings holdings(const struct tp_wire_info *info)
{
	usleep(SETTLE_US);
	return (struct holdings){
		.vmas = bench_process_vmas(info->host_pid),
		.fds = bench_process_fds(info->host_pid) + bench_process_fds(info->supervisor_pid),
		.kib = bench_process_resident_kib(info->host_pid) +
		       bench_process_resident_kib(info->supervisor_pid),
	};
}

static void row(const char *name, const long held[3], const char *unit, double must)
{
	bench_row(&(struct bench_figure){name, (double)(held[2] - held[1]), unit, BENCH_AT_MOST,
			  must, NULL},
		"%ld after %d launches, %ld after %d, %ld after %d", held[0], SAMPLE, held[1],
		FILLED, held[2], LAUNCHES);
}

static void launch_until(struct bench_group *g, int from, int to)
{
	for (; from < to; from++)
		bench_start_exit_inside(g);
}

static void report(const struct holdings h[3], double first, double last)
{
	bench_row(&(struct bench_figure){"launch 10,000 / launch 10", last / first, "x",
			  BENCH_AT_MOST, 1.1, NULL},
		"each taken relative to posix_spawn next to it: %.2f at first, %.2f at last", first,
		last);
	row("10,000 sequential launches: mappings left", (long[]){h[0].vmas, h[1].vmas, h[2].vmas},
		"", 0);
	row("10,000 sequential launches: descriptors left, host and supervisor",
		(long[]){h[0].fds, h[1].fds, h[2].fds}, "", 0);
	row("10,000 sequential launches: resident memory left, host and supervisor",
		(long[]){h[0].kib, h[1].kib, h[2].kib}, "KiB", 256);
}

void bench_figure_ageing(void)
{
	struct bench_group group;
	struct bench_start_exit first, last;
	struct holdings held[3];
	struct tp_wire_info info;

	bench_group_start(&group);
	info = bench_group_info(&group);
	first = bench_start_exit_pairs(&group, SAMPLE);
	held[0] = holdings(&info);
	launch_until(&group, SAMPLE, FILLED);
	held[1] = holdings(&info);
	launch_until(&group, FILLED, LAUNCHES - SAMPLE);
	last = bench_start_exit_pairs(&group, SAMPLE);
	held[2] = holdings(&info);
	bench_group_end(&group);
	report(held, first.ratio, last.ratio);
}
