/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters.h"
#include "program.h"
#include "say.h"
#include "stats.h"

#define PAIRS   100
#define COUNTED 30
#define FIRSTS  15

static double run_ms(const char *const *argv)
{
	double start = (double)work_now();
	int status;

	if (waitpid(bench_spawn(argv, NULL, environ), &status, 0) < 0 || status)
		bench_die("%s failed", argv[0]);
	return ((double)work_now() - start) / 1e6;
}

/* CPU milliseconds of one run, with everything it starts; 0 where they cannot be counted. */
static double cpu_ms(const char *const *argv)
{
	struct bench_counter counter;
	double ns;

	if (bench_counter_open(&counter, BENCH_CPU_NS, (pid_t[]){0}, 1))
		return 0;
	ns = bench_counter_read(&counter);
	for (int i = 0; i < COUNTED; i++)
		run_ms(argv);
	ns = bench_counter_read(&counter) - ns;
	bench_counter_close(&counter);
	return ns / 1e6 / COUNTED;
}

static void remove_place(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tprun/.texts", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/tprun/.spare", dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/tprun", dir);
	if (rmdir(path) || rmdir(dir))
		bench_die("%s could not be removed", dir);
}

/* Milliseconds of a user's very first run, before anything is remembered of any text. */
static double first_ms(const char *const *argv)
{
	const char *old = getenv("XDG_RUNTIME_DIR");
	char *keep = old ? strdup(old) : NULL, dir[] = "/tmp/tprun-bench.XXXXXX";
	double ms;

	if (!mkdtemp(dir) || setenv("XDG_RUNTIME_DIR", dir, 1))
		bench_die("no folder for a first run");
	ms = run_ms(argv);
	remove_place(dir);
	if (keep ? setenv("XDG_RUNTIME_DIR", keep, 1) : unsetenv("XDG_RUNTIME_DIR"))
		bench_die("out of memory");
	free(keep);
	return ms;
}

void bench_figure_command(void)
{
	const char *direct[] = {"/bin/true", NULL};
	const char *command[] = {
		bench_path("../../loader/tprun/tprun"), "run", "--", "/bin/true", NULL};
	struct bench_series extra = {.n = 0}, alone = {.n = 0}, first = {.n = 0};

	run_ms(command);
	for (int i = 0; i < PAIRS; i++) {
		double with = run_ms(command), without = run_ms(direct);

		bench_series_add(&extra, with - without);
		bench_series_add(&alone, without);
	}
	for (int i = 0; i < FIRSTS; i++)
		bench_series_add(&first, first_ms(command) - bench_series_median(&alone));
	bench_row(&(struct bench_figure){"tprun run -- /bin/true, beyond /bin/true itself",
			  bench_series_median(&extra), "ms", BENCH_AT_MOST, 3,
			  "a supervisor and a host are started for it"},
		"median of %d pairs, quartiles %.2f-%.2f ms; /bin/true itself %.2f ms; CPU time "
		"%.2f ms, %.2f ms; a user's first run, which looks through ld.so and libc, "
		"%.2f ms",
		PAIRS, bench_series_at(&extra, 0.25), bench_series_at(&extra, 0.75),
		bench_series_median(&alone), cpu_ms(command), cpu_ms(direct),
		bench_series_median(&first));
	bench_series_fini(&extra);
	bench_series_fini(&alone);
	bench_series_fini(&first);
}
