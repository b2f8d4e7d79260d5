/* SPDX-License-Identifier: MIT */
/*
 * The fence between "I sleep" and "is there anything?", executed by the sleeper for both.
 *
 *	sender                              consumer
 *	slot = message    (release)         attention |= ASLEEP   (seq_cst)
 *	light fence                         heavy fence
 *	attention?        (relaxed)         slot?                 (acquire)
 *
 * One of them must see the other, or the consumer sleeps beside a message. That takes a full fence on both sides: without one the
 * processor may do the sender's load before its store can be seen. The sender's would cost more than all the rest of a send. But
 * membarrier makes each running thread of an address space execute a full fence at some moment during the call. So the sender's light
 * fence is only one for the compiler, and the fence happens, from the outside, at some point of the sender's program:
 *
 *	before its store     the store comes after the fence, and so does its load of attention: it sees ASLEEP, which was stored before
 *	                     the membarrier
 *	after its load       the store came before the fence, and the consumer looks after it: it sees the message
 *	between              both
 *
 * A thread that does not run at that moment has passed, or will pass, full fences of the scheduler: the same three cases.
 *
 * The same holds, with the roles changed, for a producer that sleeps until its lane has room.
 *
 * Which membarrier reaches whom: PRIVATE_EXPEDITED all threads of the caller's address space, that is all members; GLOBAL_EXPEDITED all
 * that have registered for it, as members do at their first use of a channel. It is what a sleeping satellite uses. Nobody's membarrier
 * is sure to reach a satellite: a satellite executes its light fences in full.
 *
 * Where the kernel has no membarrier (or a filter forbids it) a sleeper says so in the word that the other side looks at, and both
 * execute full fences. The bit may be new to a sender that is in the middle of a send: sleeps are cut into slices there.
 */
#include <linux/membarrier.h>
#include <linux/mman.h>
#include <sys/auxv.h>

#include "chan.h"
#include "syscall.h"

enum how {
	NOT_ASKED,
	SHARED,		/* in the group's address space: PRIVATE_EXPEDITED */
	APART,		/* GLOBAL_EXPEDITED; own light fences in full */
	SHARED_WITHOUT, /* no membarrier */
	APART_WITHOUT,
};

struct tpi_chan_process *tpi_chan_process(void)
{
	void *have = __atomic_load_n(&tpi_self.part[TPI_PART_CHAN], __ATOMIC_ACQUIRE);
	void *p;

	if (have)
		return have;
	p = tpi_pages(sizeof(struct tpi_chan_process));
	if (!p) {
		tpi_say(-ENOMEM, "the kernel has no memory for what libtp keeps of this process's channels");
		return NULL;
	}
	arch_syscall3(ARCH_NR_madvise, (long)p, sizeof(struct tpi_chan_process), MADV_WIPEONFORK);
	if (!__atomic_compare_exchange_n(&tpi_self.part[TPI_PART_CHAN], &have, p, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		tpi_pages_free(p, sizeof(struct tpi_chan_process));
		return have;
	}
	return p;
}

void tpi_chan_forget_process(void)
{
	struct tpi_chan_process *p = tpi_self.part[TPI_PART_CHAN];

	if (!p)
		return;
	tpi_chan_close_fds(p);
	tpi_self.part[TPI_PART_CHAN] = NULL;
	tpi_pages_free(p, sizeof(*p));
}

static bool membarrier(int command)
{
	return arch_syscall3(ARCH_NR_membarrier, command, 0, 0) == 0;
}

/* A member was made by the loader, which says so in the auxiliary vector; satellites and the forked programs of tests were not. */
static bool in_the_group(void)
{
	return !tpi_self.satellite && getauxval(TP_AT_TP) == (unsigned long)(uintptr_t)tpi_self.segment;
}

static enum how ask(void)
{
	if (!in_the_group())
		return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) ? APART : APART_WITHOUT;
	return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
			membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)
		? SHARED
		: SHARED_WITHOUT;
}

/* Threads that are first at once find out the same. */
static enum how how(void)
{
	struct tpi_chan_process *p = tpi_chan_process();
	enum how h = p ? __atomic_load_n(&p->how, __ATOMIC_RELAXED) : NOT_ASKED;

	if (h == NOT_ASKED) {
		h = ask();
		if (p)
			__atomic_store_n(&p->how, h, __ATOMIC_RELAXED);
	}
	return h;
}

bool tpi_chan_light_needs_fence(void)
{
	return how() != SHARED;
}

bool tpi_chan_can_heavy(void)
{
	return how() == SHARED || how() == APART;
}

bool tpi_chan_heavy_fence(void)
{
	bool reached = false;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	switch (how()) {
	case SHARED: reached = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); break;
	case APART: reached = membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED); break;
	default: break;
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return reached;
}
