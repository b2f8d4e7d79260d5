/* SPDX-License-Identifier: MIT */
/* What the tests of locks begin with: a group, this process in it, and a page of the segment that holds the locks. */
#ifndef TP_TESTS_LOCK_GROUP_H
#define TP_TESTS_LOCK_GROUP_H

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "fixture.h"
#include "killstep.h"
#include "tp/abi/lock.h"
#include <tp/lock.h>

/* Only so that a hang becomes a failure. */
#define LONG (20 * TP_SECOND)

struct room {
	struct tp_mutex m, m2;
	struct tp_cond c;
	struct tp_sem s, s2;
	struct tp_rwlock l;
	struct tp_barrier b;
	uint64_t count, other;
	uint32_t ready, inside, go, broken, bits;
};

#define room ((struct room *)TP_HEAP_BASE)

static inline int clear(void **state)
{
	(void)state;
	memset(room, 0, sizeof(*room));
	return 0;
}

static inline uint32_t get(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void set(uint32_t *p, uint32_t value)
{
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static inline void add(uint32_t *p, int n)
{
	__atomic_fetch_add(p, n, __ATOMIC_ACQ_REL);
}

static inline void wait_until(const uint32_t *p, uint32_t value)
{
	for (int i = 0; get(p) < value; i++)
		i < 100 ? sched_yield() : usleep(200);
}

/* Until the process sleeps in the kernel, as a waiter does. */
void wait_until_asleep(pid_t pid);

/* Another program, which waits for what the victim of a killstep has or is about to have. */
struct lock_other {
	pid_t pid;
	uint64_t id;
};

extern struct lock_other other;

void start_other(int (*fn)(void *arg));
bool other_has_ended(void);
/* What fn returned; 199: it was killed. */
int join_other(void);

#define TEST(f) cmocka_unit_test_setup(f, clear)

#endif
