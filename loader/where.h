/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_WHERE_H
#define TP_LOADER_WHERE_H

#include <limits.h>

/*
 * The directory tree that a program's paths are looked up in: the system's, or one below a root
 * directory that stands for "/". No path, absolute or through symbolic links, leads out of the
 * root.
 */
struct tpi_where {
	int cwd_fd;          /* borrowed; or AT_FDCWD */
	int root_fd;         /* borrowed; -1: none */
	char root[PATH_MAX]; /* with a root: its own path, "" for "/" */
	char cwd[PATH_MAX];  /* with a root: the working directory inside it, "" for its top */
};

/* tpi_where_init - descriptors stay the caller's and must outlive ret_where. Returns 0. */
int tpi_where_init(int cwd_fd, int root_fd, struct tpi_where *ret_where);

/* tpi_where_open - open(path, flags | O_CLOEXEC) in that tree. Returns a descriptor or -errno. */
int tpi_where_open(const struct tpi_where *where, const char *path, int flags);

/*
 * tpi_where_realpath - the path of an open file as a program in that tree sees it, free of symbolic
 * links; where nobody can tell (no /proc), the path it was opened by.
 * @ret_path: malloced
 * Returns 0 or -ENOMEM.
 */
int tpi_where_realpath(const struct tpi_where *where, int fd, const char *path, char **ret_path);

#endif
