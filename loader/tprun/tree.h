/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_TREE_H
#define TP_TPRUN_TREE_H

#include <stdbool.h>
#include <sys/types.h>

/* tp_tree_descends - whether a process is ancestor's child, grandchild and so on. A process that is
 * gone, or cannot be seen, is not. */
bool tp_tree_descends(pid_t pid, pid_t ancestor);

/*
 * tp_tree_kill - SIGKILL every descendant of the calling process, which must be a subreaper, and
 * reap them, until none is left or timeout_ms are over. setsid does not save one: parentage
 * decides.
 */
void tp_tree_kill(int timeout_ms);

#endif
