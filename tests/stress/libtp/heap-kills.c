/* SPDX-License-Identifier: MIT */
/*
 * heap-kills [KILLS [WORKERS]]: programs allocate, fill, hand over, check and free, and one after the other is killed at any moment. After each
 * kill the heap is sound while the others go on; at the end each block is accounted for: what a killed program had in its hands
 * is lost, and nothing else is.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap-near.h"
#include "tpgroup.h"
#include <tp/heap.h>

enum { SLOTS = 400, HANDS = 4, WORKERS_MAX = 16 };

struct block {
	uint64_t size, seed;
	unsigned char fill[];
};

/* Outside of the heap, so that its damage would not hide the heap's. */
struct shared {
	struct block *slot[SLOTS];
	uint64_t turns[WORKERS_MAX];
	uint32_t bad, over;
};

static struct shared *shared;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Some are so large that they go back to the kernel at once; all together fill the heap now and then. */
static size_t some_size(uint64_t r)
{
	if (r % 256 == 7)
		return 24 + (r >> 8) % (8 << 20);
	switch (r % 32) {
	case 0: return 24 + (r >> 8) % 400000;
	case 1: return 24 + (r >> 8) % 100000;
	case 2:
	case 3: return 24 + (r >> 8) % 16000;
	default: return 24 + (r >> 8) % 1000;
	}
}

/* The ends say enough of large ones. */
static size_t checked(const struct block *b)
{
	size_t n = b->size - sizeof(*b);

	return n < 256 ? n : 256;
}

static struct block *make(uint64_t *state)
{
	size_t size = some_size(next_random(state));
	struct block *b = next_random(state) % 8 ? tp_malloc(size) : tp_aligned_alloc(64, size);

	if (!b)
		return NULL;
	b->size = size;
	b->seed = next_random(state);
	memset(b->fill, (int)b->seed, checked(b));
	((unsigned char *)b)[size - 1] = (unsigned char)b->seed;
	return b;
}

static int check(const struct block *b)
{
	for (size_t i = 0; i < checked(b); i++)
		if (b->fill[i] != (unsigned char)b->seed)
			return 0;
	return ((const unsigned char *)b)[b->size - 1] == (unsigned char)b->seed && tp_usable_size(b) >= b->size;
}

/* Takes what is in a slot and puts its own there: at any moment it has two blocks, or an arena's, in its hands. */
static void turn(uint64_t *state)
{
	struct block *b = make(state), *old;
	struct tp_arena *arena;

	if (next_random(state) % 64 == 0 && tp_arena_create(&arena) == 0) {
		for (int i = 0; i < 100; i++)
			tp_arena_alloc(arena, next_random(state) % 3000, 0);
		tp_arena_destroy(arena);
	}
	old = __atomic_exchange_n(&shared->slot[next_random(state) % SLOTS], b, __ATOMIC_ACQ_REL);
	if (!old)
		return;
	if (!check(old))
		__atomic_store_n(&shared->bad, 1, __ATOMIC_RELAXED);
	if (next_random(state) % 16 == 0) {
		struct block *moved = tp_realloc(old, old->size + 500);

		if (moved)
			old = moved;
	}
	if (tp_free(old))
		__atomic_store_n(&shared->bad, 2, __ATOMIC_RELAXED);
}

static int work(void *arg)
{
	uint64_t n = (uint64_t)(uintptr_t)arg, state = 88172645463325252 + (uint64_t)getpid() * 7919;

	/* The judge may fail, or be killed itself. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!__atomic_load_n(&shared->over, __ATOMIC_RELAXED)) {
		turn(&state);
		__atomic_fetch_add(&shared->turns[n], 1, __ATOMIC_RELAXED);
	}
	return 0;
}

struct worker {
	pid_t pid;
	uint64_t id;
};

static void start(struct worker *w, int n)
{
	w->id = tpgroup_add("worker");
	w->pid = tpgroup_fork(w->id, work, (void *)(uintptr_t)n);
}

static int fail(int kill_no, const char *what)
{
	fprintf(stderr, "kill %d: %s: %s\n", kill_no, what, tp_why());
	return 1;
}

/* The one that was killed, and one that lives, each made some turns since it was started. */
static void let_work(int n)
{
	for (uint64_t since = __atomic_load_n(&shared->turns[n], __ATOMIC_RELAXED), i = 0; i < 20000; i++) {
		if (__atomic_load_n(&shared->turns[n], __ATOMIC_RELAXED) > since + 20)
			return;
		usleep(100);
	}
	fprintf(stderr, "a worker stands still\n");
	exit(1);
}

static int account(int kills)
{
	struct tp_heap_usage usage;
	uint64_t in_slots = 0;

	tpi_reap(tpi_heap_mine());
	if (tp_heap_check() || tp_heap_stats(0, &usage))
		return fail(kills, "at the end");
	for (int i = 0; i < SLOTS; i++)
		in_slots += shared->slot[i] != NULL;
	printf("%d kills: %llu blocks in use, %llu of them in slots\n", kills, (unsigned long long)usage.blocks, (unsigned long long)in_slots);
	if (usage.blocks < in_slots || usage.blocks - in_slots > (uint64_t)kills * HANDS)
		return fail(kills, "blocks that nobody had are lost");
	for (int i = 0; i < SLOTS; i++)
		if (shared->slot[i] && (!check(shared->slot[i]) || tp_free(shared->slot[i])))
			return fail(kills, "a block is damaged");
	return tp_heap_check() ? fail(kills, "after all was freed") : 0;
}

int main(int argc, char **argv)
{
	int kills = argc > 1 ? atoi(argv[1]) : 500, n = argc > 2 ? atoi(argv[2]) : 4;
	static struct worker worker[WORKERS_MAX];
	uint64_t state = (uint64_t)getpid() * 6364136223846793005 + 1;

	n = n > 0 && n <= WORKERS_MAX ? n : 4;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	tpgroup_open(UINT64_C(24) << 20);
	tpgroup_be(tpgroup_add("judge"));
	for (int i = 0; i < n; i++)
		start(&worker[i], i);
	for (int i = 0; i < kills; i++) {
		int victim = (int)(next_random(&state) % (uint64_t)n);

		let_work((victim + 1) % n);
		usleep((useconds_t)(next_random(&state) % 2000));
		tpgroup_kill(worker[victim].pid, worker[victim].id);
		if (tp_heap_check())
			return fail(i, "the heap is not sound");
		if (__atomic_load_n(&shared->bad, __ATOMIC_RELAXED))
			return fail(i, shared->bad == 1 ? "a block was damaged" : "a block could not be freed");
		start(&worker[victim], victim);
	}
	__atomic_store_n(&shared->over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < n; i++)
		if (tpgroup_join(worker[i].pid, worker[i].id))
			return fail(kills, "a worker has failed");
	return account(kills);
}
