/* SPDX-License-Identifier: MIT */
/*
 * Which units are free, and whose the others are.
 *
 * Pure: works on a table of TP_UNITS owners, which in a group is that of the segment. Routed calls
 * of programs take further units by compare-and-swap in that table, so a free unit must be won
 * there as well before it is handed out; nothing else in the table is believed.
 */
#ifndef TP_SUPERVISE_SLOTS_H
#define TP_SUPERVISE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tp/abi/segment.h"

enum tp_unit_state {
	TP_UNIT_RESERVED = 0,
	TP_UNIT_QUEUED, /* in the free list */
	TP_UNIT_HELD,   /* first unit of a program */
	TP_UNIT_LENT,   /* a routed call took it; not in the free list any more */
};

struct tp_slots {
	uint64_t *owner; /* shared; accessed atomically */
	uint32_t head, queued;
	uint16_t queue[TP_UNITS]; /* ring: first freed, first reused, so a stale pointer stays
				     attributable long */
	uint8_t state[TP_UNITS];
	uint64_t last[TP_UNITS];    /* holder, also after it was freed */
	int64_t freed_ns[TP_UNITS]; /* CLOCK_BOOTTIME; 0: never */
};

/* Marks the units of ARCH_UNITS_RESERVED and `taken` (TP_UNITS flags, or NULL); queues all others. */
void tp_slots_init(struct tp_slots *slots, uint64_t *owner, const bool *taken);

/* Return: 0; -ENOSPC: no unit is free. */
int tp_slots_take(struct tp_slots *slots, uint64_t id, uint32_t *ret_unit);

/* Whether a dead program's claim to an extra unit can be true. */
bool tp_slots_extra(const struct tp_slots *slots, uint64_t id, uint32_t unit);

/* Its memory is unmapped: the unit goes to the end of the free list. */
void tp_slots_free(struct tp_slots *slots, uint32_t unit, int64_t now_ns);

/* Something in it cannot be unmapped: nobody gets the unit again. */
void tp_slots_retire(struct tp_slots *slots, uint32_t unit);

/* Takes lent units back whose owner is nobody; for when the list has run dry. */
void tp_slots_sweep(struct tp_slots *slots, bool (*live)(void *arg, uint64_t id), void *arg);

#endif
