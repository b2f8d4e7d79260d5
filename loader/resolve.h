/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_RESOLVE_H
#define TP_LOADER_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

struct tp_image_cache;
struct tp_plan;

/*
 * From a command as it was typed to an open executable: the shell's search through PATH, the
 * kernel's rules for `#!` lines, and every reason for which execve, or we, would not run the file.
 * Nothing is executed or mapped, nothing blocks on a FIFO, and no device is opened.
 */

struct tp_resolve_spec {
	const char *const *argv; /* the command; argv[0] is looked up */
	const char *path;        /* PATH of the program's environment; NULL: unset */
	int cwd_fd;              /* directory of the program, or AT_FDCWD */
	int root_fd;             /* directory that stands for "/", or -1 */
	struct tp_image_cache *cache; /* what is known from earlier; NULL: nothing */
};

/* What was found. Zeroed by tp_target_fini. */
struct tp_target {
	int fd;          /* the ELF executable, O_RDONLY | O_CLOEXEC; owned */
	char *realpath;  /* of it, as the program would see it (inside the root); malloced */
	char *execfn;    /* AT_EXECFN: what a shell would have given execve; malloced */
	char **argv;     /* the arguments after `#!` lines were followed; NULL-terminated; malloced */
	size_t argc;
	bool script;     /* argv[0] is the interpreter of a `#!` line */
	char comm[16];   /* the name that the kernel would give the process */
	dev_t dev;       /* identity of the file, for caches */
	ino_t ino;
	uint64_t size;
	int64_t mtime_ns;
	const struct tp_plan *known; /* its plan, if spec.cache has one: valid until that changes */
};

/*
 * tp_resolve - find and open a command.
 *
 * A name with a slash is taken as it is. Another one is searched for in path as a shell does: an
 * empty element is the working directory, what is found but not executable is remembered and gives
 * 126 if nothing better follows, else 127. Without a path the search goes through /bin:/usr/bin.
 *
 * With a root_fd all paths, also those in `#!` lines and in symbolic links, are taken inside that
 * directory; relative ones start at the working directory if it lies inside the root, else at the
 * root.
 *
 * Context: thread-safe; allocates; system calls.
 * Returns 0, or the negative errno that execve would have given, with the reason and the shell's
 * status (126, 127) in err.
 */
int tp_resolve(const struct tp_resolve_spec *spec, struct tp_target *ret_target,
	       struct tp_error *err);

/*
 * tp_resolve_interp - open the interpreter that an executable's PT_INTERP names.
 * @spec:       the same as for the executable; argv and path are not used
 * @name:       how to call the executable in a message
 * @interp:     the path from its plan
 * @ret_target: fd, realpath and identity are set, the rest is zero
 */
int tp_resolve_interp(const struct tp_resolve_spec *spec, const char *name, const char *interp,
		      struct tp_target *ret_target, struct tp_error *err);

/* tp_target_fini - close and release; harmless on one that was finished. One that was never filled
 * in must be initialised with TP_TARGET_INIT. */
void tp_target_fini(struct tp_target *target);

#define TP_TARGET_INIT { .fd = -1 }

#endif
