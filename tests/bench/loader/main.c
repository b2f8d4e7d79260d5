/* SPDX-License-Identifier: MIT */
/*
 * bench-loader: measures what running in a group costs.
 *
 *	figure-*.c	one subject each, prints rows
 *	pair.c		slices of one program inside and outside, in turns; pair-row.c prints it
 *	start-exit.c	starting and ending a tiny program, inside and outside
 *	program.c	one measured program; crowd.c: many sleeping ones
 *	group.c		the group they run in
 *	spent.c counters.c processes.c stats.c
 *	../run-figures.c	the command line; ../say.c: the rows
 *	../work/	the measured programs
 */
#include <signal.h>

#include "figures.h"
#include "group.h"
#include "run-figures.h"

static const struct bench_subject subjects[] = {
	{"launch", "start + exit in a running group, empty and with 1,000 programs", bench_figure_launch},
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

int main(int argc, char **argv)
{
	bench_group_caller();
	signal(SIGPIPE, SIG_IGN);
	return bench_run_figures(subjects, sizeof(subjects) / sizeof(*subjects), argc, argv);
}
