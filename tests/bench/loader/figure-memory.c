/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include "pair-row.h"

static void row(struct bench_group *g, const char *name, double must, const char *const *argv)
{
	bench_pair_row(g,
		&(struct bench_pair_row){
			.name = name,
			.must = must,
			.unit = "ns",
			.unit_ns = 1,
		},
		&(struct bench_pair){.argv = argv});
}

void bench_figure_churn(void)
{
	struct bench_group group;

	bench_group_start(&group);
	row(&group, "malloc/free churn 16-1,024 B inside / outside", 1.05,
		(const char *[]){"bench-churn", NULL});
	bench_group_end(&group);
}

void bench_figure_memory(void)
{
	struct bench_group group;

	bench_group_start(&group);
	row(&group, "page-fault loop inside / outside", 1.05,
		(const char *[]){"bench-faults", NULL});
	row(&group, "mmap + touch + munmap of 64 KiB inside / outside", 1.3,
		(const char *[]){"bench-remap", "16", NULL});
	row(&group, "the same of one page", 0, (const char *[]){"bench-remap", "1", NULL});
	bench_group_end(&group);
}
