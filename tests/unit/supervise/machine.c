/* SPDX-License-Identifier: MIT */
/* Kernels that a group does not fit on are refused with the reason; those of all usual builds are not. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "supervise/machine.h"
#include "tp/abi/layout.h"

static struct tp_error err;

static int fits(uint64_t page_size, unsigned bits)
{
	memset(&err, 0, sizeof(err));
	return tp_machine_fits(&(struct tp_machine){page_size, bits}, "G", &err);
}

static void usual_kernels_fit(void **state)
{
	(void)state;
	assert_int_equal(fits(4096, 47), 0); /* x86_64 */
	assert_int_equal(fits(4096, 48), 0); /* aarch64 */
	assert_int_equal(fits(4096, 56), 0); /* five levels */
}

static void narrow_addresses_are_refused(void **state)
{
	(void)state;
	assert_int_equal(fits(4096, 39), -ENOTSUP);
	assert_string_equal(err.text, "G: could not be started: this kernel gives programs addresses of 39 bits, "
				      "and a group needs 47 (boot a kernel with 48)");
	assert_int_equal(err.status, TP_STATUS_OWN);
	assert_int_equal(fits(4096, 42), -ENOTSUP);
	assert_int_equal(fits(4096, 46), -ENOTSUP);
}

static void large_pages_are_refused(void **state)
{
	(void)state;
	assert_int_equal(fits(16384, 47), -ENOTSUP);
	assert_string_equal(err.text, "G: could not be started: the pages of this kernel have 16 KiB, and those of a "
				      "group 4 (boot a kernel with pages of 4 KiB)");
	assert_int_equal(fits(65536, 48), -ENOTSUP);
}

/* The segment, and all units, lie below what the narrowest of them has. */
static void the_layout_needs_no_more(void **state)
{
	(void)state;
	assert_true(TP_SEGMENT_END <= UINT64_C(1) << TP_MACHINE_BITS);
	assert_true(TP_UNIT_BASE(TP_UNITS) <= UINT64_C(1) << TP_MACHINE_BITS);
	assert_true(TP_SEGMENT_END > UINT64_C(1) << (TP_MACHINE_BITS - 1));
}

static void this_machine_is_one_of_them(void **state)
{
	struct tp_machine m = tp_machine_here();

	(void)state;
	assert_int_equal(m.page_size & (m.page_size - 1), 0);
	assert_in_range(m.bits, 36, 57);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_kernels_fit),
		cmocka_unit_test(narrow_addresses_are_refused),
		cmocka_unit_test(large_pages_are_refused),
		cmocka_unit_test(the_layout_needs_no_more),
		cmocka_unit_test(this_machine_is_one_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
