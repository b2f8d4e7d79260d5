/* SPDX-License-Identifier: MIT */
/* Threads, and programs, that free each other's blocks: nothing is lost, nothing overlaps, and memory stays flat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap-near.h"
#include "tpgroup.h"
#include <tp/heap.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { TURNS = 4000, DEATHS = 100 };
#else
enum { TURNS = 40000, DEATHS = 1000 };
#endif

enum { HEAP = 256 << 20, THREADS = 4, SLOTS = 500, HELD = 100 };

struct block {
	size_t size;
	unsigned char fill[];
};

static struct block *slot[SLOTS];
static uint32_t bad;

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(HEAP);
	tpgroup_be(tpgroup_add("me"));
	memset(slot, 0, sizeof(slot));
	bad = 0;
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct block *make(uint64_t r)
{
	size_t size = sizeof(struct block) + 1 + (r >> 8) % (r % 64 ? 700 : r % 7 ? 20000 : 300000);
	struct block *b = tp_malloc(size);

	if (!b)
		return NULL;
	b->size = size;
	b->fill[0] = (unsigned char)size;
	((unsigned char *)b)[size - 1] = (unsigned char)size;
	return b;
}

static void drop(struct block *b)
{
	bool good = b->fill[0] == (unsigned char)b->size && ((unsigned char *)b)[b->size - 1] == (unsigned char)b->size;

	if (!good || tp_free(b))
		__atomic_store_n(&bad, 1, __ATOMIC_RELAXED);
}

static void *exchange(void *arg)
{
	uint64_t state = 88172645463325252 + (uint64_t)(uintptr_t)arg * 7919;

	for (int i = 0; i < TURNS; i++) {
		struct block *b = make(next_random(&state));

		if (b)
			b = __atomic_exchange_n(&slot[next_random(&state) % SLOTS], b, __ATOMIC_ACQ_REL);
		if (b)
			drop(b);
	}
	return NULL;
}

static uint64_t blocks(void)
{
	struct tp_heap_usage usage;

	assert_int_equal(tp_heap_check(), 0);
	assert_int_equal(tp_heap_stats(0, &usage), 0);
	return usage.blocks;
}

static void run_threads(void *(*fn)(void *), uintptr_t seed)
{
	pthread_t thread[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, fn, (void *)(seed + i)), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void threads_free_each_others_blocks(void **state)
{
	(void)state;
	for (uintptr_t round = 0; round < 4; round++) {
		uint64_t in_slots = 0;

		run_threads(exchange, round * 100);
		for (int i = 0; i < SLOTS; i++)
			in_slots += slot[i] != NULL;
		assert_int_equal(blocks(), in_slots);
	}
	for (int i = 0; i < SLOTS; i++)
		if (slot[i])
			drop(slot[i]);
	assert_int_equal(bad, 0);
	assert_int_equal(blocks(), 0);
}

/* The check may be called while others work. */
static void *check_often(void *arg)
{
	uint32_t *over = arg;

	while (!__atomic_load_n(over, __ATOMIC_ACQUIRE))
		if (tp_heap_check())
			__atomic_store_n(&bad, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void a_check_finds_nothing_wrong_in_a_busy_heap(void **state)
{
	uint32_t over = 0;
	pthread_t checker;

	(void)state;
	pthread_create(&checker, NULL, check_often, &over);
	run_threads(exchange, 7);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	pthread_join(checker, NULL);
	if (bad)
		print_message("%s\n", tp_why());
	assert_int_equal(bad, 0);
}

static void *take_some(void *arg)
{
	for (int i = 0; i < 20; i++)
		slot[i] = tp_malloc(300);
	return arg;
}

/* What a thread that has ended had begun to fill is filled up by others. */
static void an_ended_threads_slabs_are_used_again(void **state)
{
	uintptr_t unit = 0;

	(void)state;
	for (int i = 0; i < 50; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, take_some, NULL);
		pthread_join(thread, NULL);
		if (i == 0)
			unit = (uintptr_t)slot[0] >> 16;
		assert_true((uintptr_t)slot[0] >> 16 < unit + 8);
		for (int k = 0; k < 20; k++)
			slot[k]->size = 0;
	}
	assert_int_equal(blocks(), 1000);
}

static int free_all(void *arg)
{
	(void)arg;
	for (int i = 0; i < SLOTS; i++)
		if (tp_free(slot[i]))
			return 1;
	return 0;
}

static void another_program_frees_all(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		uint64_t id = tpgroup_add("other"), state_of = (uint64_t)round + 5;
		pid_t pid;

		for (int i = 0; i < SLOTS; i++)
			assert_non_null(slot[i] = make(next_random(&state_of)));
		pid = tpgroup_fork(id, free_all, NULL);
		assert_int_equal(tpgroup_join(pid, id), 0);
	}
	tpi_reap(tpi_heap_mine());
	assert_int_equal(blocks(), 0);
}

/* Frees half of what it was given, has an arena and blocks that it frees, and is killed. */
static int consume_and_be_killed(void *arg)
{
	struct tp_arena *arena;
	void *p[50];

	(void)arg;
	if (tp_arena_create(&arena) || !tp_arena_alloc(arena, 200000, 0))
		return 1;
	for (int i = 0; i < 50; i++)
		p[i] = tp_malloc((size_t)i * 100 + 1);
	for (int i = 0; i < HELD; i += 2)
		if (tp_free(slot[i]))
			return 1;
	for (int i = 0; i < 50; i++)
		tp_free(p[i]);
	raise(SIGKILL);
	return 1;
}

static uint64_t touched(void)
{
	struct tp_heap_usage usage;

	assert_int_equal(tp_heap_stats(0, &usage), 0);
	return usage.touched;
}

static void memory_is_flat_when_consumers_die(void **state)
{
	uint64_t early = 0;

	(void)state;
	for (int n = 0; n < DEATHS; n++) {
		uint64_t id = tpgroup_add("consumer"), random = (uint64_t)n + 1;
		pid_t pid;

		for (int i = 0; i < HELD; i++)
			assert_non_null(slot[i] = make(next_random(&random)));
		pid = tpgroup_fork(id, consume_and_be_killed, NULL);
		assert_int_equal(tpgroup_join(pid, id), SIGKILL);
		/* What the dead one still held, its producer knows of. */
		for (int i = 1; i < HELD; i += 2)
			assert_int_equal(tp_free(slot[i]), 0);
		if (n == DEATHS / 10)
			early = touched();
	}
	assert_true(touched() <= early + (8 << 20));
	tpi_reap(tpi_heap_mine());
	assert_int_equal(blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_free_each_others_blocks, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_check_finds_nothing_wrong_in_a_busy_heap, open_group, close_group),
		cmocka_unit_test_setup_teardown(an_ended_threads_slabs_are_used_again, open_group, close_group),
		cmocka_unit_test_setup_teardown(another_program_frees_all, open_group, close_group),
		cmocka_unit_test_setup_teardown(memory_is_flat_when_consumers_die, open_group, close_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
