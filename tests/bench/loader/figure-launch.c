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

/* What is measured, and what it came to. */
struct launches {
	const char *name;
	int pairs;
	double must;
	const char *why;
	double cpu_ns; /* a launch, everybody's; 0: not counted */
};

/* A counted figure as words for the note, or none where it cannot be counted. Returns what was spent inside. */
static double counted(struct bench_group *g, enum bench_count what, const char *name, const char *unit, char words[96])
{
	struct bench_spent s;

	*words = '\0';
	if (bench_spent_measure(g, what, COUNTED, &s))
		return 0;
	snprintf(words, 96, "; %s %.2f (%.0f / %.0f %s)", name, s.inside / s.outside, s.inside / 1e3, s.outside / 1e3, unit);
	return s.inside;
}

/* What each mapping of the others adds, since it is they that the kernel walks. */
static void a_mapping(const struct launches *alone, const struct launches *l, uint32_t vmas, char words[64])
{
	*words = '\0';
	if (alone && alone->cpu_ns > 0 && l->cpu_ns > 0)
		snprintf(words, 64, "; %.0f ns more for each of %u mappings", (l->cpu_ns - alone->cpu_ns) / vmas, vmas);
}

static void measure(struct bench_group *g, struct launches *l, const struct launches *alone)
{
	struct tp_wire_info info = bench_group_info(g);
	char instructions[96], cpu[96], mapping[64];
	double supervisor, host;
	struct bench_start_exit r;

	bench_start_exit_pairs(g, WARM_UP);
	supervisor = bench_process_cpu_us(info.supervisor_pid);
	host = bench_process_cpu_us(info.host_pid);
	r = bench_start_exit_pairs(g, l->pairs);
	supervisor = bench_process_cpu_us(info.supervisor_pid) - supervisor;
	host = bench_process_cpu_us(info.host_pid) - host;
	counted(g, BENCH_INSTRUCTIONS, "instructions", "thousand", instructions);
	l->cpu_ns = counted(g, BENCH_CPU_NS, "CPU time", "us", cpu);
	a_mapping(alone, l, info.vmas, mapping);
	bench_row(&(struct bench_figure){l->name, r.ratio, "x", BENCH_AT_MOST, l->must, l->why},
		"%.0f us / %.0f us, quartiles %.2f-%.2f, %d pairs%s%s, of which supervisor %.0f us and host %.0f us%s", r.inside, r.outside,
		r.low, r.high, l->pairs, instructions, cpu, supervisor / l->pairs, host / l->pairs, mapping);
}

void bench_figure_launch(void)
{
	struct launches alone = {
		.name = "start + exit of a tiny PIE in a running group / posix_spawn + wait",
		.pairs = 1500,
		.must = 1.15,
		.why = "two more processes work for it, each woken once or twice",
	}, crowded = {
		.name = "the same with 1,000 live programs",
		.pairs = 1000,
		.must = 2.2,
		.why = "at each exit the kernel's BSD accounting walks every mapping of the group",
	};
	struct bench_group group;
	struct bench_crowd crowd;

	bench_group_start(&group);
	measure(&group, &alone, NULL);
	bench_crowd_start(&crowd, &group, 1000);
	measure(&group, &crowded, &alone);
	bench_crowd_end(&crowd);
	bench_group_end(&group);
}
