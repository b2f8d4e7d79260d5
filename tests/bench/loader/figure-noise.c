/* SPDX-License-Identifier: MIT */
/*
 * How often a program that only computes, on a processor of its own, is interrupted by what its
 * neighbour on another processor does: in one group, and as separate processes. Slices alternate;
 * so do the two sides.
 */
#include "figures.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "say.h"
#include "start-exit.h"
#include "stats.h"

#define ROUNDS        12
#define SPIN_MS       "200" /* within the neighbour's 250 */
#define SPIN_CPU      "1"
#define NEIGHBOUR_CPU "0"
#define EXITS_NS      250000000.0

struct side {
	struct bench_group *group;
	struct bench_program spin, neighbour;
	struct bench_series gaps, rate; /* a second */
};

static void note_gaps(struct side *s)
{
	struct work_report r = bench_program_get(&s->spin);

	bench_series_add(&s->gaps, (double)r.ops * 1e9 / (double)r.wall_ns);
}

static void with_neighbour(struct side *s)
{
	struct work_report r;

	bench_program_ask(&s->neighbour);
	bench_program_ask(&s->spin);
	note_gaps(s);
	r = bench_program_get(&s->neighbour);
	bench_series_add(&s->rate, (double)r.ops * 1e9 / (double)r.wall_ns);
}

/* Here the neighbours are many: each starts, and exits. They and whoever starts them stay on their
 * own processor: what is to be seen is not who takes a turn on the other. */
static void with_exits(struct side *s)
{
	double start = (double)work_now(), n = 0;

	bench_program_ask(&s->spin);
	for (; (double)work_now() - start < EXITS_NS; n++) {
		if (s->group)
			bench_start_exit_inside(s->group);
		else
			bench_start_exit_outside();
	}
	note_gaps(s);
	bench_series_add(&s->rate, n * 1e9 / ((double)work_now() - start));
}

static void pin_starters(struct bench_group *g, const cpu_set_t *set)
{
	struct tp_wire_info info = bench_group_info(g);

	if (sched_setaffinity(0, sizeof(*set), set) ||
		sched_setaffinity(info.supervisor_pid, sizeof(*set), set) ||
		sched_setaffinity(info.host_pid, sizeof(*set), set))
		bench_die("no processor to be had: %s", strerror(errno));
}

static void alone(struct side *s)
{
	bench_program_ask(&s->spin);
	note_gaps(s);
	bench_series_add(&s->rate, 0);
}

static void start_spin(struct side *s, struct bench_group *group)
{
	*s = (struct side){.group = group};
	bench_program_start(
		&s->spin, group, (const char *[]){"bench-spin", SPIN_CPU, SPIN_MS, NULL});
}

static void start_neighbour(struct side *s, const char *kind)
{
	bench_program_start(&s->neighbour, s->group,
		(const char *[]){"bench-disturb", kind, NEIGHBOUR_CPU, NULL});
}

static void report(const char *name, struct side *in, struct side *out)
{
	double inside = bench_series_median(&in->gaps), outside = bench_series_median(&out->gaps);

	bench_row(&(struct bench_figure){name, inside, "a second", BENCH_MEASURED, 0, NULL},
		"%.0f as separate processes; the neighbour does it %.0f / %.0f times a second",
		outside, bench_series_median(&in->rate), bench_series_median(&out->rate));
}

static void measure(
	struct bench_group *g, const char *name, const char *kind, void (*slice)(struct side *))
{
	struct side in, out;

	start_spin(&in, g);
	start_spin(&out, NULL);
	if (kind)
		start_neighbour(&in, kind);
	if (kind)
		start_neighbour(&out, kind);
	for (int i = 0; i < ROUNDS; i++) {
		slice(&in);
		slice(&out);
	}
	if (kind)
		bench_program_end(&in.neighbour);
	if (kind)
		bench_program_end(&out.neighbour);
	bench_program_end(&in.spin);
	bench_program_end(&out.spin);
	report(name, &in, &out);
	bench_series_fini(&in.gaps);
	bench_series_fini(&in.rate);
	bench_series_fini(&out.gaps);
	bench_series_fini(&out.rate);
}

static void measure_exits(struct bench_group *g)
{
	cpu_set_t before, one;

	if (sched_getaffinity(0, sizeof(before), &before))
		bench_die("no processors to be seen: %s", strerror(errno));
	CPU_ZERO(&one);
	CPU_SET(atoi(NEIGHBOUR_CPU), &one);
	pin_starters(g, &one);
	measure(g, "interruptions: neighbours start and exit", NULL, with_exits);
	pin_starters(g, &before);
}

void bench_figure_noise(void)
{
	struct bench_group group;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		bench_row_missing(
			"interruptions > 5 us of a spinning program", "it needs two processors");
		return;
	}
	bench_group_start(&group);
	measure(&group, "interruptions > 5 us of a spinning program in a group: no neighbour", NULL,
		alone);
	measure(&group, "interruptions: a neighbour maps and unmaps 64 KiB", "remap",
		with_neighbour);
	measure(&group, "interruptions: a neighbour forks", "fork", with_neighbour);
	measure_exits(&group);
	bench_group_end(&group);
}
