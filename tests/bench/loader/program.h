/* SPDX-License-Identifier: MIT */
/*
 * One running program of tests/bench/work/: in a group, or, with no group, as an ordinary child.
 */
#ifndef TP_BENCH_PROGRAM_H
#define TP_BENCH_PROGRAM_H

#include "../work/work.h"
#include "group.h"

struct bench_program {
	struct bench_group *group; /* NULL: outside */
	uint32_t seq;
	pid_t pid;
	int ask, answer;
};

/* @argv: argv[0] is a name in the build folder, as "bench-churn" */
void bench_program_start(
	struct bench_program *ret_program, struct bench_group *group, const char *const *argv);

/* bench_program_end - end its input, wait for it; anything but exit status 0 ends the benchmark. */
void bench_program_end(struct bench_program *program);

/* One slice: asking and getting apart, so that several programs work at once. */
void bench_program_ask(struct bench_program *program);
struct work_report bench_program_get(struct bench_program *program);
struct work_report bench_program_slice(struct bench_program *program);

/* bench_spawn - posix_spawn with the same three descriptors; dies if it cannot. */
pid_t bench_spawn(const char *const *argv, const int fds[3], char *const *envp);

/* bench_spawn_tied - the same for a program that would outlive us: our death ends it. */
pid_t bench_spawn_tied(const char *const *argv, const int fds[3]);

#endif
