/* SPDX-License-Identifier: MIT */
/* Deaths, stops, and adopted orphans. */
#ifndef TP_SUPERVISE_REAP_H
#define TP_SUPERVISE_REAP_H

#include "supervise/group.h"

/* Sets the callbacks of a program that is about to be watched. */
void tp_reap_prepare(struct tp_prog *p);

/* A launch failed half-way: no process, or one that dies now; its slot goes back. */
void tp_reap_abandon(struct tp_prog *p);

/* SIGCHLD said that something happened to a child. */
void tp_reap_child(struct tp_group *g, pid_t pid);

/* Signals coalesce: looks at all children, at most every 100 ms. */
void tp_reap_scan_soon(struct tp_group *g);
void tp_reap_scan(struct tp_group *g);

void tp_reap_init(struct tp_group *g);

#endif
