/* SPDX-License-Identifier: MIT */
/*
 * bench-loader: measures what running in a group costs.
 *
 *	figure-*.c	one subject each, prints rows
 *	pair.c		slices of one program inside and outside, in turns; pair-row.c prints it
 *	start-exit.c	starting and ending a tiny program, inside and outside
 *	program.c	one measured program; crowd.c: many sleeping ones
 *	group.c		the group they run in
 *	say.c stats.c processes.c
 *	../work/	the measured programs
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "figures.h"
#include "say.h"

#define LIMIT_S 480

static const struct {
	const char *name, *help;
	bench_figure_fn *measure;
} figures[] = {
	{"launch", "start + exit in a running group, empty and with 1,000 programs",
		bench_figure_launch},
	{"command", "tprun run as a whole", bench_figure_command},
	{"churn", "malloc and free", bench_figure_churn},
	{"ageing", "10,000 launches", bench_figure_ageing},
	{"alive", "1,000 programs at once, 20 busy ones", bench_figure_alive},
	{"fork", "fork + wait: alone, beside 1 GiB, with 100 programs", bench_figure_fork},
	{"memory", "page faults, mmap + munmap", bench_figure_memory},
	{"redis", "redis-benchmark", bench_figure_redis},
	{"noise", "interruptions by a neighbour", bench_figure_noise},
	{"bystander", "page faults beside a 1 GiB neighbour", bench_figure_bystander},
};
#define NFIGURES (sizeof(figures) / sizeof(*figures))

static void usage(FILE *out)
{
	fputs("usage: bench-loader [-o table|json] [FIGURE...]\nFIGURE is any of (default: all)\n",
		out);
	for (size_t i = 0; i < NFIGURES; i++)
		fprintf(out, "  %-10s %s\n", figures[i].name, figures[i].help);
}

static int measure(const char *name, const struct tp_caller *caller)
{
	for (size_t i = 0; i < NFIGURES; i++) {
		if (name && strcmp(name, figures[i].name))
			continue;
		figures[i].measure(caller);
		if (name)
			return 0;
	}
	return name ? -1 : 0;
}

static void too_late(int signo)
{
	static const char text[] = "bench: not done after eight minutes, given up\n";

	(void)signo;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 1 : 1);
}

int main(int argc, char **argv)
{
	struct tp_caller caller;
	struct tp_error err;
	int option;

	while ((option = getopt(argc, argv, "o:h")) != -1) {
		if (option == 'o' && !bench_format(optarg))
			continue;
		usage(option == 'h' ? stdout : stderr);
		return option == 'h' ? 0 : 2;
	}
	if (tp_caller_capture(&caller, environ, &err))
		bench_die("%s", err.text);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGALRM, too_late);
	alarm(LIMIT_S);
	if (optind == argc)
		measure(NULL, &caller);
	for (; optind < argc; optind++)
		if (measure(argv[optind], &caller)) {
			usage(stderr);
			return 2;
		}
	tp_caller_fini(&caller);
	return 0;
}
