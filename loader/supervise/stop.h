/* SPDX-License-Identifier: MIT */
/* Ending programs on request: TERM, grace, KILL. */
#ifndef TP_SUPERVISE_STOP_H
#define TP_SUPERVISE_STOP_H

#include "supervise/group.h"

/* c: who wants to be told (OK with seq); NULL: nobody. p: NULL: all, and then the group ends. */
void tp_stop_begin(struct tp_group *g, struct tp_client *c, uint32_t seq, struct tp_prog *p,
	uint32_t grace_ms);

/* Hooks: a program has ended; a client has gone. */
void tp_stop_died(struct tp_group *g, const struct tp_prog *p);
void tp_stop_client_gone(struct tp_group *g, const struct tp_client *c);

#endif
