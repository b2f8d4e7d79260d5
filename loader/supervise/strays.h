/* SPDX-License-Identifier: MIT */
/*
 * Mappings that nobody accounts for: made by code whose system calls were not rewritten, by a
 * program that is dead.
 */
#ifndef TP_SUPERVISE_STRAYS_H
#define TP_SUPERVISE_STRAYS_H

#include "supervise/group.h"

void tp_strays_init(struct tp_group *g);

/* A program's memory was returned: looks for what it forgot, soon, and not often. */
void tp_strays_look_soon(struct tp_group *g);

#endif
