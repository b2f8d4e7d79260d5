/* SPDX-License-Identifier: MIT */
/*
 * Where live groups are found: $XDG_RUNTIME_DIR/tprun/G/control if that is a directory of the
 * user's own, else /tmp/tprun-UID/G/control.
 *
 * A group holds a flock on its directory while it lives: the kernel drops it with the supervisor,
 * so a socket without a lock is stale whatever killed its maker.
 */
#ifndef TP_SUPERVISE_RUNTIME_DIR_H
#define TP_SUPERVISE_RUNTIME_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* 1 to TP_NAME_MAX - 1 of [A-Za-z0-9._-], not opening with '.' or '-'. */
bool tp_runtime_name_ok(const char *group);

/* The directory that holds all groups of this user. Return: 0, -ENAMETOOLONG. */
int tp_runtime_base(char ret_path[static PATH_MAX]);

/*
 * For clients: connects to a group's control socket (SOCK_SEQPACKET, CLOEXEC, blocking).
 * Return: 0; -ENOENT no such group; -ECONNREFUSED a dead group's leftovers; -EPERM not ours; others
 * as connect().
 */
int tp_runtime_connect(const char *group, int *ret_fd, struct tp_error *err);

/* Removes what groups that were killed have left behind. Creating a group does it, too. */
void tp_runtime_sweep(void);

struct tp_runtime {
	int dir_fd;    /* the group's directory, locked */
	int listen_fd; /* non-blocking */
	char path[PATH_MAX];
};

/* For the supervisor. Return: 0; -EEXIST a live group has the name; others name the reason in err.
 */
int tp_runtime_create(const char *group, struct tp_runtime *ret, struct tp_error *err);
/* Closes the socket and removes the directory, or keeps it, empty, for the next group. */
void tp_runtime_remove(struct tp_runtime *rt);

#endif
