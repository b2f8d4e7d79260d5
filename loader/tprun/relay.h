/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_RELAY_H
#define TP_TPRUN_RELAY_H

#include "tprun/front.h"

/* tp_relay_signals - read the signals that came and pass on those that the programs did not get. */
void tp_relay_signals(struct tp_front *front);

/* tp_relay_early - give a program that has just started what came for all before. */
void tp_relay_early(struct tp_front *front, const struct tp_job *job);

#endif
