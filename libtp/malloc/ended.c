/* SPDX-License-Identifier: MIT */
/*
 * Threads that are about to be gone. Behind the destructors of its keys a thread still frees what the C library kept for it (strerror's
 * text). To give it a part of the heap again for that would be for good, since nobody would hear of its end a second time: it frees as a
 * guest.
 *
 * A place is written by threads at their end, and two may mix in it. That harms nobody: who is taken for ended frees as a guest, which is
 * slower and right, and who is not found is given a part, which a thread with the same pointer inherits later.
 */
#include "region.h"
#include "syscall.h"

enum { PLACES = 256 };

static struct {
	uintptr_t pointer;
	long tid;
} ended[PLACES];

static uint32_t place_of(uintptr_t pointer)
{
	return tpi_threads_hash(pointer) % PLACES;
}

static void at_end(struct tpi_thread *thread)
{
	uint32_t i = place_of(thread->pointer);

	__atomic_store_n(&ended[i].tid, arch_syscall3(ARCH_NR_gettid, 0, 0, 0), __ATOMIC_RELAXED);
	__atomic_store_n(&ended[i].pointer, thread->pointer, __ATOMIC_RELAXED);
}

void tpi_ended_watch(void)
{
	tpi_threads_at_end(TPI_PART_ENDED, at_end);
}

/* Not another thread, which has been given the same pointer since. */
bool tpi_ended(void)
{
	uintptr_t pointer = arch_thread_pointer();
	uint32_t i = place_of(pointer);

	return tpi_unlikely(__atomic_load_n(&ended[i].pointer, __ATOMIC_RELAXED) == pointer) &&
	       __atomic_load_n(&ended[i].tid, __ATOMIC_RELAXED) == arch_syscall3(ARCH_NR_gettid, 0, 0, 0);
}
