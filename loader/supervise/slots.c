/* SPDX-License-Identifier: MIT */
/* The free list of units; see slots.h for what may be believed. */
#include <errno.h>
#include <string.h>

#include "addresses.h"
#include "supervise/slots.h"

static void enqueue(struct tp_slots *s, uint32_t unit)
{
	s->queue[(s->head + s->queued++) % TP_UNITS] = (uint16_t)unit;
	s->state[unit] = TP_UNIT_QUEUED;
}

static uint32_t dequeue(struct tp_slots *s)
{
	uint32_t unit = s->queue[s->head];

	s->head = (s->head + 1) % TP_UNITS;
	s->queued--;
	return unit;
}

static bool statically_reserved(uint32_t unit)
{
	static const uint32_t ranges[][2] = ARCH_UNITS_RESERVED;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (unit >= ranges[i][0] && unit < ranges[i][1])
			return true;
	return false;
}

void tp_slots_init(struct tp_slots *s, uint64_t *owner, const bool *taken)
{
	memset(s, 0, sizeof(*s));
	s->owner = owner;
	for (uint32_t unit = 0; unit < TP_UNITS; unit++) {
		if (statically_reserved(unit) || (taken && taken[unit])) {
			s->state[unit] = TP_UNIT_RESERVED;
			__atomic_store_n(&owner[unit], TP_OWNER_RESERVED, __ATOMIC_RELAXED);
		} else {
			__atomic_store_n(&owner[unit], TP_OWNER_NONE, __ATOMIC_RELAXED);
			enqueue(s, unit);
		}
	}
}

/* Release: whoever finds the id in the table also finds the registry entry filled in. */
static bool win(struct tp_slots *s, uint32_t unit, uint64_t id)
{
	uint64_t none = TP_OWNER_NONE;

	return __atomic_compare_exchange_n(
		&s->owner[unit], &none, id, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

int tp_slots_take(struct tp_slots *s, uint64_t id, uint32_t *ret_unit)
{
	while (s->queued) {
		uint32_t unit = dequeue(s);

		if (!win(s, unit, id)) {
			s->state[unit] = TP_UNIT_LENT;
			continue;
		}
		s->state[unit] = TP_UNIT_HELD;
		s->last[unit] = id;
		*ret_unit = unit;
		return 0;
	}
	return -ENOSPC;
}

bool tp_slots_extra(const struct tp_slots *s, uint64_t id, uint32_t unit)
{
	if (unit >= TP_UNITS || s->state[unit] == TP_UNIT_RESERVED ||
		s->state[unit] == TP_UNIT_HELD)
		return false;
	return __atomic_load_n(&s->owner[unit], __ATOMIC_ACQUIRE) == id;
}

void tp_slots_free(struct tp_slots *s, uint32_t unit, int64_t now_ns)
{
	if (s->state[unit] == TP_UNIT_RESERVED)
		return;
	s->freed_ns[unit] = now_ns;
	__atomic_store_n(&s->owner[unit], TP_OWNER_NONE, __ATOMIC_RELEASE);
	if (s->state[unit] != TP_UNIT_QUEUED)
		enqueue(s, unit);
}

void tp_slots_retire(struct tp_slots *s, uint32_t unit)
{
	if (s->state[unit] == TP_UNIT_QUEUED)
		return; /* it was never its holder's */
	s->state[unit] = TP_UNIT_RESERVED;
	__atomic_store_n(&s->owner[unit], TP_OWNER_RESERVED, __ATOMIC_RELEASE);
}

void tp_slots_sweep(struct tp_slots *s, bool (*live)(void *arg, uint64_t id), void *arg)
{
	for (uint32_t unit = 0; unit < TP_UNITS; unit++) {
		uint64_t id = __atomic_load_n(&s->owner[unit], __ATOMIC_ACQUIRE);

		if (s->state[unit] == TP_UNIT_LENT && !live(arg, id))
			tp_slots_free(s, unit, s->freed_ns[unit]);
	}
}
