/* SPDX-License-Identifier: MIT */
/* Returning a program's memory: after its death, or after it has left by execve. */
#ifndef TP_SUPERVISE_RECLAIM_H
#define TP_SUPERVISE_RECLAIM_H

#include "supervise/group.h"

void tp_reclaim_init(struct tp_group *g);

/*
 * p is dead or has left. Its memory is returned as soon as nobody runs in it; then its unit goes to
 * the end of the free list and, if p is dead, its registry entry is released.
 */
void tp_reclaim(struct tp_prog *p);

/* Sends what has gathered to the host; for the end of a batch of events. */
void tp_reclaim_post(struct tp_group *g);

/* The same, and waits until everything that can be returned is. */
void tp_reclaim_flush(struct tp_group *g);

/* p rang that it is about to call execve. */
void tp_reclaim_watch_exec(struct tp_prog *p);

#endif
