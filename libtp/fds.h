/* SPDX-License-Identifier: MIT */
/*
 * Handing a descriptor to other programs. The supervisor keeps a copy under (this program, key);
 * where its socket cannot be reached (a program below a root of its own), others copy the
 * descriptor straight from this program, if they may look into it (pidfd_getfd).
 *
 * System calls and an answer that is waited for: not for a data path. tp_why has the reason of each
 * error.
 */
#ifndef TPI_FDS_H
#define TPI_FDS_H

#include "core.h"

/* key: any number but 0 that this program uses for nothing else. fd stays the caller's. A second
 * put replaces the first. */
int tpi_fds_put(uint64_t key, int fd) TPI_HIDDEN;

/* What `owner` has put under key. Return: a descriptor (close-on-exec), the caller's; -ENOENT and
 * others. */
int tpi_fds_get(uint64_t key, tp_id owner) TPI_HIDDEN;

void tpi_fds_drop(uint64_t key) TPI_HIDDEN;

/* 1 is added to this eventfd whenever a program or satellite has arrived or died, until
 * tpi_fds_unwatch or this program's end. */
int tpi_fds_watch(int eventfd) TPI_HIDDEN;
void tpi_fds_unwatch(int eventfd) TPI_HIDDEN;

#endif
