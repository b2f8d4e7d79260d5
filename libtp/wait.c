/* SPDX-License-Identifier: MIT */
/*
 * Sleeping on a word of the segment, so that neither a wake nor a death is missed.
 *
 * The sleeper waits for two words at once (futex_waitv): its own, and one of deaths[], which the supervisor counts up whenever a program
 * has died (tp_seg_announce_death in loader/supervise/segment.c is the partner).
 *
 *	sleeper                               supervisor
 *	set bit in sleepers   (seq_cst)       state = DEAD           (release)
 *	d = deaths[n]         (seq_cst)       deaths[n]++            (seq_cst)
 *	look: owner alive?    (acquire)       bit set in sleepers?   (seq_cst)
 *	waitv(word, deaths[n] == d)           wake deaths[n]
 *
 * In the one order of the seq_cst operations either the bit comes before the supervisor's look at it: then the wake comes, and the kernel's
 * comparison makes it good even when the sleeper is not asleep yet. Or the look comes first: then so did the count, the sleeper reads the
 * new one (which synchronises with it) and finds the owner dead.
 *
 * Kernels before 5.16 have no futex_waitv: there the sleep is cut into slices.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <time.h>

#include "core.h"
#include "counters.h"
#include "syscall.h"

enum { SLICE_NS = 100000000 };

struct waitv {
	uint64_t value, address;
	uint32_t flags, reserved;
};

static int no_waitv;

int64_t tpi_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * TP_SECOND + t.tv_nsec;
}

int64_t tpi_deadline(int64_t timeout)
{
	int64_t now;

	if (timeout < 0)
		return TP_FOREVER;
	now = tpi_now();
	return timeout > INT64_MAX - now ? INT64_MAX : now + timeout;
}

static uint32_t *deaths_word(void)
{
	return &tpi_self.segment->deaths[tpi_self.index % TP_DEATH_WORDS];
}

uint32_t tpi_wait_begin(void)
{
	uint64_t bit = UINT64_C(1) << tpi_self.index % TP_DEATH_WORDS;
	uint64_t *sleepers = &tpi_self.segment->sleepers;

	if (!(__atomic_load_n(sleepers, __ATOMIC_SEQ_CST) & bit))
		__atomic_fetch_or(sleepers, bit, __ATOMIC_SEQ_CST);
	return __atomic_load_n(deaths_word(), __ATOMIC_SEQ_CST);
}

static struct timespec at(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / TP_SECOND, .tv_nsec = ns % TP_SECOND};
}

static long wait_two(uint32_t *word, uint32_t value, uint32_t deaths, int64_t deadline)
{
	struct waitv two[2] = {
		{.value = value, .address = (uintptr_t)word, .flags = FUTEX_32},
		{.value = deaths, .address = (uintptr_t)deaths_word(), .flags = FUTEX_32},
	};
	struct timespec end = at(deadline);

	return arch_syscall6(ARCH_NR_futex_waitv, (long)two, 2, 0,
		deadline == TP_FOREVER ? 0 : (long)&end, CLOCK_MONOTONIC, 0);
}

static long wait_slice(uint32_t *word, uint32_t value, int64_t deadline)
{
	int64_t slice = tpi_now() + SLICE_NS;
	bool last = deadline != TP_FOREVER && deadline <= slice;
	struct timespec end = at(last ? deadline : slice);
	long r = arch_syscall6(ARCH_NR_futex, (long)word, FUTEX_WAIT_BITSET, value, (long)&end, 0,
		FUTEX_BITSET_MATCH_ANY);

	return r == -ETIMEDOUT && !last ? 0 : r;
}

int tpi_wait(uint32_t *word, uint32_t value, uint32_t deaths, int64_t deadline)
{
	long r;

	tpi_count(TP_COUNTER_WAITS);
	if (!__atomic_load_n(&no_waitv, __ATOMIC_RELAXED)) {
		r = wait_two(word, value, deaths, deadline);
		if (r != -ENOSYS && r != -EPERM)
			return r == -ETIMEDOUT ? -ETIMEDOUT : 0;
		__atomic_store_n(&no_waitv, 1, __ATOMIC_RELAXED);
	}
	r = wait_slice(word, value, deadline);
	return r == -ETIMEDOUT ? -ETIMEDOUT : 0;
}

int tpi_wait_a_while(uint32_t *word, uint32_t value, uint32_t deaths, int64_t deadline)
{
	int64_t slice = tpi_now() + SLICE_NS;

	if (deadline != TP_FOREVER && deadline <= slice)
		return tpi_wait(word, value, deaths, deadline);
	tpi_wait(word, value, deaths, slice);
	return 0;
}

void tpi_wake(uint32_t *word, int count)
{
	arch_syscall6(ARCH_NR_futex, (long)word, FUTEX_WAKE, count, 0, 0, 0);
}

/* The kernel adds under the lock of its list of sleepers. The comparison is for a second wake, which is not wanted: it seldom holds. */
void tpi_count_and_wake(uint32_t *word, int count)
{
	long r;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	r = arch_syscall6(ARCH_NR_futex, (long)word, FUTEX_WAKE_OP, count, 0, (long)word,
		FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0xfff));
	if (r < 0) {
		__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
		tpi_wake(word, count);
	}
}
