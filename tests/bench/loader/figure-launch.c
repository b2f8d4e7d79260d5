/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <stdio.h>

#include "crowd.h"
#include "processes.h"
#include "say.h"
#include "spent.h"
#include "start-exit.h"

#define WARM_UP 20
#define COUNTED 300

/* A counted figure as words for the note, or none where it cannot be counted. */
static const char *counted(struct bench_group *g, enum bench_count what, const char *name,
	const char *unit, double scale)
{
	static char text[2][96];
	char *at = text[what == BENCH_INSTRUCTIONS];
	struct bench_spent s;

	*at = 0;
	if (!bench_spent_measure(g, what, COUNTED, &s))
		snprintf(at, sizeof(*text), "; %s %.2f (%.0f / %.0f %s)", name,
			s.inside / s.outside, s.inside / scale, s.outside / scale, unit);
	return at;
}

static void measure(
	struct bench_group *g, const char *name, int pairs, double must, const char *why)
{
	struct tp_wire_info info = bench_group_info(g);
	double supervisor, host;
	struct bench_start_exit r;

	bench_start_exit_pairs(g, WARM_UP);
	supervisor = bench_process_cpu_us(info.supervisor_pid);
	host = bench_process_cpu_us(info.host_pid);
	r = bench_start_exit_pairs(g, pairs);
	supervisor = bench_process_cpu_us(info.supervisor_pid) - supervisor;
	host = bench_process_cpu_us(info.host_pid) - host;
	bench_row(&(struct bench_figure){name, r.ratio, "x", BENCH_AT_MOST, must, why},
		"%.0f us / %.0f us, quartiles %.2f-%.2f, %d pairs%s%s, of which supervisor %.0f us "
		"and host %.0f us",
		r.inside, r.outside, r.low, r.high, pairs,
		counted(g, BENCH_INSTRUCTIONS, "instructions", "thousand", 1e3),
		counted(g, BENCH_CPU_NS, "CPU time", "us", 1e3), supervisor / pairs, host / pairs);
}

void bench_figure_launch(void)
{
	struct bench_group group;
	struct bench_crowd crowd;

	bench_group_start(&group);
	measure(&group, "start + exit of a tiny PIE in a running group / posix_spawn + wait", 1500,
		1.15, "two more processes work for it, each woken once or twice");
	bench_crowd_start(&crowd, &group, 1000);
	measure(&group, "the same with 1,000 live programs", 1000, 2.2,
		"at each exit the kernel's BSD accounting walks every mapping of the group");
	bench_crowd_end(&crowd);
	bench_group_end(&group);
}
