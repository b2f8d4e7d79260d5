/* SPDX-License-Identifier: MIT */
/* Program ids, registry entries, and the look-ups from pid, id and name to a program. */
#ifndef TP_SUPERVISE_REGISTRY_H
#define TP_SUPERVISE_REGISTRY_H

#include "supervise/group.h"

int tp_registry_init(struct tp_group *g);
void tp_registry_fini(struct tp_group *g);

/* A program with id, index and name, state STARTING, linked as live. Return: NULL: all entries are
 * in use. */
struct tp_prog *tp_registry_add(struct tp_group *g, const char *wanted_name);
/* The same for a satellite, which runs already and is not found by pid. */
struct tp_prog *tp_registry_add_satellite(struct tp_group *g, const char *wanted_name);

/* Its pid is known: found by tp_registry_by_pid from now on. */
void tp_registry_set_pid(struct tp_prog *p, pid_t pid);

/* Writes the upper part of the entry and clears the lower. */
void tp_registry_publish(struct tp_prog *p);
void tp_registry_state(struct tp_prog *p, uint32_t state);

/* Somebody has come, and runs: tells those who watch. */
void tp_registry_arrived(struct tp_group *g);

/* It has left by execve: to others it is as if it had died. */
void tp_registry_left(struct tp_prog *p);

/* It has ended: not found by pid any more, its entry says so, its id stops being live. Its name
 * stays taken. */
void tp_registry_died(struct tp_prog *p, uint32_t state);

/* The last of it is gone: name and entry may be used again (the entry as late as possible). */
void tp_registry_release(struct tp_prog *p);

struct tp_prog *tp_registry_by_pid(struct tp_group *g, pid_t pid);
struct tp_prog *tp_registry_by_id(struct tp_group *g, uint64_t id);
/* By name, or decimal pid; live or lingering. */
struct tp_prog *tp_registry_by_name(struct tp_group *g, const char *name);

#endif
