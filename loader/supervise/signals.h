/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_SIGNALS_H
#define TP_SUPERVISE_SIGNALS_H

#include "supervise/group.h"

/* Blocks all signals; children's news and requests to end arrive in the loop. */
int tp_signals_init(struct tp_group *g);

#endif
