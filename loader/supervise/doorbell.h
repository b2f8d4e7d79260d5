/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_DOORBELL_H
#define TP_SUPERVISE_DOORBELL_H

#include "supervise/group.h"

/* A thread waits for programs to ring. */
int tp_doorbell_init(struct tp_group *g);
/* Ends it; harmless if there is none. */
void tp_doorbell_fini(struct tp_group *g);

#endif
