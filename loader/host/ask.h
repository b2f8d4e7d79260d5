/* SPDX-License-Identifier: MIT */
/* What a program asks of mmap. */
#pragma once

#include "host.h"

struct ask {
	uint64_t addr, len; /* as given */
	uint64_t span;	    /* len in whole pages */
	long prot, flags, fd;
	uint64_t off;
};

static inline struct ask tpi_ask_of(const struct arch_frame *f)
{
	struct ask a = {
		.addr = f->arg[0],
		.len = f->arg[1],
		.prot = (long)f->arg[2],
		.flags = (long)f->arg[3],
		.fd = (int)f->arg[4],
		.off = f->arg[5],
	};

	a.span = tpi_page_up(a.len);
	return a;
}

static inline bool tpi_ask_is_file(const struct ask *a)
{
	return !(a->flags & MAP_ANONYMOUS);
}

/* expected.c: the libc whose read-only part is in place before its interpreter maps it */
bool tpi_expected_is(const struct tp_control *c, const struct ask *a);
long tpi_expected_map_rest(struct tp_control *c, const struct ask *a);
bool tpi_expected_part(struct tp_control *c, const struct ask *a);
