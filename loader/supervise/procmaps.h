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
	const char *path; /* the rest of its line, not terminated by NUL but by a newline; none where the kernel was asked */
};

/*
 * Calls each for every mapping, in ascending order.
 * file: "maps" or "smaps". Return: 0; -ENOENT or -ESRCH: no such process; other negative errno.
 */
int tp_procmaps_each(pid_t pid, const char *file,
	void (*each)(void *arg, const struct tp_mapping *m), void *arg);

/*
 * The same of "maps", with leaps: each returns the address from which it wants to see more, at least m->hi. Where the kernel can be
 * asked for one mapping at a time (Linux 6.11), what is leapt over costs nothing.
 */
int tp_procmaps_leap(pid_t pid, uint64_t (*each)(void *arg, const struct tp_mapping *m), void *arg);
/* The way of older kernels. */
int tp_procmaps_leap_by_text(pid_t pid, uint64_t (*each)(void *arg, const struct tp_mapping *m), void *arg);

/* How many. Return: count or negative errno. */
int tp_procmaps_count(pid_t pid);

#endif
