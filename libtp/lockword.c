/* SPDX-License-Identifier: MIT */
/*
 * Taking a lock word from the free, the busy and the dead.
 *
 * Layout: abi/tp/abi/lock.h. The word is 0, LOST, or the holder's tag; the last two also with WAITERS.
 *
 * Invariant: who has changed the word from 0, or from the tag of a dead program, to his own tag holds it; nobody else changes a live
 * program's tag, but to add WAITERS. Who sleeps has seen WAITERS set with the value that the kernel compares.
 *
 *	holder                                  sleeper
 *	                                        word: T -> T|WAITERS
 *	word has WAITERS: free and wake one,    sleep while word == T|WAITERS
 *	  in one system call (release)          word: 0 -> own|WAITERS (acquire): others may sleep, too
 *	else old = exchange(word, 0) (release)
 *	  old has WAITERS by now: wake one
 *
 * A holder may be stopped (SIGSTOP) between exchange and wake. Then the sleeper is one that came in the nanoseconds before the exchange, and has
 * just begun to sleep: so a first sleep, and one of who has set WAITERS itself, is over after 0.1 s, and the word is looked at again.
 *
 * Killed at any instruction:
 *   the holder, before the exchange: the word keeps a dead tag. Its death wakes all who sleep; one of them, or any newcomer, changes the dead
 *   tag to its own: TPI_LOCK_TAKEN_OVER, once. What the dead one wrote comes before the registry says that it is dead (release), and
 *   tpi_tag_alive reads that with acquire.
 *   the holder, between exchange and wake: its death wakes all who sleep, one takes the free word.
 *   a sleeper, before or after it was woken: the same. A wake that went to it is made up for by its death.
 *   who took over, before it could note that: its own tag is a dead one now, and the next takes over.
 * WAITERS may be set though nobody sleeps: one needless system call.
 *
 * Known weaknesses: no fairness. A holder that is stopped twice within these few instructions, for longer than 0.1 s before the exchange and again
 * behind it, keeps that one sleeper waiting until it goes on, though newcomers get the lock. A tag comes round after 2^20 launches: a
 * lock left behind by a dead program, untouched for that long, can seem to be a live one's.
 */
#include "lockword.h"

#include <linux/futex.h>

#include "counters.h"
#include "probes.h"
#include "program-name.h"
#include "relax.h"
#include "syscall.h"

enum { SPINS = 60 };

int tpi_lock_refuse(const void *lock, size_t size)
{
	char room[TP_NAME_MAX] = "";
	int r = tpi_ready();
	bool private;

	if (r < 0)
		return r;
	if (tpi_in_segment(lock, size)) {
		if (!((uintptr_t)lock & 7))
			return 0; /* the library was not attached when it was asked */
		return tpi_count_error(TP_CALL_LOCK,
			tpi_fail(-EFAULT, "the lock at %x is not aligned to 8 bytes", (uint64_t)(uintptr_t)lock));
	}
	private = tpi_program_known(tpi_slot_holder((uintptr_t)lock), room);
	tpi_count_error(TP_CALL_LOCK, -EFAULT);
	return tpi_fail(-EFAULT, "the lock at %x lies in %s%s, not in the group segment: allocate it with tp_malloc",
		(uint64_t)(uintptr_t)lock, private ? "private memory of " : "no memory of the group", room);
}

static const char *in_words(int error)
{
	switch (error) {
	case -EBUSY: return "the lock is held";
	case -EAGAIN: return "as many read locks are held as there can be (TP_RWLOCK_READERS)";
	case -ETIMEDOUT: return "the time was over before the lock was free";
	case -EDEADLK: return "this thread holds the lock already";
	case -EPERM: return "this program does not hold the lock";
	case -EINVAL: return "the lock has nothing to repair, or this program does not hold it";
	case -EOWNERDEAD: return "a program died that held the lock: repair what it guards, and say that it is consistent";
	default: return "the lock was given up: unlocked after a holder's death, but not declared consistent";
	}
}

int tpi_lock_say(int error)
{
	if (error == -EOWNERDEAD || error == -ENOTRECOVERABLE)
		tpi_count_error(TP_CALL_LOCK, error);
	return tpi_say(error, in_words(error));
}

/* From what the word was seen to be to the own tag; WAITERS stays. Seq_cst for the sake of rwlock.c; a mutex needs acquire. */
static bool take(uint32_t *word, uint32_t seen, uint32_t waiters)
{
	return __atomic_compare_exchange_n(word, &seen, tpi_self.tag | (seen & TP_LOCK_WAITERS) | waiters, false,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static bool held_by_the_dead(uint32_t seen)
{
	return TP_LOCK_TAG(seen) != tpi_self.tag && !tpi_tag_alive(TP_LOCK_TAG(seen));
}

/* A short hold is over sooner than a sleep begins. */
static void spin(const uint32_t *word)
{
	for (int i = 0; i < SPINS; i++) {
		uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);

		if (!seen || seen & TP_LOCK_WAITERS)
			break;
		arch_relax();
	}
}

/* -EAGAIN: it is held by a live one. */
static int look(uint32_t *word, uint32_t seen, const uint64_t *holder, uint32_t waiters)
{
	if (!seen)
		return take(word, seen, waiters) ? 0 : -EAGAIN;
	if (TP_LOCK_TAG(seen) == TP_LOCK_LOST)
		return -ENOTRECOVERABLE;
	if (held_by_the_dead(seen)) {
		if (!take(word, seen, waiters))
			return -EAGAIN;
		TPI_PROBE(owner_dead, word, TP_LOCK_TAG(seen));
		tpi_count(TP_COUNTER_OWNER_DIED);
		return TPI_LOCK_TAKEN_OVER;
	}
	if (TP_LOCK_TAG(seen) == tpi_self.tag && holder &&
		__atomic_load_n(holder, __ATOMIC_RELAXED) == arch_thread_pointer())
		return -EDEADLK;
	return -EAGAIN;
}

int tpi_lockword_trylock(uint32_t *word)
{
	int r = look(word, __atomic_load_n(word, __ATOMIC_ACQUIRE), NULL, 0);

	return r == -EAGAIN ? -EBUSY : r;
}

int tpi_lockword_look(uint32_t *word)
{
	uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	int r = seen ? look(word, seen, NULL, 0) : 0;

	return r == -EAGAIN ? -EBUSY : r;
}

enum { SLEPT = 1 };

/* Sleeps until the word is no longer what it was seen to be; the first time, and after marking it, for a while at most. 0: it is not that now. */
static int wait_while(uint32_t *word, uint32_t seen, uint32_t deaths, int64_t end, bool first)
{
	uint32_t marked = seen | TP_LOCK_WAITERS;
	bool brief = first || seen != marked; /* who has marked the word itself may have done so just before the exchange */
	int r;

	if (!seen || (seen != marked && !__atomic_compare_exchange_n(word, &seen, marked, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
		return 0;
	TPI_PROBE(lock_wait, word, TP_LOCK_TAG(seen));
	r = brief ? tpi_wait_a_while(word, marked, deaths, end) : tpi_wait(word, marked, deaths, end);
	return r < 0 ? -ETIMEDOUT : SLEPT;
}

/*
 * The kernel stores under the lock of its list of sleepers: nobody can be stopped between that and the wake. Setting WAITERS, mostly once more,
 * releases what the holder did, and the kernel's exchange goes on from there. It stores small numbers only: -1 is LOST with WAITERS.
 */
void tpi_lockword_free_and_wake(uint32_t *word, uint32_t to, int count)
{
	_Static_assert(TP_LOCK_TAG(UINT32_MAX) == TP_LOCK_LOST, "-1 reads as LOST");
	int operation = to ? FUTEX_OP(FUTEX_OP_SET, 0xfff, FUTEX_OP_CMP_EQ, 0) : FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0);
	long r;

	__atomic_fetch_or(word, TP_LOCK_WAITERS, __ATOMIC_RELEASE);
	r = arch_syscall6(ARCH_NR_futex, (long)word, FUTEX_WAKE_OP, count, 0, (long)word,
		operation);
	if (r < 0) {
		__atomic_store_n(word, to, __ATOMIC_RELEASE);
		tpi_wake(word, count);
	}
}

static int lock(uint32_t *word, const uint64_t *holder, int64_t end, bool wait_only)
{
	uint32_t waiters = 0;
	bool spun = false;

	for (;;) {
		uint32_t deaths = tpi_wait_begin();
		uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
		int r = wait_only && !seen ? 0 : look(word, seen, holder, waiters);

		if (r != -EAGAIN)
			return r;
		if (!spun) {
			spin(word);
			spun = true;
			continue;
		}
		r = wait_while(word, seen, deaths, end, !waiters);
		if (r < 0)
			return r;
		if (r == SLEPT)
			waiters = TP_LOCK_WAITERS;
	}
}

int tpi_lockword_lock(uint32_t *word, const uint64_t *holder, int64_t timeout)
{
	return lock(word, holder, tpi_deadline(timeout), false);
}

int tpi_lockword_wait(uint32_t *word, const uint64_t *holder, int64_t end)
{
	return lock(word, holder, end, true);
}
