/* SPDX-License-Identifier: MIT */
/*
 * Page faults of a program whose neighbour holds 1 GiB, forks, exits, and has its memory taken back
 * meanwhile.
 */
#include "figures.h"

#include <unistd.h>

#include "program.h"
#include "say.h"
#include "stats.h"

#define ROUNDS   6
#define SLICE_MS "600"
#define FORKS    "3"

struct side {
	struct bench_group *group;
	struct bench_series p50, p99, longest; /* microseconds */
};

static void round_of(struct side *s)
{
	struct bench_program hog, bystander;
	struct work_report r;

	bench_program_start(
		&hog, s->group, (const char *[]){"bench-hog", "1024", FORKS, "0", NULL});
	bench_program_start(
		&bystander, s->group, (const char *[]){"bench-bystander", "1", SLICE_MS, NULL});
	bench_program_slice(&hog); /* fill */
	bench_program_ask(&bystander);
	bench_program_slice(&hog); /* fork */
	bench_program_end(&hog);
	r = bench_program_get(&bystander);
	bench_program_end(&bystander);
	bench_series_add(&s->p50, (double)r.extra[0] / 1e3);
	bench_series_add(&s->p99, (double)r.extra[1] / 1e3);
	bench_series_add(&s->longest, (double)r.extra[2] / 1e3);
}

static void row(const char *name, struct bench_series *in, struct bench_series *out)
{
	double inside = bench_series_median(in), outside = bench_series_median(out);

	bench_row(&(struct bench_figure){name, inside, "us", BENCH_MEASURED, 0, NULL},
		"%.*f us as separate processes; medians of %d rounds", outside < 100 ? 2 : 0,
		outside, ROUNDS);
	bench_series_fini(in);
	bench_series_fini(out);
}

void bench_figure_bystander(void)
{
	struct bench_group group;
	struct side in = {.group = &group}, out = {.group = NULL};

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		bench_row_missing("page fault beside a 1 GiB neighbour", "it needs two processors");
		return;
	}
	bench_group_start(&group);
	for (int i = 0; i < ROUNDS; i++) {
		round_of(&in);
		round_of(&out);
	}
	bench_group_end(&group);
	row("page fault while a 1 GiB neighbour forks, exits, is reclaimed: median", &in.p50,
		&out.p50);
	row("page fault beside it: 99th percentile", &in.p99, &out.p99);
	row("page fault beside it: longest", &in.longest, &out.longest);
}
