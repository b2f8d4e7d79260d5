/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_CALLER_H
#define TP_TPRUN_CALLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

#define TP_CALLER_RLIMITS 16

/*
 * What a program started in a group has to look like: everything that it would inherit through
 * fork and exec if whoever called tprun had started it directly.
 */
struct tp_caller {
	int *fds; /* open at entry, ascending; owned array, the descriptors stay open */
	size_t nfds;
	int cwd_fd; /* O_PATH, also of a directory that has been removed */
	mode_t umask;
	int nice;
	uint64_t sigmask; /* bit n-1 = signal n */
	uint64_t sigignore;
	uint64_t rlimits[TP_CALLER_RLIMITS][2]; /* soft, hard; UINT64_MAX: unlimited */
	pid_t pgid, sid;
	char **envp; /* borrowed */
};

/*
 * tp_caller_capture - record the caller's state. Must come before anything of ours is opened.
 *
 * Afterwards: descriptors 0-2 exist (those that were closed are /dev/null, and not in fds), our own
 * limits are as high as they may be, SIGCHLD has its default action.
 * Returns 0, or negative errno with the reason in err.
 */
int tp_caller_capture(struct tp_caller *ret_caller, char **envp, struct tp_error *err);

/* tp_caller_fini - release what was allocated and opened here (not the caller's descriptors). */
void tp_caller_fini(struct tp_caller *caller);

/* tp_caller_drop - close the caller's descriptors but stderr, so that a reader of a pipe sees its
 * end when the programs are done with it, not when tprun is. 0 and 1 become /dev/null. */
void tp_caller_drop(struct tp_caller *caller);

#endif
