/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_TPGROUP_H
#define TP_TESTS_TPGROUP_H

/*
 * A group without a loader: the segment is made by the supervisor's own code and mapped at its own address; the programs are forked
 * children of the test, each connected under an id of its own. Everything that libtp does in the segment is the real thing, and a
 * program can be killed, stopped or single-stepped as any child.
 */

#include <stdint.h>
#include <sys/types.h>

#include "tp/abi/segment.h"

/* heap_size 0: 1 GiB. This process is in no group yet. */
void tpgroup_open(uint64_t heap_size);
void tpgroup_close(void);

/* A registry entry that says RUNNING; `name` may be used again once the first has died. */
uint64_t tpgroup_add(const char *name);

/*
 * A page of this process alone, at an address that a program of a group could have: a process beside a group has its stack and its globals
 * above those on some processors.
 */
void *tpgroup_private(void);

/* This process becomes (or changes to) that program. */
void tpgroup_be(uint64_t id);

/* A child that is that program; it ends with what fn returns. */
pid_t tpgroup_fork(uint64_t id, int (*fn)(void *arg), void *arg);

/* As the supervisor does once it has reaped it: the entry says DEAD, sleepers are woken. */
void tpgroup_died(uint64_t id);

/* SIGKILL, wait, tpgroup_died. */
void tpgroup_kill(pid_t pid, uint64_t id);

/* Waits for its end, then tpgroup_died. Returns the wait status. */
int tpgroup_join(pid_t pid, uint64_t id);

#endif
