/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include "pair.h"
#include "say.h"

static void row(struct bench_group *g, const char *name, double must, const char *const *argv)
{
	struct bench_pair_result r = bench_pair_run(g, &(struct bench_pair){.argv = argv});

	bench_row(&(struct bench_figure){name, r.wall, "x", must ? BENCH_AT_MOST : BENCH_MEASURED,
			  must, NULL},
		"%.0f ns / %.0f ns, quartiles %.2f-%.2f; CPU time %.2f", r.inside_ns, r.outside_ns,
		r.low, r.high, r.cpu);
}

void bench_figure_churn(const struct tp_caller *caller)
{
	struct bench_group group;

	bench_group_start(&group, caller);
	row(&group, "malloc/free churn 16-1,024 B inside / outside", 1.05,
		(const char *[]){"bench-churn", NULL});
	bench_group_end(&group);
}

void bench_figure_memory(const struct tp_caller *caller)
{
	struct bench_group group;

	bench_group_start(&group, caller);
	row(&group, "page-fault loop inside / outside", 1.05,
		(const char *[]){"bench-faults", NULL});
	row(&group, "mmap + touch + munmap of 64 KiB inside / outside", 1.3,
		(const char *[]){"bench-remap", "16", NULL});
	row(&group, "the same of one page", 0, (const char *[]){"bench-remap", "1", NULL});
	bench_group_end(&group);
}
