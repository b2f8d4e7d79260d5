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
		uint32_t bytes = k->units * 65536u, end = (uint32_t)(k->first + k->cap - k->shift) * k->size;

		assert_int_equal(k->size % 16, 0);
		assert_true(end <= bytes && end + k->size > bytes);
		assert_true(k->first > 0 && k->first + k->cap < TP_HEAP_NO_BLOCK);
		if (c >= TPI_DENSE)
			assert_true(k->cap <= TP_HEAP_LINKS && k->first == 1 && k->shift == 1);
		else
			assert_true(k->units == 1 && k->shift == 0 &&
				    64u * k->line + 2 * (bytes / k->size + 1) <= (uint32_t)k->first * k->size);
		/* Little is left over, but for the links of the smallest. */
		assert_true((uint32_t)k->cap * k->size >= bytes - bytes / (k->size < 64 ? 7 : 12));
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
			uint32_t number = c < TPI_CLASSES ? off / k->size + k->shift : 0;
			bool want = c < TPI_CLASSES && off % k->size == 0 && number >= k->first &&
				    number < (uint32_t)k->first + k->cap;
			uint32_t block = 0;

			if (tpi_class_block(k, off, &block) != want || (want && block != number))
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
