/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <sys/wait.h>
#include <unistd.h>

#include "counters.h"
#include "program.h"
#include "say.h"
#include "stats.h"

#define PAIRS   100
#define COUNTED 30

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

void bench_figure_command(const struct tp_caller *caller)
{
	const char *direct[] = {"/bin/true", NULL};
	const char *command[] = {
		bench_path("../../loader/tprun/tprun"), "run", "--", "/bin/true", NULL};
	struct bench_series extra = {.n = 0}, alone = {.n = 0};

	(void)caller;
	run_ms(command);
	for (int i = 0; i < PAIRS; i++) {
		double with = run_ms(command), without = run_ms(direct);

		bench_series_add(&extra, with - without);
		bench_series_add(&alone, without);
	}
	bench_row(&(struct bench_figure){"tprun run -- /bin/true, beyond /bin/true itself",
			  bench_series_median(&extra), "ms", BENCH_AT_MOST, 3,
			  "a supervisor and a host are started for it"},
		"median of %d pairs, quartiles %.2f-%.2f ms; /bin/true itself %.2f ms; CPU time "
		"%.2f ms, %.2f ms",
		PAIRS, bench_series_at(&extra, 0.25), bench_series_at(&extra, 0.75),
		bench_series_median(&alone), cpu_ms(command), cpu_ms(direct));
	bench_series_fini(&extra);
	bench_series_fini(&alone);
}
