/* SPDX-License-Identifier: MIT */
/*
 * Both sides do the same: this process asks for a tiny program with its own three descriptors and
 * its whole environment, and learns its exit status. Inside, that is two messages through the
 * supervisor, whose work counts.
 */
#include "start-exit.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "say.h"
#include "stats.h"

static const char *const *tiny(void)
{
	static char path[4096];
	static const char *argv[] = {path, NULL};

	if (!*path)
		strncpy(path, bench_path("bench-tiny"), sizeof(path) - 1);
	return argv;
}

double bench_start_exit_inside(struct bench_group *g)
{
	const char *const *argv = tiny();
	double start = (double)work_now();

	if (bench_group_wait(g, bench_group_launch(g, argv, NULL, NULL)))
		bench_die("bench-tiny failed inside a group");
	return ((double)work_now() - start) / 1e3;
}

double bench_start_exit_outside(void)
{
	const char *const *argv = tiny();
	double start = (double)work_now();
	int status;

	if (waitpid(bench_spawn(argv, NULL, environ), &status, 0) < 0 || status)
		bench_die("bench-tiny failed outside a group: %s", strerror(errno));
	return ((double)work_now() - start) / 1e3;
}

struct bench_start_exit bench_start_exit_pairs(struct bench_group *g, int pairs)
{
	struct bench_series ratios = {.n = 0}, inside = {.n = 0}, outside = {.n = 0};
	struct bench_start_exit r;

	for (int i = 0; i < pairs; i++) {
		double in = bench_start_exit_inside(g), out = bench_start_exit_outside();

		bench_series_add(&ratios, in / out);
		bench_series_add(&inside, in);
		bench_series_add(&outside, out);
	}
	r = (struct bench_start_exit){
		.ratio = bench_series_median(&ratios),
		.low = bench_series_at(&ratios, 0.25),
		.high = bench_series_at(&ratios, 0.75),
		.inside = bench_series_median(&inside),
		.outside = bench_series_median(&outside),
	};
	bench_series_fini(&ratios);
	bench_series_fini(&inside);
	bench_series_fini(&outside);
	return r;
}
