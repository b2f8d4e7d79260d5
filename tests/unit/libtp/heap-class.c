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

static void blocks_and_links_fill_the_slab(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < TPI_CLASSES; c++) {
		const struct tpi_class *k = &tpi_class[c];
		uint32_t bytes = k->units * 65536u, per = k->size + (k->links ? 2 : 0);

		assert_int_equal(k->size % 16, 0);
		assert_true((uint32_t)(k->cap + 1) * per > bytes);
		assert_true(k->cap < TP_HEAP_IN_USE);
		if (k->links) {
			assert_true((uint32_t)k->cap * k->size <= k->links);
			assert_int_equal(k->links + 2 * k->cap, bytes);
		} else {
			assert_true((uint32_t)k->cap * k->size <= bytes && k->cap <= TP_HEAP_LINKS);
		}
		/* Little is left over, but for the links of the smallest. */
		assert_true((uint32_t)k->cap * k->size >= bytes - bytes / (k->size < 64 ? 8 : 12));
		if (c)
			assert_true(k->size > k[-1].size && k->size <= k[-1].size * 2);
	}
}

static void the_start_of_a_block_is_told_from_its_middle(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 64; c++)
		for (uint32_t off = 0; off < 8 * 65536; off++) {
			const struct tpi_class *k = &tpi_class[c];
			bool want = c < TPI_CLASSES && off % k->size == 0 && off / k->size < k->cap;
			uint32_t block = 0;

			if (tpi_class_block(k, off, &block) != want || (want && block != off / k->size + 1))
				fail_msg("class %u, offset %u", c, off);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_size_gets_the_smallest_class_that_holds_it),
		cmocka_unit_test(blocks_and_links_fill_the_slab),
		cmocka_unit_test(the_start_of_a_block_is_told_from_its_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
