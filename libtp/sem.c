/* SPDX-License-Identifier: MIT */
/*
 * The semaphore: a count of permits that sleepers watch while it is 0.
 *
 *	waiter                                  poster
 *	value > 0: take one   (acquire)         waiters > 0?          (relaxed)
 *	waiters++             (seq_cst)           yes: value++, and wakes one, in one system call
 *	value > 0?                                no: value++         (seq_cst)
 *	sleeps while value == 0                       waiters > 0 now? (seq_cst)  wakes one
 *
 * Either the poster sees the waiter, or the kernel's comparison, which comes after the waiter's count, sees the permit. Whoever slept before the
 * post began is woken with it: a poster that is stopped (SIGSTOP) has done both or neither. For who has come meanwhile the first sleep is over after
 * 0.1 s.
 *
 * Killed at any instruction:
 *   a waiter before it took a permit: `waiters` stays too large (a needless system call for each later post); if the wake went to it, its
 *   death wakes all, and one of them takes the permit. After it took one: the permit is gone with it.
 *   a poster before value++: nothing was posted; behind it: its death wakes all.
 *
 * Known weaknesses: no fairness; permits have no owner. A poster that is stopped twice, for longer than 0.1 s between its first look and its value++
 * and again right behind it, keeps one who came in between waiting until it goes on, though newcomers get the permit.
 */
#include <tp/lock.h>

#include "lockword.h"

_Static_assert(sizeof(struct tp_sem) == TP_SEM_SIZE && _Alignof(struct tp_sem) == 8, "frozen");

int tp_sem_init(struct tp_sem *s, uint32_t value)
{
	int r = tpi_lock_check(s, sizeof(*s));

	if (r)
		return r;
	if (value > TP_SEM_MAX)
		return tpi_say(-EINVAL, "a semaphore has TP_SEM_MAX permits at most");
	s->reserved = 0;
	__atomic_store_n(&s->waiters, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&s->value, value, __ATOMIC_RELEASE);
	return 0;
}

static bool take(struct tp_sem *s)
{
	uint32_t value = __atomic_load_n(&s->value, __ATOMIC_RELAXED);

	while (value)
		if (__atomic_compare_exchange_n(&s->value, &value, value - 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

int tp_sem_trywait(struct tp_sem *s)
{
	int r = tpi_lock_check(s, sizeof(*s));

	if (r)
		return r;
	return take(s) ? 0 : tpi_say(-EAGAIN, "the semaphore has no permit");
}

static int wait_for_permit(struct tp_sem *s, int64_t end)
{
	bool first = true;
	int r = 0;

	__atomic_fetch_add(&s->waiters, 1, __ATOMIC_SEQ_CST);
	while (!r) {
		uint32_t deaths = tpi_wait_begin();

		if (take(s))
			break;
		r = first ? tpi_wait_a_while(&s->value, 0, deaths, end) : tpi_wait(&s->value, 0, deaths, end);
		first = false;
	}
	__atomic_fetch_sub(&s->waiters, 1, __ATOMIC_RELAXED);
	return r ? tpi_say(r, "the semaphore got no permit in time") : 0;
}

int tp_sem_timedwait(struct tp_sem *s, int64_t timeout)
{
	int r = tpi_lock_check(s, sizeof(*s));

	if (tpi_unlikely(r))
		return r;
	return tpi_likely(take(s)) ? 0 : wait_for_permit(s, tpi_deadline(timeout));
}

int tp_sem_wait(struct tp_sem *s)
{
	return tp_sem_timedwait(s, TP_FOREVER);
}

static int post_overflows(void)
{
	return tpi_say(-EOVERFLOW, "the semaphore has TP_SEM_MAX permits already");
}

/* Posters that look at the same time may pass TP_SEM_MAX by so many: the count has room. */
static __attribute__((noinline)) int post_and_wake(struct tp_sem *s)
{
	if (__atomic_load_n(&s->value, __ATOMIC_RELAXED) >= TP_SEM_MAX)
		return post_overflows();
	tpi_count_and_wake(&s->value, 1);
	return 0;
}

int tp_sem_post(struct tp_sem *s)
{
	int r = tpi_lock_check(s, sizeof(*s));
	uint32_t value;

	if (tpi_unlikely(r))
		return r;
	if (__atomic_load_n(&s->waiters, __ATOMIC_RELAXED))
		return post_and_wake(s);
	value = __atomic_load_n(&s->value, __ATOMIC_RELAXED);
	do
		if (value >= TP_SEM_MAX)
			return post_overflows();
	while (!__atomic_compare_exchange_n(&s->value, &value, value + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	if (__atomic_load_n(&s->waiters, __ATOMIC_SEQ_CST))
		tpi_wake(&s->value, 1);
	return 0;
}
