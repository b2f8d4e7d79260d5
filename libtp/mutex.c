/* SPDX-License-Identifier: MIT */
/*
 * The mutex: a lock word (lockword.c), and whether what it guards is in order.
 *
 * `state` is written under the lock only, and so relaxed. It is UNREPAIRED from the moment a taker has noted the death of its predecessor until
 * tp_mutex_consistent. A word that is free goes with a clean state: unlocking an unrepaired mutex makes the word LOST, in one step. If
 * the taker dies before it has noted anything, the next one takes over from it, and notes it.
 */
#include <tp/lock.h>

#include "lockword.h"
#include "probes.h"

_Static_assert(sizeof(struct tp_mutex) == TP_MUTEX_SIZE && _Alignof(struct tp_mutex) == 8, "frozen");
_Static_assert(offsetof(struct tp_mutex, word) == 0 && offsetof(struct tp_mutex, state) == 4 &&
	       offsetof(struct tp_mutex, holder) == 8, "frozen");

int tp_mutex_init(struct tp_mutex *m)
{
	int r = tpi_lock_check(m, sizeof(*m));

	if (r)
		return r;
	m->holder = 0;
	m->state = TP_LOCK_CLEAN;
	__atomic_store_n(&m->word, 0, __ATOMIC_RELEASE);
	return 0;
}

/* What a try at the word came to, for the caller. */
static int taken(struct tp_mutex *m, int r)
{
	if (r < 0)
		return tpi_lock_say(r);
	tpi_holder_set(&m->holder, arch_thread_pointer());
	TPI_PROBE(lock, m);
	if (r != TPI_LOCK_TAKEN_OVER)
		return 0;
	__atomic_store_n(&m->state, TP_LOCK_UNREPAIRED, __ATOMIC_RELAXED);
	return tpi_lock_say(-EOWNERDEAD);
}

static __attribute__((noinline)) int lock_slowly(struct tp_mutex *m, int64_t timeout)
{
	int r = tpi_lock_check(m, sizeof(*m));

	return r ? r : taken(m, tpi_lockword_lock(&m->word, &m->holder, timeout));
}

static inline int lock(struct tp_mutex *m, int64_t timeout)
{
	if (tpi_unlikely(!tpi_lock_near(m) || !tpi_lockword_try(&m->word)))
		return lock_slowly(m, timeout);
	tpi_holder_set(&m->holder, arch_thread_pointer());
	TPI_PROBE(lock, m);
	return 0;
}

int tp_mutex_lock(struct tp_mutex *m)
{
	return lock(m, TP_FOREVER);
}

int tp_mutex_timedlock(struct tp_mutex *m, int64_t timeout)
{
	return lock(m, timeout);
}

int tp_mutex_trylock(struct tp_mutex *m)
{
	int r = tpi_lock_check(m, sizeof(*m));

	return r ? r : taken(m, tpi_lockword_trylock(&m->word));
}

/* All that is not the plain case: somebody may sleep; unrepaired, so it is lost now, and all are to know. */
static __attribute__((noinline)) int unlock_slowly(struct tp_mutex *m)
{
	int r = tpi_lock_check(m, sizeof(*m));

	if (r)
		return r;
	if (!tpi_lockword_mine(&m->word))
		return tpi_lock_say(-EPERM);
	TPI_PROBE(unlock, m);
	tpi_holder_set(&m->holder, 0);
	if (__atomic_load_n(&m->state, __ATOMIC_RELAXED) != TP_LOCK_CLEAN)
		tpi_lockword_free_and_wake(&m->word, TP_LOCK_LOST, INT32_MAX);
	else
		tpi_lockword_free_and_wake(&m->word, 0, 1);
	return 0;
}

static __attribute__((noinline)) int wake_one(struct tp_mutex *m)
{
	tpi_wake(&m->word, 1);
	return 0;
}

int tp_mutex_unlock(struct tp_mutex *m)
{
	/* With somebody waiting the word is not the tag alone. */
	if (tpi_unlikely(!tpi_lock_near(m) || __atomic_load_n(&m->word, __ATOMIC_RELAXED) != tpi_self.tag ||
		    __atomic_load_n(&m->state, __ATOMIC_RELAXED) != TP_LOCK_CLEAN))
		return unlock_slowly(m);
	TPI_PROBE(unlock, m);
	tpi_holder_set(&m->holder, 0);
	if (tpi_unlikely(__atomic_exchange_n(&m->word, 0, __ATOMIC_RELEASE) & TP_LOCK_WAITERS))
		return wake_one(m);
	return 0;
}

int tp_mutex_consistent(struct tp_mutex *m)
{
	int r = tpi_lock_check(m, sizeof(*m));

	if (r)
		return r;
	if (!tpi_lockword_mine(&m->word) || __atomic_load_n(&m->state, __ATOMIC_RELAXED) != TP_LOCK_UNREPAIRED)
		return tpi_lock_say(-EINVAL);
	__atomic_store_n(&m->state, TP_LOCK_CLEAN, __ATOMIC_RELAXED);
	return 0;
}
