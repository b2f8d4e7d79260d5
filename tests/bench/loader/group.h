/* SPDX-License-Identifier: MIT */
/*
 * A group of the benchmark's own, started by the command as a user would, and spoken to over its
 * control socket as `tprun exec` does. Its first program, by default one that sleeps, ends when a
 * pipe from us does, and the group with it. When the benchmark dies, however that happens, so does
 * all of it.
 */
#ifndef TP_BENCH_GROUP_H
#define TP_BENCH_GROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tprun/client.h"

struct bench_group {
	struct tp_client client;
	pid_t front;
	int hold;        /* closing it ends the group's first program */
	int64_t *status; /* by seq: wait status, or -1 */
	size_t nstatus;
	char name[32];
};

/* bench_group_caller - what programs inherit is taken from this process as it is now: to be called once, before anything is opened. */
void bench_group_caller(void);

void bench_group_start(struct bench_group *ret_group);
void bench_group_end(struct bench_group *group);

/* bench_group_start_with - start a group that holds nothing but this program of the build folder;
 * `hold` is its standard input.
 * @ret_answer: its standard output */
void bench_group_start_with(struct bench_group *ret_group, const char *const *argv, int *ret_answer);

/* bench_group_launch - start a program and wait until it has been; with NULL it gets our 0, 1
 * and 2. Returns its seq. */
uint32_t bench_group_launch(
	struct bench_group *group, const char *const *argv, const int fds[3], pid_t *ret_pid);

/* bench_group_wait - wait until the program of this launch has ended; returns its wait status. */
int bench_group_wait(struct bench_group *group, uint32_t seq);

/* bench_group_try_launch - the same as bench_group_launch, but a refusal is an answer: negative
 * errno, text in err. */
int bench_group_try_launch(struct bench_group *group, const char *const *argv, const int fds[3],
	uint32_t *ret_seq, pid_t *ret_pid, struct tp_error *err);

struct tp_wire_info bench_group_info(struct bench_group *group);

/* bench_path - a file of the build folder, relative to the benchmark's own place in it; static, a
 * few at a time. */
const char *bench_path(const char *relative);

#endif
