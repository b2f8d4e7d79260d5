/* SPDX-License-Identifier: MIT */
/* Locks for memory of the group segment. They work between libcs and CPUs' threads of any program, and survive their holders. */
#ifndef TP_LOCK_H
#define TP_LOCK_H

#include <tp/base.h>

/* All zero is a valid, free lock. They must lie in the group segment (-EFAULT else), aligned to 8. */
struct tp_mutex { uint32_t word, state; uint64_t reserved; };
struct tp_cond { uint32_t seq, waiters; uint64_t reserved; };
struct tp_sem { uint32_t value, waiters; uint64_t reserved; };
struct tp_barrier { uint32_t count, arrived, round, broken; uint64_t owner[2]; };
struct tp_rwlock { uint32_t word, state; uint64_t reserved[3]; };

TP_BEGIN

TP_API int tp_mutex_init(struct tp_mutex *m);
/* 0; -EOWNERDEAD: held now, but the last holder died in it: repair the data, then tp_mutex_consistent; -ENOTRECOVERABLE: somebody unlocked it
 * without that; -EDEADLK where it can be told. */
TP_API int tp_mutex_lock(struct tp_mutex *m);
TP_API int tp_mutex_trylock(struct tp_mutex *m);	/* -EBUSY */
TP_API int tp_mutex_timedlock(struct tp_mutex *m, int64_t timeout);	/* -ETIMEDOUT */
TP_API int tp_mutex_unlock(struct tp_mutex *m);	/* -EPERM: not this program's */
TP_API int tp_mutex_consistent(struct tp_mutex *m);

TP_API int tp_cond_init(struct tp_cond *c);
TP_API int tp_cond_wait(struct tp_cond *c, struct tp_mutex *m);
TP_API int tp_cond_timedwait(struct tp_cond *c, struct tp_mutex *m, int64_t timeout);
TP_API int tp_cond_signal(struct tp_cond *c);
TP_API int tp_cond_broadcast(struct tp_cond *c);

TP_API int tp_sem_init(struct tp_sem *s, uint32_t value);
TP_API int tp_sem_wait(struct tp_sem *s);
TP_API int tp_sem_trywait(struct tp_sem *s);
TP_API int tp_sem_timedwait(struct tp_sem *s, int64_t timeout);
TP_API int tp_sem_post(struct tp_sem *s);

/* A participant that dies before all have come: -EOWNERDEAD to those who wait, until tp_barrier_init. */
TP_API int tp_barrier_init(struct tp_barrier *b, uint32_t count);
TP_API int tp_barrier_wait(struct tp_barrier *b, int64_t timeout);	/* 1 to one of them, 0 to the others */

TP_API int tp_rwlock_init(struct tp_rwlock *l);
TP_API int tp_rwlock_rdlock(struct tp_rwlock *l);
TP_API int tp_rwlock_wrlock(struct tp_rwlock *l);
TP_API int tp_rwlock_tryrdlock(struct tp_rwlock *l);
TP_API int tp_rwlock_trywrlock(struct tp_rwlock *l);
TP_API int tp_rwlock_unlock(struct tp_rwlock *l);

TP_END
#endif
