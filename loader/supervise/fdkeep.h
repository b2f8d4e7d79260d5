/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that a program leaves with the supervisor for others to fetch, and eventfds that are
 * to be told of arrivals and deaths. They are the program's: closed when it has died. Found by
 * (program, key).
 */
#ifndef TP_SUPERVISE_FDKEEP_H
#define TP_SUPERVISE_FDKEEP_H

#include "supervise/group.h"

/* How many one program may have here. */
enum { TP_KEPT_MAX = 1024 };

/* How many all may have: a quarter of what the limit on open files leaves. */
uint32_t tp_fdkeep_room(void);

/*
 * Takes fd over, in any case; what was there under the key is closed. `watch`: an eventfd that
 * tp_fdkeep_ring writes. Return: 0; -EMFILE: the program has too many; -ENFILE: all together have;
 * -EINVAL: to be watched, but no eventfd; -ENOMEM.
 */
int tp_fdkeep_put(struct tp_prog *p, uint64_t key, int fd, bool watch);

/* Return: a descriptor that stays here, or -ENOENT. */
int tp_fdkeep_get(const struct tp_group *g, uint64_t owner, uint64_t key);

void tp_fdkeep_drop(struct tp_prog *p, uint64_t key);

/* All of a program that has died or left. */
void tp_fdkeep_forget(struct tp_prog *p);

/* Somebody has arrived or died. Never blocks. */
void tp_fdkeep_ring(struct tp_group *g);

#endif
