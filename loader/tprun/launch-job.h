/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_LAUNCH_JOB_H
#define TP_TPRUN_LAUNCH_JOB_H

#include "tprun/front.h"

/* tp_launch_job - ask the supervisor for one of the foreground's programs, in the caller's state.
 */
int tp_launch_job(struct tp_front *front, struct tp_job *job, struct tp_error *err);

#endif
