/* SPDX-License-Identifier: MIT */
/*
 * How many mappings the group has: vm.max_map_count is one limit for all of its programs.
 *
 * A launch does not read /proc: the count is estimated from what was launched, and read again when
 * the estimate comes near the limit or the group has been busy for a while.
 */
#ifndef TP_SUPERVISE_MAPCOUNT_H
#define TP_SUPERVISE_MAPCOUNT_H

#include "supervise/group.h"

/* Reads the limit and what the fresh host has mapped; `ret_taken` gets the units that hold any of
 * it. */
int tp_mapcount_init(struct tp_group *g, bool ret_taken[TP_UNITS]);
void tp_mapcount_fini(struct tp_group *g);

/* Return: 0; -ENOMEM: too few would remain. Warns once on the way. */
int tp_mapcount_admit(struct tp_group *g, uint32_t need, const char *name, struct tp_error *err);

/* Counts now. Return: the count; 0: the address space cannot be read. */
uint32_t tp_mapcount_refresh(struct tp_group *g);

/* Any process that has the group's address space: the host, else a live program; 0: none. */
pid_t tp_group_member(struct tp_group *g);

#endif
