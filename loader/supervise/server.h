/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_SERVER_H
#define TP_SUPERVISE_SERVER_H

#include "supervise/group.h"

/* Watches the listening socket of g->runtime. */
int tp_server_init(struct tp_group *g);

#endif
