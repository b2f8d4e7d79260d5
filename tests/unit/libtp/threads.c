/* SPDX-License-Identifier: MIT */
/* Each thread finds its own state, keeps it, and gives it back at its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "tpgroup.h"

static uint32_t ended;

static void count_end(struct tpi_thread *t)
{
	(void)t;
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}

static void *use(void *arg)
{
	struct tpi_thread *t = tpi_thread();
	char want[64];

	t->part[TPI_PART_NAMES] = arg;
	tpi_fail(-1, "thread %x", (uint64_t)(uintptr_t)arg);
	snprintf(want, sizeof(want), "thread %#lx", (unsigned long)(uintptr_t)arg);
	for (int i = 0; i < 1000; i++)
		if (tpi_thread() != t || t->part[TPI_PART_NAMES] != arg || strcmp(tp_why(), want))
			return (void *)1;
	return NULL;
}

static void many_threads_come_and_go(void **state)
{
	pthread_t thread[64];
	uint32_t before = tpi_self.threads->count;

	(void)state;
	tpi_threads_at_end(TPI_PART_NAMES, count_end);
	for (uintptr_t round = 0; round < 20; round++) {
		for (uintptr_t i = 0; i < 64; i++)
			assert_int_equal(pthread_create(&thread[i], NULL, use, (void *)(round * 64 + i + 16)), 0);
		for (int i = 0; i < 64; i++) {
			void *result;

			pthread_join(thread[i], &result);
			assert_null(result);
		}
	}
	assert_int_equal(ended, 20 * 64);
	assert_int_equal(tpi_self.threads->count, before);
}

static void *only_look(void *arg)
{
	return tpi_thread() ? NULL : arg;
}

/* All at once: they wait for each other without keeping the one that is served from running. */
static void a_thousand_threads_start_at_once(void **state)
{
	enum { MANY = 1000 };
	static pthread_t thread[MANY];
	pthread_attr_t small;

	(void)state;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(pthread_create(&thread[i], &small, only_look, thread), 0);
	for (int i = 0; i < MANY; i++) {
		void *result;

		pthread_join(thread[i], &result);
		assert_null(result);
	}
	pthread_attr_destroy(&small);
}

static void *interrupted(void *arg)
{
	struct tpi_threads *t = tpi_self.threads;

	(void)arg;
	/* As below a handler that interrupts its own thread while that holds the lock. */
	t->lock = arch_thread_pointer();
	if (tpi_thread() || tpi_fail(-5, "said in a handler") != -5 || strcmp(tp_why(), "said in a handler"))
		return tpi_self.threads;
	t->lock = 0;
	return tpi_thread() ? NULL : tpi_self.threads;
}

static void a_handler_does_without_an_entry(void **state)
{
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, interrupted, NULL), 0);
	pthread_join(thread, &result);
	assert_null(result);
}

/* Keys beyond the room are refused, not lost; those that were there are found again. */
static void a_full_table_says_so(void **state)
{
	struct tpi_threads *t = tpi_threads_create();
	unsigned made = 0;

	(void)state;
	for (uintptr_t key = 0x7f0000000000; made < TPI_THREADS_MAX; key += 0x801000, made++)
		assert_non_null(tpi_threads_make(t, key));
	assert_null(tpi_threads_make(t, 0x5550000));
	assert_ptr_equal(tpi_threads_make(t, 0x7f0000000000), tpi_threads_make(t, 0x7f0000000000));
	tpi_threads_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_come_and_go),
		cmocka_unit_test(a_thousand_threads_start_at_once),
		cmocka_unit_test(a_handler_does_without_an_entry),
		cmocka_unit_test(a_full_table_says_so),
	};
	uint64_t me;

	tpgroup_open(64 << 20);
	me = tpgroup_add("me");
	tpgroup_be(me);
	tpi_thread();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
