/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_SERVER_H
#define TP_SUPERVISE_SERVER_H

#include "supervise/group.h"

/* Watches the listening socket of g->runtime. */
int tp_server_init(struct tp_group *g);

/*
 * A second address, that no path leads to, for programs below a root of their own: the kernel
 * chooses it, the segment tells it. Made when the first such program starts; without it they do as
 * well as they can.
 */
void tp_server_open_unnamed(struct tp_group *g);

#endif
