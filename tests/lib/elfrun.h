/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_ELFRUN_H
#define TP_TESTS_ELFRUN_H

/*
 * Really executes a file that elfmake wrote, and looks at the process while it waits.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { ELFRUN_VMAS = 64, ELFRUN_AUX = 64 };

struct elfrun_vma {
	uint64_t start, end, off;
	char perms[5]; /* as in /proc/PID/maps */
	ino_t ino;
	bool stack;
	bool kernel; /* the vDSO and its data: the kernel puts them where it likes */
};

struct elfrun {
	pid_t pid; /* 0: none */
	unsigned nvma;
	struct elfrun_vma vma[ELFRUN_VMAS];
	uint64_t aux[ELFRUN_AUX]; /* by key */
};

/* elfrun_start - returns 0, or the negative errno with which execve refused the file. */
int elfrun_start(const char *path, struct elfrun *ret_run);

/* elfrun_is_waiting - waits until the program waits for a signal; false: it has died instead. */
bool elfrun_is_waiting(const struct elfrun *run);

/* elfrun_look - fills in vma[] and aux[]. */
void elfrun_look(struct elfrun *run);

/* elfrun_find - the mapping that holds an address, or NULL. */
const struct elfrun_vma *elfrun_find(const struct elfrun *run, uint64_t at);

/* elfrun_stop - ends it, if there is one. Returns its wait status. */
int elfrun_stop(struct elfrun *run);

#endif
