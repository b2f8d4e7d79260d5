/* SPDX-License-Identifier: MIT */
/* Processes below us that are neither host nor program, and who shares the group's memory. */
#ifndef TP_SUPERVISE_ORPHANS_H
#define TP_SUPERVISE_ORPHANS_H

#include "supervise/group.h"

/* Needs a kernel with CONFIG_PROC_CHILDREN. */
int tp_orphans_init(struct tp_group *g);

/* Whether a process has the group's address space; false when it is gone. */
bool tp_shares_mm(const struct tp_group *g, pid_t pid);

/* Whether any adopted orphan runs in the group's address space. */
bool tp_orphans_share_mm(struct tp_group *g);

/* Whether a child of a process that has left the group runs in the group's address space. */
bool tp_children_share_mm(struct tp_group *g, pid_t pid);

/* Calls each for every child of pid. Return: how many; negative errno when /proc cannot be read. */
int tp_children_each(pid_t pid, void (*each)(void *arg, pid_t pid), void *arg);

/* Calls each for every descendant of ours that is neither host nor program (but may descend from
 * one). */
void tp_descendants_each(struct tp_group *g, void (*each)(void *arg, pid_t pid), void *arg);

#endif
