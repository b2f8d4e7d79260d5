/* SPDX-License-Identifier: MIT */
/* The size classes' tables agree with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "heap-class.h"

static void each_size_gets_the_smallest_class_that_holds_it(void **state)
{
	(void)state;
	for (size_t size = 1; size <= TPI_CLASS_MAX; size++) {
		uint32_t c = tpi_class_of(size);

		assert_true(c < TPI_CLASSES);
		assert_true(tpi_class[c].size >= size);
		/* Classes need not be the tightest where the table's step is coarser than the classes' distance. */
		assert_true(c == 0 || tpi_class[c - 1].size < size);
	}
	assert_int_equal(tpi_class_of(0), 0);
}

static void blocks_fill_the_slab(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < TPI_CLASSES; c++) {
		const struct tpi_class *k = &tpi_class[c];
		uint32_t bytes = k->units * 65536u;

		assert_int_equal(k->size % 16, 0);
		assert_true((uint32_t)k->cap * k->size <= bytes);
		assert_true((uint32_t)(k->cap + 1) * k->size > bytes);
		assert_true(k->limit < 65535);
		assert_int_equal(k->limit * 16, (uint32_t)k->cap * k->size);
		/* Little is left over. */
		assert_true((uint32_t)k->cap * k->size >= bytes - bytes / 12);
		if (c)
			assert_true(k->size > k[-1].size && k->size <= k[-1].size * 2);
	}
}

static void the_start_of_a_block_is_told_from_its_middle(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 64; c++)
		for (uint32_t n = 0; n < 65536; n++) {
			const struct tpi_class *k = &tpi_class[c];
			bool want = c < TPI_CLASSES && n < k->limit && n * 16 % k->size == 0;

			if (tpi_class_starts(k, n) != want)
				fail_msg("class %u, step %u", c, n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_size_gets_the_smallest_class_that_holds_it),
		cmocka_unit_test(blocks_fill_the_slab),
		cmocka_unit_test(the_start_of_a_block_is_told_from_its_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
