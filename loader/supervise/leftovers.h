/* SPDX-License-Identifier: MIT */
/* What a program leaves behind in the shared address space, as one request to the host. */
#ifndef TP_SUPERVISE_LEFTOVERS_H
#define TP_SUPERVISE_LEFTOVERS_H

#include "supervise/group.h"

enum { TP_LEFTOVERS_RANGES = 2048, TP_LEFTOVERS_AIO = 1024 };

struct tp_leftovers {
	struct tp_host_reclaim head;
	struct tp_range ranges[TP_LEFTOVERS_RANGES];
	uint64_t aio[TP_LEFTOVERS_AIO];
};

void tp_leftovers_init(struct tp_leftovers *l);
/* Return: false: it does not fit any more. */
bool tp_leftovers_add(struct tp_leftovers *l, struct tp_prog *p);
/* Return: 0: done() will be called; -EHOSTDOWN. */
int tp_leftovers_send(struct tp_leftovers *l, struct tp_group *g, tp_host_done_fn *done);

/* The host has unmapped them. */
/*
 * @used: TP_UNITS flags, units that still hold a mapping are retired; NULL: none does. Return: how many were retired.
 */
int tp_leftovers_free_units(struct tp_prog *p, const bool *used);

#endif
