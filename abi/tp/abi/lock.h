/* SPDX-License-Identifier: MIT */
/*
 * What the words of locks hold. The structs themselves are public (<tp/lock.h>), because programs put them into structs of their own;
 * their sizes are frozen here.
 *
 * A lock word is 0 (free), TP_LOCK_LOST, or TP_TAG(program that holds it), the last two with TP_LOCK_WAITERS set if somebody may sleep for it. A
 * tag is never 0 and never all ones.
 */
#ifndef TP_ABI_LOCK_H
#define TP_ABI_LOCK_H

#include <stdint.h>

#define TP_LOCK_WAITERS		UINT32_C(0x80000000)
#define TP_LOCK_LOST		UINT32_C(0x7fffffff)	/* for ever: what it guarded was left unrepaired */
#define TP_LOCK_TAG(word)	((word) & ~TP_LOCK_WAITERS)

/* tp_mutex.state, tp_rwlock.state: written under the lock only. */
#define TP_LOCK_CLEAN		0u
#define TP_LOCK_UNREPAIRED	1u	/* a holder died; the present one has not called _consistent yet */
#define TP_LOCK_WRITING		2u	/* rwlock: all readers have left, the writer is at work */

/* tp_rwlock.reader[]: 0, or the tag of a program and what tells its threads apart. */
#define TP_READER_TAG(slot)	((uint32_t)((slot) >> 32))

/* tp_barrier.state: round << 32 | broken << 31 | arrived */
#define TP_BARRIER_BROKEN	UINT64_C(0x80000000)
#define TP_BARRIER_ARRIVED(s)	((uint32_t)(s) & 0x7fffffff)
#define TP_BARRIER_ROUND(s)	((uint32_t)((s) >> 32))
#define TP_BARRIER_INIT_STEP	0x10000u	/* tp_barrier_init moves the round by so much: none that ends adds up to it */

#define TP_MUTEX_SIZE		16
#define TP_COND_SIZE		16
#define TP_SEM_SIZE		16
#define TP_BARRIER_SIZE		256
#define TP_RWLOCK_SIZE		512
#define TP_LOCK_MAX		512	/* the largest of them */

#endif
