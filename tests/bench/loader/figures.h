/* SPDX-License-Identifier: MIT */
/*
 * The figures of the loader, one function and one file a subject. Each starts a group of its own,
 * so that none meets what another has left, and prints its rows.
 */
#ifndef TP_BENCH_FIGURES_H
#define TP_BENCH_FIGURES_H

typedef void bench_figure_fn(void);

bench_figure_fn bench_figure_launch;  /* start + exit in a running group */
bench_figure_fn bench_figure_command; /* tprun run as a whole */
bench_figure_fn bench_figure_churn;   /* malloc and free */
bench_figure_fn bench_figure_ageing;  /* 10,000 launches */
bench_figure_fn bench_figure_alive;   /* many programs at once */
bench_figure_fn bench_figure_fork;
bench_figure_fn bench_figure_memory; /* faults, mappings */
bench_figure_fn bench_figure_redis;
bench_figure_fn bench_figure_noise;     /* interruptions of a spinning program */
bench_figure_fn bench_figure_bystander; /* fault latency beside a large neighbour */

#endif
