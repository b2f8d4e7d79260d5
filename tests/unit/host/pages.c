/* SPDX-License-Identifier: MIT */
/* The page bitmap against a plain model, and under threads: nobody may ever get a page that somebody holds. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host.h"

enum { PAGES = 4096 };

static uint64_t bitmap[PAGES / 64];
static uint8_t model[PAGES];

static int reset(void **state)
{
	(void)state;
	memset(bitmap, 0, sizeof(bitmap));
	memset(model, 0, sizeof(model));
	return 0;
}

static bool model_free(uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++)
		if (model[i])
			return false;
	return true;
}

static uint32_t model_find(uint32_t from, uint32_t to, uint32_t n, uint32_t align)
{
	for (uint32_t p = (from + align - 1) & ~(align - 1); p < to && n <= to - p; p += align)
		if (model_free(p, n))
			return p;
	return UINT32_MAX;
}

static void check_all(void)
{
	for (uint32_t i = 0; i < PAGES; i++)
		assert_int_equal(tpi_page_test(bitmap, i), model[i]);
}

static void claims_and_clears_agree_with_the_model(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 20000; round++) {
		uint32_t first = (uint32_t)rand() % PAGES, n = 1 + (uint32_t)rand() % 300, changed = 0;

		if (n > PAGES - first)
			n = PAGES - first;
		switch (rand() % 3) {
		case 0:
			assert_int_equal(tpi_pages_claim(bitmap, first, n), model_free(first, n));
			if (model_free(first, n))
				memset(model + first, 1, n);
			break;
		case 1:
			for (uint32_t i = first; i < first + n; i++)
				changed += model[i];
			assert_int_equal(tpi_pages_clear(bitmap, first, n), changed);
			memset(model + first, 0, n);
			break;
		default:
			if (rand() % 8)
				break;
			for (uint32_t i = first; i < first + n; i++)
				changed += !model[i];
			assert_int_equal(tpi_pages_set(bitmap, first, n), changed);
			memset(model + first, 1, n);
		}
		if (round % 97 == 0)
			check_all();
	}
	check_all();
}

static void find_gives_the_lowest_aligned_run(void **state)
{
	(void)state;
	srand(2);
	for (int round = 0; round < 3000; round++) {
		uint32_t from = (uint32_t)rand() % PAGES, to = from + (uint32_t)rand() % (PAGES - from + 1);
		uint32_t n = 1 + (uint32_t)rand() % 200, align = 1u << (rand() % 6);
		uint32_t first = (uint32_t)rand() % PAGES, len = 1 + (uint32_t)rand() % 40;

		if (len > PAGES - first)
			len = PAGES - first;
		if (rand() % 4) {
			tpi_pages_set(bitmap, first, len);
			memset(model + first, 1, len);
		} else {
			tpi_pages_clear(bitmap, first, len);
			memset(model + first, 0, len);
		}
		assert_int_equal(tpi_pages_find(bitmap, from, to, n, align), model_find(from, to, n, align));
	}
}

static void find_refuses_what_does_not_fit(void **state)
{
	(void)state;
	assert_int_equal(tpi_pages_find(bitmap, 0, PAGES, PAGES, 1), 0);
	assert_int_equal(tpi_pages_find(bitmap, 0, PAGES, PAGES + 1, 1), UINT32_MAX);
	assert_int_equal(tpi_pages_find(bitmap, 1, PAGES, 1, PAGES), UINT32_MAX);
	assert_int_equal(tpi_pages_find(bitmap, PAGES, PAGES, 1, 1), UINT32_MAX);
	tpi_pages_set(bitmap, 0, PAGES);
	assert_int_equal(tpi_pages_find(bitmap, 0, PAGES, 1, 1), UINT32_MAX);
}

static uint32_t holder[PAGES];

static void *contend(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg, seed = me;
	uintptr_t clashes = 0;

	for (int i = 0; i < 40000; i++) {
		uint32_t n = 1 + (uint32_t)rand_r(&seed) % 90, first = tpi_pages_find(bitmap, 0, PAGES, n, 1);

		if (first == UINT32_MAX || !tpi_pages_claim(bitmap, first, n))
			continue;
		for (uint32_t p = first; p < first + n; p++)
			clashes += __atomic_exchange_n(&holder[p], me, __ATOMIC_RELAXED) != 0;
		for (uint32_t p = first; p < first + n; p++)
			clashes += __atomic_exchange_n(&holder[p], 0, __ATOMIC_RELAXED) != me;
		clashes += tpi_pages_clear(bitmap, first, n) != n;
	}
	return (void *)clashes;
}

static void threads_never_hold_the_same_page(void **state)
{
	pthread_t t[4];

	(void)state;
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, contend, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++) {
		void *clashes;

		pthread_join(t[i], &clashes);
		assert_ptr_equal(clashes, NULL);
	}
	check_all(); /* everything was given back */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(claims_and_clears_agree_with_the_model, reset),
		cmocka_unit_test_setup(find_gives_the_lowest_aligned_run, reset),
		cmocka_unit_test_setup(find_refuses_what_does_not_fit, reset),
		cmocka_unit_test_setup(threads_never_hold_the_same_page, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
