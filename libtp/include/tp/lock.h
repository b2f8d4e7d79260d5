/* SPDX-License-Identifier: MIT */
/*
 * Locks for memory of the group segment: mutex, condition, semaphore, barrier, read-write lock.
 *
 * They work between any programs of the group and its satellites, whatever C library each has, and between the threads of a program. A
 * program that dies, at whatever instruction, locks nobody out: see -EOWNERDEAD at each call. Everybody who sleeps looks again when a
 * program has died: within milliseconds, within a second at the very most. A stopped program (SIGSTOP) is not a dead one: its locks stay
 * its own. One that is stopped in the middle of a call that lets others go on does not hold them up for longer than 0.1 s, once the lock is free.
 * (Known weakness of mutex and semaphore: stopped twice within the few instructions of one such call, it may keep one sleeper waiting that came
 * between.)
 *
 * A lock is a plain struct, to be put into one's own. All zero is a valid, free lock (a semaphore of value 0); _init makes the same of
 * memory that is not zero, and needs that nobody uses it. A lock needs no end: its memory is freed. It must lie in the group segment
 * (tp_malloc and its kin), aligned as the struct is. Members are not to be touched.
 *
 * Every call may return, besides what it names:
 *
 *   -ENOTCONN, -EPROTO   see <tp/base.h>. A forked child gets -ENOTCONN at once, whatever its parent held
 *   -EFAULT              the lock does not lie in the group segment (tp_why says whose memory it is), or is not aligned
 *
 * Context of all, where not said otherwise: thread-safe. Not to be called from a signal handler (those that take without waiting, give back,
 * signal or declare consistent may be). fork-safe: a child holds nothing. They allocate nothing. Those that wait block the calling
 * thread alone; signals are handled meanwhile and do not end the wait.
 *
 * Time-outs are nanoseconds from now: TP_NOWAIT, TP_FOREVER, or a number of TP_SECOND.
 */
#ifndef TP_LOCK_H
#define TP_LOCK_H

#include <tp/base.h>

/* How many read locks may be held at once, and how many programs may meet at a barrier. */
#define TP_RWLOCK_READERS	60
#define TP_BARRIER_PROGRAMS	60
#define TP_BARRIER_MAX		1000000		/* who may be waited for */
#define TP_SEM_MAX		INT32_MAX

struct tp_mutex {
	uint32_t word;		/* 0, or who holds it; bit 31: somebody may wait */
	uint32_t state;
	uint64_t holder;	/* its thread */
};

struct tp_cond {
	uint32_t seq;		/* counts the signals */
	uint32_t waiters;	/* at least so many may sleep */
	uint64_t reserved;
};

struct tp_sem {
	uint32_t value;
	uint32_t waiters;
	uint64_t reserved;
};

struct tp_barrier {
	uint64_t state;		/* round, broken, arrived: see abi/tp/abi/lock.h */
	uint32_t count;
	uint32_t reserved;
	uint32_t program[TP_BARRIER_PROGRAMS];	/* who has ever come */
};

struct tp_rwlock {
	uint32_t word;		/* the writer, as in tp_mutex */
	uint32_t state;
	uint64_t holder;
	uint32_t change;	/* counts what those who wait for readers look at */
	uint32_t wanted;	/* somebody waits for a reader to leave */
	uint64_t reserved;
	uint64_t reader[TP_RWLOCK_READERS];	/* program and thread of each read lock that is held */
};

TP_BEGIN

/*
 * tp_mutex_init - a free mutex, whatever the memory held. Nobody may use it meanwhile.
 *
 * Context: does not block. Return: 0. Since 0.1.
 */
TP_API int tp_mutex_init(struct tp_mutex *mutex);

/*
 * tp_mutex_lock - waits until the mutex is this thread's.
 *
 * Context: blocks. Return:
 *   0                  held
 *   -EOWNERDEAD        held, but a program died that held it before: repair what it guards, then call tp_mutex_consistent, then unlock. One
 *                      caller alone gets this for each death
 *   -ENOTRECOVERABLE   not held, and never again: somebody unlocked it after -EOWNERDEAD without tp_mutex_consistent
 *   -EDEADLK           not held: the calling thread has it already
 * Since 0.1.
 */
TP_API int tp_mutex_lock(struct tp_mutex *mutex);

/* tp_mutex_trylock - as tp_mutex_lock, but does not wait: -EBUSY, not held. Async-signal-safe. Since 0.1. */
TP_API int tp_mutex_trylock(struct tp_mutex *mutex);

/* tp_mutex_timedlock - as tp_mutex_lock, but waits for at most `timeout` nanoseconds: -ETIMEDOUT, not held. Since 0.1. */
TP_API int tp_mutex_timedlock(struct tp_mutex *mutex, int64_t timeout);

/*
 * tp_mutex_unlock - frees the mutex, and wakes one who waits. Any thread of the program that holds it may.
 *
 * Context: async-signal-safe, does not block. Return: 0; -EPERM: this program does not hold it. Since 0.1.
 */
TP_API int tp_mutex_unlock(struct tp_mutex *mutex);

/*
 * tp_mutex_consistent - after -EOWNERDEAD, and while it is held: what the mutex guards has been repaired.
 *
 * Context: async-signal-safe, does not block. Return: 0; -EINVAL: this program does not hold it, or there is nothing to repair. Since 0.1.
 */
TP_API int tp_mutex_consistent(struct tp_mutex *mutex);

/* tp_cond_init - a condition that nobody waits for. Context: does not block. Return: 0. Since 0.1. */
TP_API int tp_cond_init(struct tp_cond *cond);

/*
 * tp_cond_wait - frees the mutex, waits for a signal, and takes the mutex again.
 *
 * May return without a signal, and does so whenever a program of the group has died: call it in a loop that looks at what is waited for.
 * No signal is lost: neither by the death of a program that was just woken, nor by that of one that was about to signal.
 *
 * @mutex: held by this program. All who wait use the same one.
 *
 * Context: blocks. Return: what tp_mutex_lock returns, or
 *   -EPERM    the mutex is not this program's
 *   -EINVAL   the mutex is yet to be declared consistent
 * Since 0.1.
 */
TP_API int tp_cond_wait(struct tp_cond *cond, struct tp_mutex *mutex);

/*
 * tp_cond_timedwait - as tp_cond_wait, for at most `timeout` nanoseconds, and however long it then takes to get the mutex.
 *
 * Return: as tp_cond_wait; -ETIMEDOUT: the mutex is held, no signal came. Since 0.1.
 */
TP_API int tp_cond_timedwait(struct tp_cond *cond, struct tp_mutex *mutex, int64_t timeout);

/*
 * tp_cond_signal, tp_cond_broadcast - wakes one, or all, of those who wait. The mutex need not be held.
 *
 * Without a system call if nobody waits. Context: async-signal-safe, does not block. Return: 0. Since 0.1.
 */
TP_API int tp_cond_signal(struct tp_cond *cond);
TP_API int tp_cond_broadcast(struct tp_cond *cond);

/*
 * tp_sem_init - a semaphore with `value` permits. Nobody may use it meanwhile.
 *
 * A semaphore has no owner: a permit that was taken by a program that died stays taken. Where that must not be, let the permits be
 * tp_mutexes, or give them back when tp_watch (<tp/member.h>) tells of the death.
 *
 * Context: does not block. Return: 0; -EINVAL: more than TP_SEM_MAX. Since 0.1.
 */
TP_API int tp_sem_init(struct tp_sem *sem, uint32_t value);

/*
 * tp_sem_wait - waits for a permit and takes it. A program killed while it waits takes none away from the others.
 *
 * Context: blocks. Return: 0. Since 0.1.
 */
TP_API int tp_sem_wait(struct tp_sem *sem);

/* tp_sem_trywait - takes a permit if there is one; -EAGAIN: there is none. Async-signal-safe. Since 0.1. */
TP_API int tp_sem_trywait(struct tp_sem *sem);

/* tp_sem_timedwait - waits for at most `timeout` nanoseconds; -ETIMEDOUT: none was taken. Since 0.1. */
TP_API int tp_sem_timedwait(struct tp_sem *sem, int64_t timeout);

/*
 * tp_sem_post - gives a permit, and wakes one who waits.
 *
 * Context: async-signal-safe, does not block. Return: 0; -EOVERFLOW: there are TP_SEM_MAX already. Since 0.1.
 */
TP_API int tp_sem_post(struct tp_sem *sem);

/*
 * tp_barrier_init - a barrier for `count` threads of at most TP_BARRIER_PROGRAMS programs; also what mends a broken one, once nobody is
 * about to call tp_barrier_wait who does not know of it.
 *
 * Context: does not block. Return: 0; -EINVAL: `count` is 0 or above TP_BARRIER_MAX. Since 0.1.
 */
TP_API int tp_barrier_init(struct tp_barrier *barrier, uint32_t count);

/*
 * tp_barrier_wait - waits until `count` threads have come. Then the next round begins.
 *
 * The barrier remembers which programs have come since tp_barrier_init. If one of them has died before all have come, be it in this round or
 * after an earlier one, all who wait get -EOWNERDEAD, and so does everybody else until tp_barrier_init. A program that dies before it has
 * ever come is not known; use a time-out in a first round.
 *
 * @timeout: nanoseconds. Who gives up has not come: the others wait for him or for another.
 *
 * Context: blocks. Return:
 *   0             all have come
 *   1             as 0, for one of them
 *   -EOWNERDEAD   one of them has died; the barrier is broken
 *   -ETIMEDOUT    not all have come
 *   -EINVAL       no tp_barrier_init yet
 *   -ENOSPC       programs: there are TP_BARRIER_PROGRAMS others already
 * Since 0.1.
 */
TP_API int tp_barrier_wait(struct tp_barrier *barrier, int64_t timeout);

/* tp_rwlock_init - a free lock, whatever the memory held. Nobody may use it meanwhile. Context: does not block. Return: 0. Since 0.1. */
TP_API int tp_rwlock_init(struct tp_rwlock *lock);

/*
 * tp_rwlock_rdlock - waits until this thread may read: no writer holds the lock or waits for it.
 *
 * A thread may hold several, also while a writer waits. At most TP_RWLOCK_READERS read locks are held at once; further ones wait.
 *
 * A reader that dies is a reader that has left. If a writer dies while it writes, one of those who wait, reader or writer, is given the lock
 * for WRITING with -EOWNERDEAD, so that it can repair.
 *
 * Context: blocks. Return:
 *   0                  held for reading
 *   -EOWNERDEAD        held for WRITING, a writer has died: repair, tp_rwlock_consistent, tp_rwlock_unlock, then ask again
 *   -ENOTRECOVERABLE   not held, and never again: unlocked after -EOWNERDEAD without tp_rwlock_consistent
 *   -EDEADLK           not held: the calling thread has it for writing
 * Since 0.1.
 */
TP_API int tp_rwlock_rdlock(struct tp_rwlock *lock);

/*
 * tp_rwlock_wrlock - waits until this thread is alone. Readers that come later wait for it.
 *
 * Context: blocks. Return: as tp_rwlock_rdlock, but 0: held for writing; -EDEADLK: also, the calling thread has it for reading. Since 0.1.
 */
TP_API int tp_rwlock_wrlock(struct tp_rwlock *lock);

/* tp_rwlock_tryrdlock, _trywrlock - as above, but do not wait: -EBUSY (-EAGAIN: TP_RWLOCK_READERS are there). Since 0.1. */
TP_API int tp_rwlock_tryrdlock(struct tp_rwlock *lock);
TP_API int tp_rwlock_trywrlock(struct tp_rwlock *lock);

/* tp_rwlock_timedrdlock, _timedwrlock - as above, for at most `timeout` nanoseconds: -ETIMEDOUT. Since 0.1. */
TP_API int tp_rwlock_timedrdlock(struct tp_rwlock *lock, int64_t timeout);
TP_API int tp_rwlock_timedwrlock(struct tp_rwlock *lock, int64_t timeout);

/*
 * tp_rwlock_unlock - gives back a read lock of this thread, or this program's write lock; wakes those who wait.
 *
 * Context: async-signal-safe, does not block. Return: 0; -EPERM: neither is held. Since 0.1.
 */
TP_API int tp_rwlock_unlock(struct tp_rwlock *lock);

/* tp_rwlock_consistent - as tp_mutex_consistent. Since 0.1. */
TP_API int tp_rwlock_consistent(struct tp_rwlock *lock);

TP_END
#endif
