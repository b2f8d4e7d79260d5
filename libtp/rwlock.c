/* SPDX-License-Identifier: MIT */
/*
 * The read-write lock: a lock word for the writer (lockword.c), and a slot for each read lock that is held, which names program and thread.
 * There is no count of readers that a death could leave wrong.
 *
 *	reader                                  writer
 *	slot: 0 -> own        (seq_cst)         word: 0 -> tag        (seq_cst)
 *	word == 0?            (seq_cst)         all slots 0 or dead?  (seq_cst)
 *	  yes: it reads                           yes: state = WRITING, it writes
 *	  no: slot: own -> 0, wait for word       no: wait for `change`
 *
 * In the one order of the seq_cst operations either the reader sees the writer's word, or the writer sees the reader's slot. What a writer
 * wrote is released with the word, what readers have read with the slot. A thread that reads already goes on to read: the writer waits for
 * it in any case.
 *
 * Leaving a slot:                             waiting for slots to change:
 *	slot: own -> 0        (seq_cst)         c = change            (seq_cst)
 *	wanted?               (seq_cst)         wanted = 1            (seq_cst)
 *	  yes: wanted = 0, change++, wake all   look at the slots     (seq_cst), sleep while change == c
 * A `wanted` that was overwritten by the 0 came before a change++, which ends that sleep. Who leaves may be stopped (SIGSTOP) between his slot and
 * the wake: so those who wait for slots look again every 0.1 s. The word is freed in one step with its wake.
 *
 * Killed at any instruction:
 *   a reader: its slot holds a dead tag, which the next writer, or reader that finds no free slot, clears. Its death wakes all who wait.
 *   a writer: the word keeps a dead tag; who takes over sees in `state` whether the dead one had begun to write. If not, nothing has
 *   happened. If so it holds the lock for writing and gets -EOWNERDEAD, reader or writer.
 *   a writer in unlock: after state = CLEAN it has ended; its death wakes those who sleep.
 *   anybody between a slot and the wake: its death wakes all who sleep.
 *
 * Known weaknesses: at most TP_RWLOCK_READERS slots; looking for one takes longer the more are held. Writers go before readers, and can starve
 * them. All who wait are woken when a writer leaves. A thread that ends with a read lock keeps it for its program's life.
 */
#include <tp/lock.h>

#include "lockword.h"
#include "probes.h"

_Static_assert(sizeof(struct tp_rwlock) == TP_RWLOCK_SIZE && _Alignof(struct tp_rwlock) == 8, "frozen");
_Static_assert(offsetof(struct tp_rwlock, holder) == 8 && offsetof(struct tp_rwlock, change) == 16 &&
	       offsetof(struct tp_rwlock, reader) == 32, "frozen");

int tp_rwlock_init(struct tp_rwlock *l)
{
	int r = tpi_lock_check(l, sizeof(*l));

	if (r)
		return r;
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		l->reader[i] = 0;
	l->state = TP_LOCK_CLEAN;
	l->holder = 0;
	l->change = 0;
	l->wanted = 0;
	l->reserved = 0;
	__atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
	return 0;
}

/* Thread pointers are 16 bytes apart at least, and those of a program lie within 64 GiB. */
static uint64_t own_slot(void)
{
	return (uint64_t)tpi_self.tag << 32 | (uint32_t)(arch_thread_pointer() >> 4);
}

static bool change_slot(struct tp_rwlock *l, uint32_t i, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&l->reader[i], &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* Changes one slot that holds `from`. Where to begin is the thread's own, so that readers seldom meet. */
static bool find_and_change(struct tp_rwlock *l, uint64_t own, uint64_t from, uint64_t to)
{
	uint32_t i = (uint32_t)(own * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TP_RWLOCK_READERS;

	for (uint32_t n = 0; n < TP_RWLOCK_READERS; n++) {
		if (__atomic_load_n(&l->reader[i], __ATOMIC_RELAXED) == from && change_slot(l, i, from, to))
			return true;
		i = i + 1 < TP_RWLOCK_READERS ? i + 1 : 0;
	}
	return false;
}

static uint32_t held_by(const struct tp_rwlock *l, uint64_t own)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < TP_RWLOCK_READERS; i++)
		n += __atomic_load_n(&l->reader[i], __ATOMIC_RELAXED) == own;
	return n;
}

/* Most often nobody does: one pass without a branch for each slot. */
static inline bool nobody_reads(const struct tp_rwlock *l)
{
	uint64_t any = 0;

#pragma GCC unroll 6
	for (uint32_t i = 0; i < TP_RWLOCK_READERS; i++)
		any |= __atomic_load_n(&l->reader[i], __ATOMIC_SEQ_CST);
	return !any;
}

/* Frees the slots of the dead. Return: how many are held by the living. */
static uint32_t living_readers(struct tp_rwlock *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < TP_RWLOCK_READERS; i++) {
		uint64_t slot = __atomic_load_n(&l->reader[i], __ATOMIC_SEQ_CST);

		if (!slot || (!tpi_tag_alive(TP_READER_TAG(slot)) && change_slot(l, i, slot, 0)))
			continue;
		n++;
	}
	return n;
}

static void tell_change(struct tp_rwlock *l)
{
	if (tpi_likely(!__atomic_load_n(&l->wanted, __ATOMIC_SEQ_CST)))
		return;
	__atomic_store_n(&l->wanted, 0, __ATOMIC_SEQ_CST);
	tpi_count_and_wake(&l->change, INT32_MAX);
}

/* Waits until fewer than `limit` living readers hold slots. */
static int wait_for_slots(struct tp_rwlock *l, uint32_t limit, int64_t end)
{
	for (;;) {
		uint32_t deaths = tpi_wait_begin();
		uint32_t change = __atomic_load_n(&l->change, __ATOMIC_SEQ_CST);

		__atomic_store_n(&l->wanted, 1, __ATOMIC_SEQ_CST);
		if (living_readers(l) < limit)
			return 0;
		if (tpi_wait_a_while(&l->change, change, deaths, end) < 0)
			return -ETIMEDOUT;
	}
}

/* The word is held: until nobody reads. */
static int wait_for_readers(struct tp_rwlock *l, int64_t end)
{
	if (tpi_likely(nobody_reads(l)) || !living_readers(l))
		return 0;
	if (end == TP_NOWAIT)
		return -EBUSY;
	return held_by(l, own_slot()) ? -EDEADLK : wait_for_slots(l, 1, end);
}

/* Had the dead writer begun to write? Then its heir is told. */
static bool left_unrepaired(struct tp_rwlock *l)
{
	if (__atomic_load_n(&l->state, __ATOMIC_RELAXED) == TP_LOCK_CLEAN)
		return false;
	__atomic_store_n(&l->state, TP_LOCK_UNREPAIRED, __ATOMIC_RELAXED);
	TPI_PROBE(lock, l);
	return true;
}

static void free_word(struct tp_rwlock *l, uint32_t to)
{
	uint32_t tag = tpi_self.tag;

	tpi_holder_set(&l->holder, 0);
	/* Not an exchange: if somebody has begun to wait by now, the word is freed in one step with the wake. */
	if (to || !__atomic_compare_exchange_n(&l->word, &tag, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		tpi_lockword_free_and_wake(&l->word, to, INT32_MAX);
}

/* The word is this thread's, if `r` says so: waits for the readers to leave. */
static int become_writer(struct tp_rwlock *l, int r, int64_t end)
{
	if (r < 0)
		return r;
	tpi_holder_set(&l->holder, arch_thread_pointer());
	if (r == TPI_LOCK_TAKEN_OVER && left_unrepaired(l))
		return -EOWNERDEAD;
	r = wait_for_readers(l, end);
	if (r) {
		free_word(l, 0);
		return r;
	}
	__atomic_store_n(&l->state, TP_LOCK_WRITING, __ATOMIC_RELAXED);
	TPI_PROBE(lock, l);
	return 0;
}

/* Seq_cst: comes before the look at the slots. */
static bool try_word(struct tp_rwlock *l)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&l->word, &free, tpi_self.tag, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

int tp_rwlock_timedwrlock(struct tp_rwlock *l, int64_t timeout)
{
	int64_t end = tpi_deadline(timeout);
	int r = tpi_lock_check(l, sizeof(*l));

	if (r)
		return r;
	if (tpi_unlikely(!try_word(l)))
		r = tpi_lockword_lock(&l->word, &l->holder, timeout);
	return tpi_lock_answer(become_writer(l, r, end));
}

int tp_rwlock_wrlock(struct tp_rwlock *l)
{
	return tp_rwlock_timedwrlock(l, TP_FOREVER);
}

int tp_rwlock_trywrlock(struct tp_rwlock *l)
{
	int r = tpi_lock_check(l, sizeof(*l));

	return r ? r : tpi_lock_answer(become_writer(l, tpi_lockword_trylock(&l->word), TP_NOWAIT));
}

/* -EBUSY: there is, or was, a writer; -EAGAIN: no slot. */
static int try_to_read(struct tp_rwlock *l, uint64_t own)
{
	if (!find_and_change(l, own, 0, own))
		return -EAGAIN;
	if (tpi_unlikely(__atomic_load_n(&l->word, __ATOMIC_SEQ_CST)) && held_by(l, own) < 2) {
		find_and_change(l, own, own, 0);
		tell_change(l);
		return -EBUSY;
	}
	TPI_PROBE(lock, l);
	return 0;
}

/* What the look at a word that was not free came to, for a reader. -EAGAIN: try again. */
static int after_writer(struct tp_rwlock *l, int r)
{
	if (r == TPI_LOCK_TAKEN_OVER) {
		tpi_holder_set(&l->holder, arch_thread_pointer());
		if (left_unrepaired(l))
			return -EOWNERDEAD;
		free_word(l, 0);
	}
	return r < 0 ? r : -EAGAIN;
}

int tp_rwlock_timedrdlock(struct tp_rwlock *l, int64_t timeout)
{
	int r = tpi_lock_check(l, sizeof(*l));
	int64_t end = 0;
	uint64_t own;

	if (tpi_unlikely(r))
		return r;
	own = own_slot();
	while ((r = try_to_read(l, own)) == -EBUSY || r == -EAGAIN) {
		if (!end)
			end = tpi_deadline(timeout);
		if (r == -EAGAIN)
			r = wait_for_slots(l, TP_RWLOCK_READERS, end);
		else
			r = after_writer(l, tpi_lockword_wait(&l->word, &l->holder, end));
		if (r && r != -EAGAIN)
			break;
	}
	return tpi_lock_answer(r);
}

int tp_rwlock_rdlock(struct tp_rwlock *l)
{
	return tp_rwlock_timedrdlock(l, TP_FOREVER);
}

int tp_rwlock_tryrdlock(struct tp_rwlock *l)
{
	int r = tpi_lock_check(l, sizeof(*l));

	if (r)
		return r;
	r = try_to_read(l, own_slot());
	if (r == -EAGAIN)
		living_readers(l); /* frees those of the dead */
	if (r == -EBUSY)
		r = after_writer(l, tpi_lockword_look(&l->word));
	return tpi_lock_answer(r == -EAGAIN ? try_to_read(l, own_slot()) : r);
}

static void unlock_writer(struct tp_rwlock *l)
{
	bool repaired = __atomic_load_n(&l->state, __ATOMIC_RELAXED) == TP_LOCK_WRITING;

	if (repaired)
		__atomic_store_n(&l->state, TP_LOCK_CLEAN, __ATOMIC_RELAXED);
	free_word(l, repaired ? 0 : TP_LOCK_LOST);
}

int tp_rwlock_unlock(struct tp_rwlock *l)
{
	int r = tpi_lock_check(l, sizeof(*l));
	uint64_t own;

	if (tpi_unlikely(r))
		return r;
	TPI_PROBE(unlock, l);
	/* While somebody writes nobody reads: this can be no read lock then. */
	if (tpi_lockword_mine(&l->word) && __atomic_load_n(&l->state, __ATOMIC_RELAXED) != TP_LOCK_CLEAN) {
		unlock_writer(l);
		return 0;
	}
	own = own_slot();
	if (!find_and_change(l, own, own, 0))
		return tpi_lock_say(-EPERM);
	tell_change(l);
	return 0;
}

int tp_rwlock_consistent(struct tp_rwlock *l)
{
	int r = tpi_lock_check(l, sizeof(*l));

	if (r)
		return r;
	if (!tpi_lockword_mine(&l->word) || __atomic_load_n(&l->state, __ATOMIC_RELAXED) != TP_LOCK_UNREPAIRED)
		return tpi_lock_say(-EINVAL);
	__atomic_store_n(&l->state, TP_LOCK_WRITING, __ATOMIC_RELAXED);
	return 0;
}
