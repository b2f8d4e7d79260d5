/* SPDX-License-Identifier: MIT */
#include "pair-row.h"

#include "say.h"

#define NOISY 1.4 /* upper quartile / lower quartile of the pairs' ratios */

void bench_pair_row(
	struct bench_group *group, const struct bench_pair_row *row, const struct bench_pair *pair)
{
	struct bench_pair_result r = bench_pair_run(group, pair);
	int noisy = r.high > NOISY * r.low;
	struct bench_figure figure = {
		.name = row->name,
		.value = noisy ? r.cpu : r.wall,
		.unit = "x",
		.bound = row->must ? BENCH_AT_MOST : BENCH_MEASURED,
		.must = row->must,
		.why = row->why,
	};
	double in = r.inside_ns / row->unit_ns, out = r.outside_ns / row->unit_ns;

	if (noisy)
		bench_row(&figure,
			"the value is of CPU time; wall time is too noisy here: %.2f, %.0f %s / %.0f %s, "
			"quartiles %.2f-%.2f",
			r.wall, in, row->unit, out, row->unit, r.low, r.high);
	else
		bench_row(&figure, "%.0f %s / %.0f %s, quartiles %.2f-%.2f; CPU time %.2f", in,
			row->unit, out, row->unit, r.low, r.high, r.cpu);
}
