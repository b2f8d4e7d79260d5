/* SPDX-License-Identifier: MIT */
/*
 * The table of a process's threads: open addressing, keyed by the thread pointer, in private memory that a forked child does not get.
 *
 * Only a thread itself inserts its key and takes it out again, so a look-up of one's own key races with nothing that could change its
 * answer: relaxed loads are enough. A slot's `thread` is stored before its key (release).
 */
#ifndef TPI_THREADS_H
#define TPI_THREADS_H

#include "tls.h"

enum { TPI_THREADS_SLOTS = 16384, TPI_THREADS_MAX = 12288, TPI_THREADS_WAS_USED = 1, TPI_THREADS_CLAIMED = 2 };

struct tpi_threads_slot {
	uintptr_t key; /* the thread pointer; 0: never used; TPI_THREADS_* */
	struct tpi_thread *thread;
};

struct tpi_threads {
	struct tpi_threads_slot slot[TPI_THREADS_SLOTS];
	uint32_t count;
	struct tpi_thread *spare; /* of threads that have ended; under `lock` */
	uintptr_t lock;           /* the holder's thread pointer; 0: free */
	char *room, *room_end, *rooms;
};

static inline uint32_t tpi_threads_hash(uintptr_t pointer)
{
	return (uint32_t)((pointer * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
}

static inline struct tpi_thread *tpi_threads_find(struct tpi_threads *t)
{
	uintptr_t pointer = arch_thread_pointer();
	struct tpi_threads_slot *s = &t->slot[tpi_threads_hash(pointer)];

	if (tpi_likely(__atomic_load_n(&s->key, __ATOMIC_RELAXED) == pointer))
		return s->thread;
	return tpi_threads_make(t, pointer);
}

#endif
