/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <unistd.h>

#include "program.h"
#include "say.h"
#include "stats.h"

#define INSTANCES_MAX 64

struct side {
	struct bench_program programs[INSTANCES_MAX];
	int n;
};

struct sums {
	double wall, cpu, ops;
};

static void start_side(struct side *side, struct bench_group *group, const struct bench_pair *pair)
{
	side->n = pair->instances ? pair->instances : 1;
	if (side->n > INSTANCES_MAX)
		bench_die("too many instances");
	for (int i = 0; i < side->n; i++)
		bench_program_start(&side->programs[i], group, pair->argv);
}

static void end_side(struct side *side)
{
	for (int i = 0; i < side->n; i++)
		bench_program_end(&side->programs[i]);
}

static void start_inside(struct side *side, struct bench_group *group, struct bench_group *own,
	const struct bench_pair *pair)
{
	struct bench_program *p = &side->programs[0];

	if (group) {
		start_side(side, group, pair);
		return;
	}
	side->n = 1;
	bench_group_start_with(own, pair->argv, &p->answer);
	p->ask = own->hold;
}

static void end_inside(struct side *side, struct bench_group *group, struct bench_group *own)
{
	if (group) {
		end_side(side);
		return;
	}
	bench_group_end(own);
	close(side->programs[0].answer);
}

/* One program's time is its own; that of several at once is ours, until the last has answered. */
static struct sums slice_side(struct side *side)
{
	struct sums sums = {.wall = 0};
	double start = (double)work_now();

	for (int i = 0; i < side->n; i++)
		bench_program_ask(&side->programs[i]);
	for (int i = 0; i < side->n; i++) {
		struct work_report r = bench_program_get(&side->programs[i]);

		sums.wall += (double)r.wall_ns;
		sums.cpu += (double)r.cpu_ns;
		sums.ops += (double)r.ops;
	}
	if (side->n > 1)
		sums.wall = (double)work_now() - start;
	return sums;
}

struct all_series {
	struct bench_series wall, cpu, inside, outside;
};

static void slice_pair(struct all_series *s, struct side *inside, struct side *outside, int first)
{
	struct sums in, out;

	if (first)
		in = slice_side(inside);
	out = slice_side(outside);
	if (!first)
		in = slice_side(inside);
	bench_series_add(&s->wall, in.wall / out.wall);
	bench_series_add(&s->cpu, in.cpu / out.cpu);
	bench_series_add(&s->inside, in.wall / in.ops);
	bench_series_add(&s->outside, out.wall / out.ops);
}

static void run_start(
	struct all_series *s, struct bench_group *group, const struct bench_pair *pair)
{
	int slices = pair->slices ? pair->slices : 40;
	struct side inside, outside;
	struct bench_group own;

	start_inside(&inside, group, &own, pair);
	start_side(&outside, NULL, pair);
	for (int i = 0; i < 2; i++) { /* warm up */
		slice_side(&inside);
		slice_side(&outside);
	}
	for (int i = 0; i < slices; i++)
		slice_pair(s, &inside, &outside, i & 1);
	end_inside(&inside, group, &own);
	end_side(&outside);
}

struct bench_pair_result bench_pair_run(struct bench_group *group, const struct bench_pair *pair)
{
	struct all_series s = {.wall = {.values = NULL}};
	struct bench_pair_result result;

	for (int i = 0; i < (pair->starts ? pair->starts : 5); i++)
		run_start(&s, group, pair);
	result = (struct bench_pair_result){
		.wall = bench_series_median(&s.wall),
		.cpu = bench_series_median(&s.cpu),
		.low = bench_series_at(&s.wall, 0.25),
		.high = bench_series_at(&s.wall, 0.75),
		.inside_ns = bench_series_median(&s.inside),
		.outside_ns = bench_series_median(&s.outside),
	};
	bench_series_fini(&s.wall);
	bench_series_fini(&s.cpu);
	bench_series_fini(&s.inside);
	bench_series_fini(&s.outside);
	return result;
}
