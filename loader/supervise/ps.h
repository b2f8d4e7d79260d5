/* SPDX-License-Identifier: MIT */
/* What runs, and how much memory each program has. */
#ifndef TP_SUPERVISE_PS_H
#define TP_SUPERVISE_PS_H

#include "supervise/client.h"

void tp_ps_answer(struct tp_client *c, uint32_t seq);
void tp_info_answer(struct tp_client *c, uint32_t seq);

#endif
