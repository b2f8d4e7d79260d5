/* SPDX-License-Identifier: MIT */
/*
 * killed-figures [KILLS]: programs around a real segment allocate and free as fast as they can, each with two threads, and are killed with
 * SIGKILL at any moment. What they hold is noted in shared memory, so that it can be freed afterwards: what then is still in use is lost. One
 * line: kills, threads killed, blocks lost, heap checks that failed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core.h"
#include "tpgroup.h"
#include <tp/heap.h>

enum { THREADS = 2, HELD = 256 };

/* A block is noted after it was allocated, and struck out before it is freed: one a thread may be in flight. */
static struct ledger {
	void *held[THREADS][HELD];
	uint32_t ready;
} *ledger;

static void *churn(void *arg)
{
	void **held = arg;
	unsigned seed = (unsigned)(uintptr_t)arg ^ (unsigned)tpi_self.id;

	__atomic_fetch_add(&ledger->ready, 1, __ATOMIC_RELEASE);
	for (;;) {
		void **slot = &held[rand_r(&seed) % HELD];
		void *p = *slot;

		__atomic_store_n(slot, NULL, __ATOMIC_RELEASE);
		if (p)
			tp_free(p);
		p = tp_malloc(16 + (unsigned)rand_r(&seed) % (rand_r(&seed) % 64 ? 1000 : 100000));
		__atomic_store_n(slot, p, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int program(void *arg)
{
	pthread_t other;

	(void)arg;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&other, NULL, churn, ledger->held[1]))
		return 1;
	churn(ledger->held[0]);
	return 0;
}

static uint64_t in_use(void)
{
	struct tp_heap_usage usage;

	return tp_heap_stats(0, &usage) ? 0 : usage.blocks;
}

static void free_noted(void)
{
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < HELD; i++) {
			if (ledger->held[t][i])
				tp_free(ledger->held[t][i]);
			ledger->held[t][i] = NULL;
		}
}

static void kill_one(void)
{
	uint64_t id = tpgroup_add("churn");
	pid_t pid;

	ledger->ready = 0;
	pid = tpgroup_fork(id, program, NULL);
	while (__atomic_load_n(&ledger->ready, __ATOMIC_ACQUIRE) < THREADS)
		usleep(100);
	usleep(1000 + (useconds_t)(rand() % 3000));
	tpgroup_kill(pid, id);
}

int main(int argc, char **argv)
{
	int kills = argc > 1 ? atoi(argv[1]) : 300, broken = 0;
	uint64_t before;

	ledger = mmap(NULL, sizeof(*ledger), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	tpgroup_open(UINT64_C(1) << 30);
	tpgroup_be(tpgroup_add("me"));
	tp_free(tp_malloc(16));
	before = in_use();
	for (int i = 0; i < kills; i++) {
		kill_one();
		free_noted();
		broken += tp_heap_check() != 0;
	}
	printf("killed %d %d %lld %d\n", kills, kills * THREADS, (long long)(in_use() - before), broken);
	tpgroup_close();
	return 0;
}
