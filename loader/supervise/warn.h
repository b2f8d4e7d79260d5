/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_WARN_H
#define TP_SUPERVISE_WARN_H

#include "supervise/group.h"

/* A program's routed calls found something out (TP_EVENT_WARN): says it once a group and kind. */
void tp_warn(struct tp_prog *p);

#endif
