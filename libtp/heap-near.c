/* SPDX-License-Identifier: MIT */
/* The table in which threads find their parts of the heap: see heap-near.h. */
#include <linux/mman.h>
#include <string.h>

#include "heap-near.h"

struct tpi_near tpi_near __attribute__((aligned(4096)));

/* Whoever comes while the first place is free gets it, until it ends. */
void tpi_near_put(struct tpi_heap *t)
{
	uintptr_t pointer = arch_thread_pointer(), none = 0;

	tpi_set(tpi_near.part[tpi_near_hash(pointer)], (intptr_t)((uintptr_t)t - (uintptr_t)&tpi_near.nobody));
	if (tpi_get(tpi_near.first_taken) ||
		!__atomic_compare_exchange_n(&tpi_near.first_taken, &none, pointer, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	tpi_near.first = t;
	tpi_then();
	tpi_set(tpi_near.first_pointer, pointer);
}

void tpi_near_leave(void)
{
	uintptr_t pointer = arch_thread_pointer();

	tpi_set(tpi_near.part[tpi_near_hash(pointer)], 0);
	if (tpi_get(tpi_near.first_pointer) != pointer)
		return;
	tpi_set(tpi_near.first_pointer, 0);
	__atomic_store_n(&tpi_near.first_taken, 0, __ATOMIC_RELEASE);
}

void tpi_near_forget(void)
{
	memset(&tpi_near, 0, offsetof(struct tpi_near, nobody));
}

void tpi_near_wipe_on_fork(void)
{
	arch_syscall3(ARCH_NR_madvise, (long)&tpi_near, offsetof(struct tpi_near, nobody), MADV_WIPEONFORK);
}
