/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_CHAN_GROUP_H
#define TP_TESTS_CHAN_GROUP_H

/*
 * One process plays several programs of a group, one at a time: as() changes who it is, and each keeps what libtp remembers privately
 * for a program. tpgroup_died(id) is then a kill -9 that struck between two calls.
 */

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "heap-near.h"
#include "tpgroup.h"

static struct as_role {
	uint64_t id;
	struct tpi_member self;
} as_roles[4096];

static struct as_role *as_role_of(uint64_t id)
{
	struct as_role *r = &as_roles[TP_ID_INDEX(id) % 4096];

	if (r->id != id) {
		r->id = id;
		memset(&r->self, 0, sizeof(r->self));
	}
	return r;
}

static inline void as(uint64_t id)
{
	if (tpi_self.id == id)
		return;
	if (tpi_self.id)
		as_role_of(tpi_self.id)->self = tpi_self;
	/* The heap finds a thread's part by the thread alone. */
	tpi_near.first_pointer = tpi_near.first_taken = 0;
	memset(tpi_near.part, 0, sizeof(tpi_near.part));
	if (as_role_of(id)->self.segment) {
		tpi_self = as_role_of(id)->self;
		return;
	}
	memset(&tpi_self, 0, sizeof(tpi_self));
	if (tpi_connect((struct tp_segment *)TP_SEGMENT_BASE, id) < 0)
		abort();
}

#endif
