/* SPDX-License-Identifier: MIT */
/*
 * The word that says which program holds a mutex, or writes under a read-write lock. See lockword.c for the reasoning.
 */
#ifndef TPI_LOCKWORD_H
#define TPI_LOCKWORD_H

#include <errno.h>

#include "core.h"
#include "tls.h"
#include "tp/abi/lock.h"

/* Why a lock cannot be where it is, or what tpi_ready says; 0: it can after all. */
int tpi_lock_refuse(const void *lock, size_t size) TPI_HIDDEN __attribute__((cold));

/*
 * How far into the heap locks may begin, in eights of bytes; all but the last TP_LOCK_MAX bytes of it. Locks there, and in the segment's other
 * areas, are left to tpi_lock_refuse.
 */
static inline uint64_t tpi_lock_reach(const struct tp_segment *s)
{
	uint64_t size = s->areas[TP_AREA_HEAP].size;

	return size > TP_LOCK_MAX ? (size - TP_LOCK_MAX) >> 3 : 0;
}

/* One comparison for all: attached, in the heap, and aligned. false: ask tpi_lock_check. */
static inline bool tpi_lock_near(const void *lock)
{
	uint64_t offset = (uintptr_t)lock - TP_HEAP_BASE;

	return (offset >> 3 | offset << 61) < tpi_self.lock_reach;
}

/* Counts what is to be counted, says the rest in words. Return: error. */
int tpi_lock_say(int error) TPI_HIDDEN;

/* What a public call of a lock returns. */
static inline int tpi_lock_answer(int r)
{
	return tpi_likely(r >= 0) ? r : tpi_lock_say(r);
}

static inline int tpi_lock_check(const void *lock, size_t size)
{
	return tpi_likely(tpi_lock_near(lock)) ? 0 : tpi_lock_refuse(lock, size);
}

/* Takes a free word. Acquire: with the release in tp_mutex_unlock and tpi_lockword_free_and_wake. */
static inline bool tpi_lockword_try(uint32_t *word)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(word, &free, tpi_self.tag, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline bool tpi_lockword_mine(const uint32_t *word)
{
	return TP_LOCK_TAG(__atomic_load_n(word, __ATOMIC_RELAXED)) == tpi_self.tag;
}

/*
 * The holder's thread, for -EDEADLK alone: a thread reads its own value only if it was the last to write here, and it clears it before it
 * frees the word.
 */
static inline void tpi_holder_set(uint64_t *holder, uint64_t thread)
{
	__atomic_store_n(holder, thread, __ATOMIC_RELAXED);
}

enum { TPI_LOCK_TAKEN_OVER = 1 };

/*
 * Takes the word, however long that takes; `timeout` in nanoseconds.
 *
 * Return: 0; TPI_LOCK_TAKEN_OVER: the last holder died; not held: -ENOTRECOVERABLE, -EDEADLK, -ETIMEDOUT.
 */
int tpi_lockword_lock(uint32_t *word, const uint64_t *holder, int64_t timeout) TPI_HIDDEN;

/* Waits until the word is free, without taking it. Return: as above, but 0: it was free. `end`: tpi_deadline's. */
int tpi_lockword_wait(uint32_t *word, const uint64_t *holder, int64_t end) TPI_HIDDEN;

/* One look. Return: as tpi_lockword_lock, but -EBUSY for -EDEADLK and -ETIMEDOUT. */
int tpi_lockword_trylock(uint32_t *word) TPI_HIDDEN;
/* The same, but a free word is not taken. */
int tpi_lockword_look(uint32_t *word) TPI_HIDDEN;

/* Somebody may sleep: frees the word, or makes it TP_LOCK_LOST for `to`, and wakes `count`, in one step. */
void tpi_lockword_free_and_wake(uint32_t *word, uint32_t to, int count) TPI_HIDDEN;

#endif
