/* SPDX-License-Identifier: MIT */
/* How a group ends. */
#ifndef TP_SUPERVISE_END_H
#define TP_SUPERVISE_END_H

#include "supervise/group.h"

void tp_end_init(struct tp_group *g);

/* For the end of every batch: ends the group when nobody needs it any more. */
void tp_end_check(struct tp_group *g);

/* No program is started any more. */
static inline bool tp_end_begun(const struct tp_group *g)
{
	return g->end_stage != 0;
}

/* Everything below us is killed, now, and waited for (bounded). */
void tp_end_kill_all(struct tp_group *g);

#endif
