/* SPDX-License-Identifier: MIT */
/* Reads /proc/PID/maps and smaps without stdio: both can be megabytes. */
#ifndef TP_SUPERVISE_PROCMAPS_H
#define TP_SUPERVISE_PROCMAPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tp_mapping {
	uint64_t lo, hi;
	uint64_t rss;     /* bytes; 0 from "maps" */
	const char *path; /* the rest of its line, not terminated by NUL but by a newline */
};

/*
 * Calls each for every mapping, in ascending order.
 * file: "maps" or "smaps". Return: 0; -ENOENT or -ESRCH: no such process; other negative errno.
 */
int tp_procmaps_each(pid_t pid, const char *file,
	void (*each)(void *arg, const struct tp_mapping *m), void *arg);

/* How many. Return: count or negative errno. */
int tp_procmaps_count(pid_t pid);

#endif
