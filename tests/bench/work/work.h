/* SPDX-License-Identifier: MIT */
/*
 * What the measured programs share. Each is an ordinary program that does one thing in slices: for
 * every byte on its standard input it runs one slice and answers with one struct work_report on its
 * standard output. The same binary runs inside a group and outside, slice against slice.
 */
#ifndef TP_BENCH_WORK_H
#define TP_BENCH_WORK_H

#include <stdint.h>
#include <stdnoreturn.h>

struct work_report {
	uint64_t wall_ns;  /* of the slice */
	uint64_t cpu_ns;   /* user and system, children that were waited for included */
	uint64_t ops;      /* what was done in it, in the program's own unit */
	uint64_t extra[5]; /* the program's own */
};

/* Fills in extra[] and ops if it has something to say; ops is 1 otherwise. */
typedef void work_slice(struct work_report *report);

/* work_serve - answer until standard input ends, then exit(0). */
noreturn void work_serve(work_slice *slice);

/* work_die - say what could not be done, with errno's words, and exit(1). */
noreturn void work_die(const char *what);

/* work_pin - run on this processor only; a negative one means anywhere. */
void work_pin(int cpu);

/* work_fork - fork a child that exits with 0, and wait for it. */
void work_fork(void);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t work_now(void);

/* The argument at this position as a number, or the default. */
long work_arg(int argc, char **argv, int at, long otherwise);

#endif
