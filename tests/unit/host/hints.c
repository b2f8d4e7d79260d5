/* SPDX-License-Identifier: MIT */
/* The bounds of a search are exact: what is free is found, whoever freed it meanwhile. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host.h"

enum { PAGES = 8192, HUGE_RUN = 512 };

static uint64_t bitmap[PAGES / 64];
static struct tp_hints hints;

static int reset(void **state)
{
	(void)state;
	memset(bitmap, 0, sizeof(bitmap));
	memset(&hints, 0, sizeof(hints));
	return 0;
}

/* As space.c does it. */
static uint32_t take(uint32_t n, uint32_t align)
{
	struct tpi_hint h = tpi_hint_get(&hints, n, align);
	uint32_t page, from = h.page;

	do {
		page = tpi_pages_find(bitmap, from, PAGES, n, align);
		from = page;
	} while (page != UINT32_MAX && !tpi_hint_claim(&hints, bitmap, page, n));
	tpi_hint_raise(&hints, &h, page == UINT32_MAX ? PAGES : page + n);
	return page;
}

static void give(uint32_t page, uint32_t n)
{
	tpi_pages_clear(bitmap, page, n);
	tpi_hint_freed(&hints, page);
}

static void a_full_unit_is_not_searched_again(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < PAGES / HUGE_RUN; i++)
		assert_int_equal(take(HUGE_RUN, HUGE_RUN), i * HUGE_RUN);
	assert_int_equal(take(HUGE_RUN, HUGE_RUN), UINT32_MAX);
	assert_int_equal(tpi_hint_get(&hints, HUGE_RUN, HUGE_RUN).page, PAGES);
	assert_int_equal(take(1, 1), UINT32_MAX);
	assert_int_equal(tpi_hint_get(&hints, 1, 1).page, PAGES);
}

static void what_is_freed_is_found_again(void **state)
{
	(void)state;
	srand(3);
	for (uint32_t i = 0; i < PAGES; i++)
		assert_int_equal(take(1, 1), i);
	for (int round = 0; round < 3000; round++) {
		uint32_t n = 1 + (uint32_t)rand() % 64, page = (uint32_t)rand() % (PAGES - 64), got, want;

		give(page, n);
		want = 1 + (uint32_t)rand() % n;
		got = take(want, 1);
		assert_int_not_equal(got, UINT32_MAX);
		tpi_pages_set(bitmap, page, n);
	}
}

/* Each thread holds less than its share of single pages, so that there is always one left for everybody. */
static void *churn(void *arg)
{
	uint32_t held[PAGES / 16], n = 0, seed = (uint32_t)(uintptr_t)arg;
	uintptr_t missed = 0;

	for (int i = 0; i < 60000; i++) {
		if (n < PAGES / 16 && rand_r(&seed) % 5 < 3) {
			held[n] = take(1, 1);
			if (held[n] == UINT32_MAX)
				missed++;
			else
				n++;
		} else if (n) {
			uint32_t k = (uint32_t)rand_r(&seed) % n;

			give(held[k], 1);
			held[k] = held[--n];
		}
	}
	while (n)
		give(held[--n], 1);
	return (void *)missed;
}

static void no_thread_misses_a_free_page(void **state)
{
	pthread_t t[4];

	(void)state;
	/* All but what the threads can hold at most, and one: they meet at the very end of the space. */
	assert_int_equal(take(PAGES - 4 * (PAGES / 16) - 4, 1), 0);
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, churn, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++) {
		void *missed;

		pthread_join(t[i], &missed);
		assert_ptr_equal(missed, NULL);
	}
	give(0, PAGES - 4 * (PAGES / 16) - 4);
	assert_int_equal(take(PAGES, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_full_unit_is_not_searched_again, reset),
		cmocka_unit_test_setup(what_is_freed_is_found_again, reset),
		cmocka_unit_test_setup(no_thread_misses_a_free_page, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
