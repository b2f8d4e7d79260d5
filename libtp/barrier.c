/* SPDX-License-Identifier: MIT */
/*
 * The barrier: round, broken bit and count of those who have come, in one 64-bit word, so that each step is one compare-and-swap.
 *
 *	come:   (round, n)         -> (round, n + 1), or (round + 1, 0) by the last
 *	leave:  (round, n)         -> (round, n - 1)         the time is over
 *	break:  (round, n)         -> (round, n, broken)     a program that has ever come is dead
 *
 * Sleepers watch the half with the round. Who comes writes his program's tag into program[] first: from then on its death is found by
 * everybody, and the last one looks, too, before it ends the round.
 *
 * Orders: `come` is acquire and release, so that what each did before the barrier is seen by all after it (the swaps are one chain on one
 * word). program[]: the tag is stored (release) before `come`; who breaks has read the word, or slept, after it.
 *
 * Killed at any instruction:
 *   before its tag was written: never known. After that, in or outside a round: its death wakes all who sleep; they find round + 1, if it
 *   still ended the round, and else the dead tag. Breaking is idempotent.
 *
 * Sleepers look again every 0.1 s: the last one may be stopped (SIGSTOP) between the end of the round and the wake.
 *
 * Known weakness: a program whose death falls between the last one's look and the end of the round is noticed in the next round only.
 */
#include <tp/lock.h>

#include "counters.h"
#include "lockword.h"

_Static_assert(sizeof(struct tp_barrier) == TP_BARRIER_SIZE && _Alignof(struct tp_barrier) == 8, "frozen");
_Static_assert(TP_BARRIER_MAX < TP_BARRIER_BROKEN, "the count has room");

/* How long ago a round may be for its sleepers to know that it has ended well: tp_barrier_init makes a larger step. */
enum { ROUNDS_BACK = TP_BARRIER_INIT_STEP / 2 };

static uint32_t *round_word(struct tp_barrier *b)
{
	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the upper half comes second");
	return (uint32_t *)&b->state + 1;
}

static uint64_t at_round(uint32_t round)
{
	return (uint64_t)round << 32;
}

int tp_barrier_init(struct tp_barrier *b, uint32_t count)
{
	int r = tpi_lock_check(b, sizeof(*b));
	uint32_t round;

	if (r)
		return r;
	if (!count || count > TP_BARRIER_MAX)
		return tpi_say(-EINVAL, "a barrier is for 1 to TP_BARRIER_MAX threads");
	round = TP_BARRIER_ROUND(__atomic_load_n(&b->state, __ATOMIC_RELAXED));
	for (int i = 0; i < TP_BARRIER_PROGRAMS; i++)
		__atomic_store_n(&b->program[i], 0, __ATOMIC_RELAXED);
	b->reserved = 0;
	__atomic_store_n(&b->count, count, __ATOMIC_RELAXED);
	__atomic_store_n(&b->state, at_round(round + TP_BARRIER_INIT_STEP), __ATOMIC_RELEASE);
	return 0;
}

/* Makes this program known. */
static int enrol(struct tp_barrier *b)
{
	for (int i = 0; i < TP_BARRIER_PROGRAMS; i++) {
		uint32_t tag = __atomic_load_n(&b->program[i], __ATOMIC_RELAXED);

		if (!tag && __atomic_compare_exchange_n(&b->program[i], &tag, tpi_self.tag, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return 0;
		if (tag == tpi_self.tag)
			return 0;
	}
	tpi_fail(-ENOSPC, "%u other programs have come to the barrier at %x already (TP_BARRIER_PROGRAMS)",
		(uint64_t)TP_BARRIER_PROGRAMS, (uint64_t)(uintptr_t)b);
	return tpi_count_error(TP_CALL_WAIT, -ENOSPC);
}

static bool one_is_dead(struct tp_barrier *b)
{
	for (int i = 0; i < TP_BARRIER_PROGRAMS; i++) {
		uint32_t tag = __atomic_load_n(&b->program[i], __ATOMIC_ACQUIRE);

		if (!tag)
			break;
		if (!tpi_tag_alive(tag))
			return true;
	}
	return false;
}

static bool swap(struct tp_barrier *b, uint64_t *seen, uint64_t to)
{
	return __atomic_compare_exchange_n(&b->state, seen, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* What this look says about the round: -EAGAIN: it goes on. */
static int verdict(uint64_t seen, uint32_t round)
{
	if (TP_BARRIER_ROUND(seen) == round)
		return seen & TP_BARRIER_BROKEN ? -EOWNERDEAD : -EAGAIN;
	return TP_BARRIER_ROUND(seen) - round < ROUNDS_BACK ? 0 : -EOWNERDEAD;
}

/* 1: the last; -EAGAIN: has come, wait; *ret_round is set then. */
static int come(struct tp_barrier *b, uint32_t *ret_round)
{
	uint64_t seen = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);

	for (;;) {
		uint32_t count = __atomic_load_n(&b->count, __ATOMIC_RELAXED);
		uint32_t round = TP_BARRIER_ROUND(seen);
		bool last = TP_BARRIER_ARRIVED(seen) + 1 >= count;

		if (seen & TP_BARRIER_BROKEN)
			return -EOWNERDEAD;
		if (last && one_is_dead(b)) {
			if (swap(b, &seen, seen | TP_BARRIER_BROKEN))
				return -EOWNERDEAD;
			continue;
		}
		if (swap(b, &seen, last ? at_round(round + 1) : seen + 1)) {
			*ret_round = round;
			return last ? 1 : -EAGAIN;
		}
	}
}

/* The time is over. Return: -ETIMEDOUT, or what has happened to the round meanwhile. */
static int leave(struct tp_barrier *b, uint32_t round)
{
	uint64_t seen = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
	int r;

	do {
		r = verdict(seen, round);
		if (r != -EAGAIN)
			return r;
		if (!TP_BARRIER_ARRIVED(seen))
			return -ETIMEDOUT; /* damaged */
	} while (!swap(b, &seen, seen - 1));
	return -ETIMEDOUT;
}

static int wait_for_round(struct tp_barrier *b, uint32_t round, int64_t end)
{
	for (;;) {
		uint32_t deaths = tpi_wait_begin();
		uint64_t seen = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);
		int r = verdict(seen, round);

		if (r != -EAGAIN)
			return r;
		if (one_is_dead(b)) {
			swap(b, &seen, seen | TP_BARRIER_BROKEN);
			continue;
		}
		if (tpi_wait_a_while(round_word(b), round, deaths, end) < 0)
			return leave(b, round);
	}
}

int tp_barrier_wait(struct tp_barrier *b, int64_t timeout)
{
	int64_t end = tpi_deadline(timeout);
	int r = tpi_lock_check(b, sizeof(*b));
	uint32_t round;

	if (r)
		return r;
	if (!__atomic_load_n(&b->count, __ATOMIC_RELAXED))
		return tpi_say(-EINVAL, "nobody has called tp_barrier_init for the barrier");
	r = enrol(b);
	if (r)
		return r;
	r = come(b, &round);
	if (r == 1)
		tpi_wake(round_word(b), INT32_MAX);
	if (r == -EAGAIN)
		r = wait_for_round(b, round, end);
	if (r == -EOWNERDEAD)
		return tpi_say(tpi_count_error(TP_CALL_WAIT, r), "a program died that had come to the barrier: tp_barrier_init makes it anew");
	return r == -ETIMEDOUT ? tpi_say(r, "not all had come to the barrier in time") : r;
}
