/* SPDX-License-Identifier: MIT */
/* Arenas: allocated in, freed whole, given to another program, freed when their owner has died. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "core.h"
#include "tpgroup.h"
#include <tp/heap.h>

enum { HEAP = 64 << 20 };

static uint64_t me;

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(HEAP);
	me = tpgroup_add("me");
	tpgroup_be(me);
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

static uint64_t used(void)
{
	struct tp_heap_usage s;

	assert_int_equal(tp_heap_check(), 0);
	assert_int_equal(tp_heap_stats(0, &s), 0);
	return s.bytes;
}

static void blocks_are_apart_and_come_back_together(void **state)
{
	static char *p[4000];
	struct tp_arena *a;

	(void)state;
	for (int round = 0; round < 20; round++) {
		assert_int_equal(tp_arena_create(&a), 0);
		for (size_t i = 0; i < 4000; i++) {
			size_t size = i * 37 % 900 + (i % 1000 == 999 ? 500000 : 1);

			p[i] = tp_arena_alloc(a, size, i % 3 ? 0 : 64);
			assert_non_null(p[i]);
			assert_int_equal((uintptr_t)p[i] % (i % 3 ? 16 : 64), 0);
			memset(p[i], (int)i, size);
		}
		for (size_t i = 0; i < 4000; i++) {
			size_t size = i * 37 % 900 + (i % 1000 == 999 ? 500000 : 1);

			for (size_t k = 0; k < size; k++)
				if (p[i][k] != (char)i)
					fail_msg("block %zu, byte %zu", i, k);
		}
		assert_true(used() > 4000 * 450);
		assert_null(tp_arena_destroy(a));
		assert_int_equal(used(), 0);
	}
}

static void what_cannot_be_had_is_refused(void **state)
{
	struct tp_arena *a;
	void *p;

	(void)state;
	assert_int_equal(tp_arena_create(&a), 0);
	assert_null(tp_arena_alloc(a, 16, 24));
	assert_non_null(strstr(tp_why(), "no power of two"));
	assert_null(tp_arena_alloc(a, SIZE_MAX, 0));
	assert_null(tp_arena_alloc(a, (size_t)1 << 40, 0));
	assert_non_null(strstr(tp_why(), "wanted in one piece"));
	assert_null(tp_arena_alloc(a, 1, (size_t)1 << 40));
	assert_non_null(tp_arena_alloc(a, 0, 0));
	p = tp_arena_alloc(a, 100, 1 << 20);
	assert_int_equal((uintptr_t)p % (1 << 20), 0);
	assert_null(tp_arena_alloc(NULL, 1, 0));
	assert_null(tp_arena_destroy(NULL));
	assert_int_equal(tp_arena_give(a, 0), -ESRCH);
	assert_int_equal(tp_arena_give((struct tp_arena *)((char *)a + 16), me), -EFAULT);
	assert_int_equal(tp_free(a), -EFAULT);
	assert_int_equal(tp_free(p), -EFAULT);
	tp_arena_destroy(a);
	assert_int_equal(tp_arena_give(a, me), -EFAULT);
	assert_null(tp_arena_alloc(a, 1, 0));
	assert_int_equal(used(), 0);
}

/* Its number is 0, which must not read as "no part". */
static void the_heaps_first_unit_may_be_a_part(void **state)
{
	void *first = tp_malloc(300000);
	struct tp_arena *a;

	(void)state;
	assert_int_equal((uintptr_t)first, TP_HEAP_BASE);
	assert_int_equal(tp_arena_create(&a), 0);
	assert_int_equal(tp_free(first), 0);
	assert_ptr_equal(tp_arena_alloc(a, 300000, 0), first);
	assert_non_null(tp_arena_alloc(a, 300000, 0));
	tp_arena_destroy(a);
	assert_int_equal(used(), 0);
}

static int use_and_destroy(void *arg)
{
	struct tp_arena *a = arg;

	if (!tp_arena_alloc(a, 100000, 0))
		return 1;
	tp_arena_destroy(a);
	return tp_heap_check() != 0;
}

static void the_receiver_owns_it(void **state)
{
	uint64_t other = tpgroup_add("other");
	struct tp_arena *a;
	pid_t pid;

	(void)state;
	assert_int_equal(tp_arena_create(&a), 0);
	assert_non_null(tp_arena_alloc(a, 300000, 0));
	assert_int_equal(tp_arena_give(a, other), 0);
	assert_null(tp_arena_alloc(a, 1, 0));
	assert_non_null(strstr(tp_why(), "is other's"));
	assert_int_equal(tp_arena_give(a, me), -EPERM);
	tp_arena_destroy(a);
	assert_true(used() >= 300000);
	pid = tpgroup_fork(other, use_and_destroy, a);
	assert_int_equal(tpgroup_join(pid, other), 0);
	assert_int_equal(used(), 0);
}

static int make_arena(void *arg)
{
	struct tp_arena *a;
	uint64_t to = *(uint64_t *)arg;

	if (tp_arena_create(&a) || !tp_arena_alloc(a, 1 << 20, 0) || !tp_arena_alloc(a, 1 << 20, 0))
		return 1;
	return to ? tp_arena_give(a, to) != 0 : 0;
}

/* Anybody's next need of memory frees what the dead had. */
static void a_dead_owner_leaves_nothing(void **state)
{
	uint64_t nobody = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		uint64_t id = tpgroup_add("short");
		pid_t pid = tpgroup_fork(id, make_arena, &nobody);

		assert_int_equal(tpgroup_join(pid, id), 0);
		tp_free(tp_malloc(5 << 20));
	}
	/* What this thread keeps at hand is free memory. */
	assert_int_equal(used(), 0);
}

static void one_that_was_given_outlives_the_giver(void **state)
{
	uint64_t id = tpgroup_add("short");
	pid_t pid = tpgroup_fork(id, make_arena, &me);

	(void)state;
	assert_int_equal(tpgroup_join(pid, id), 0);
	tp_free(tp_malloc(5 << 20));
	assert_true(used() > 2 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks_are_apart_and_come_back_together, open_group, close_group),
		cmocka_unit_test_setup_teardown(what_cannot_be_had_is_refused, open_group, close_group),
		cmocka_unit_test_setup_teardown(the_heaps_first_unit_may_be_a_part, open_group, close_group),
		cmocka_unit_test_setup_teardown(the_receiver_owns_it, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_dead_owner_leaves_nothing, open_group, close_group),
		cmocka_unit_test_setup_teardown(one_that_was_given_outlives_the_giver, open_group, close_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
