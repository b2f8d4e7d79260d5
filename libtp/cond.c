/* SPDX-License-Identifier: MIT */
/*
 * The condition: a count of signals that sleepers watch.
 *
 *	waiter (holds the mutex)                signaller
 *	waiters++             (seq_cst)         changes what is waited for, under the mutex
 *	s = seq               (seq_cst)         waiters > 0?          (seq_cst)
 *	frees the mutex                         seq++, and wakes one, or all, in one system call
 *	sleeps while seq == s
 *	waiters--
 *
 * No signal is lost. A signal that matters follows a change that was made under the mutex after the waiter had freed it: then the waiter's
 * waiters++ and its reading of seq come before the signaller's look, which therefore counts seq up; the kernel's comparison sees that, or the
 * wake finds the sleeper. A signaller that is stopped (SIGSTOP) has done both or neither.
 *
 * Killed at any instruction:
 *   a waiter: `waiters` stays too large, which costs later signals a needless system call. If a wake went to it, its death wakes all.
 *   a signaller before seq++: its death wakes all. They look again, as after any wake.
 *
 * Known weaknesses: a waiter that is kept from running while seq goes round (2^32 signals) misses them. Each death wakes all waiters.
 */
#include <tp/lock.h>

#include "lockword.h"

_Static_assert(sizeof(struct tp_cond) == TP_COND_SIZE && _Alignof(struct tp_cond) == 8, "frozen");

int tp_cond_init(struct tp_cond *c)
{
	int r = tpi_lock_check(c, sizeof(*c));

	if (r)
		return r;
	c->reserved = 0;
	__atomic_store_n(&c->waiters, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&c->seq, 0, __ATOMIC_RELEASE);
	return 0;
}

static int may_wait(const struct tp_cond *c, const struct tp_mutex *m)
{
	int r = tpi_lock_check(c, sizeof(*c));

	if (!r)
		r = tpi_lock_check(m, sizeof(*m));
	if (r)
		return r;
	if (!tpi_lockword_mine(&m->word))
		return tpi_say(-EPERM, "this program does not hold the mutex of the condition");
	if (__atomic_load_n(&m->state, __ATOMIC_RELAXED) != TP_LOCK_CLEAN)
		return tpi_say(-EINVAL, "the mutex of the condition is yet to be declared consistent");
	return 0;
}

int tp_cond_timedwait(struct tp_cond *c, struct tp_mutex *m, int64_t timeout)
{
	int64_t end = tpi_deadline(timeout);
	int r = may_wait(c, m), slept;
	uint32_t deaths, seq;

	if (r)
		return r;
	__atomic_fetch_add(&c->waiters, 1, __ATOMIC_SEQ_CST);
	deaths = tpi_wait_begin();
	seq = __atomic_load_n(&c->seq, __ATOMIC_SEQ_CST);
	tp_mutex_unlock(m);
	slept = tpi_wait(&c->seq, seq, deaths, end);
	__atomic_fetch_sub(&c->waiters, 1, __ATOMIC_RELAXED);
	r = tp_mutex_lock(m);
	return r || !slept ? r : tpi_say(slept, "no signal came in time");
}

int tp_cond_wait(struct tp_cond *c, struct tp_mutex *m)
{
	return tp_cond_timedwait(c, m, TP_FOREVER);
}

static int signal_some(struct tp_cond *c, int count)
{
	int r = tpi_lock_check(c, sizeof(*c));

	if (r)
		return r;
	if (__atomic_load_n(&c->waiters, __ATOMIC_SEQ_CST))
		tpi_count_and_wake(&c->seq, count);
	return 0;
}

int tp_cond_signal(struct tp_cond *c)
{
	return signal_some(c, 1);
}

int tp_cond_broadcast(struct tp_cond *c)
{
	return signal_some(c, INT32_MAX);
}
