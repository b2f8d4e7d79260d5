/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_ENDING_H
#define TP_TPRUN_ENDING_H

#include "tprun/front.h"

/* tp_front_end - wait for the end of the group, or bring it about. Returns 0 if all went well, else
 * tprun's own status, after it has said why. */
int tp_front_end(struct tp_front *front);

#endif
