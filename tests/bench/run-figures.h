/* SPDX-License-Identifier: MIT */
/* The command line that all benchmarks share: [-o table|json] [FIGURE...]. */
#ifndef TP_BENCH_RUN_FIGURES_H
#define TP_BENCH_RUN_FIGURES_H

#include <stddef.h>

struct bench_subject {
	const char *name, *help;
	void (*measure)(void); /* prints its rows */
};

/*
 * bench_run_figures - measures what the arguments name, all without any, and ends after eight minutes in any case. Return: the exit
 * status; 2 if a name is unknown.
 */
int bench_run_figures(const struct bench_subject *subjects, size_t n, int argc, char **argv);

#endif
