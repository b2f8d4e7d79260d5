/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_DOORBELL_H
#define TP_SUPERVISE_DOORBELL_H

#include "supervise/group.h"

/* Starts the thread that waits for programs to ring. It ends with the process. */
int tp_doorbell_init(struct tp_group *g);

#endif
