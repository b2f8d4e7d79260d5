/* SPDX-License-Identifier: MIT */
/*
 * What the frozen headers promise beyond what the compiler already asserts: numbers that agree with the
 * kernel's, zones that follow each other, structures without hidden padding that two compilers might
 * fill differently.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "addresses.h"
#include "stub.h"
#include "syscall.h"
#include <tp/abi/control.h>
#include <tp/abi/hostmsg.h>
#include <tp/abi/layout.h>
#include <tp/abi/routed.h>
#include <tp/abi/segment.h>
#include <tp/abi/wire.h>

/* SYS_x is the kernel's own number; a call that the processor does not have is spelt -1 and has no SYS_x. */
#ifndef SYS_readlink
#define SYS_readlink (-1)
#endif
#ifndef SYS_open
#define SYS_open (-1)
#endif
#ifndef SYS_fork
#define SYS_fork (-1)
#endif
#ifndef SYS_vfork
#define SYS_vfork (-1)
#endif

static void routed_numbers_are_the_kernels(void **state)
{
	(void)state;
#define CHECK(name, x86_64, aarch64) assert_int_equal(ARCH_ROUTED(x86_64, aarch64), SYS_##name);
	TP_ROUTED_CALLS(CHECK)
#undef CHECK
}

static void routed_calls_are_listed_once(void **state)
{
#define NUMBER(name, x86_64, aarch64) ARCH_ROUTED(x86_64, aarch64),
	static const int numbers[] = { TP_ROUTED_CALLS(NUMBER) };
#undef NUMBER
	const size_t n = sizeof(numbers) / sizeof(numbers[0]);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (numbers[i] != -1)
				assert_int_not_equal(numbers[i], numbers[j]);
}

static void zones_of_a_slot_follow_each_other(void **state)
{
	static const uint64_t zones[] = {
		TP_SLOT_CONTROL,
		TP_SLOT_CONTROL + TP_SLOT_CONTROL_SIZE,
		TP_SLOT_BITMAP,
		TP_SLOT_BITMAP + TP_SLOT_BITMAP_SIZE,
		TP_SLOT_OWN_STUBS,
		TP_SLOT_OWN_STUBS + TP_SLOT_OWN_STUBS_SIZE,
		TP_SLOT_STUBS,
		TP_SLOT_STUBS + TP_SLOT_STUBS_SIZE,
		TP_SLOT_INTERP,
		TP_SLOT_LIBC,
		TP_SLOT_NEAR,
		TP_SLOT_NEAR_END,
		TP_SLOT_BRK,
		TP_SLOT_MMAP,
		TP_SLOT_STACK_TOP - TP_SLOT_STACK_RESERVE,
		TP_SLOT_STACK_TOP,
		TP_UNIT_SIZE,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
		assert_int_equal(zones[i] % TP_PAGE_SIZE, 0);
		if (i > 0)
			assert_true(zones[i - 1] <= zones[i]);
	}
	assert_true(sizeof(struct tp_control) <= TP_SLOT_CONTROL_SIZE);
}

/* From the interpreter and the libc, which are rewritten for all slots at once, to the stubs and back. */
static void stubs_are_within_reach_of_shared_texts(void **state)
{
	(void)state;
	assert_true(TP_SLOT_NEAR - TP_SLOT_OWN_STUBS < ARCH_STUB_REACH);
}

static void reserved_units_are_sorted(void **state)
{
	static const uint32_t pairs[][2] = ARCH_UNITS_RESERVED;
	uint32_t end = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_true(pairs[i][0] >= end);
		assert_true(pairs[i][1] > pairs[i][0]);
		end = pairs[i][1];
	}
	assert_true(end <= TP_UNITS);
}

static void segment_lies_in_reserved_units(void **state)
{
	static const uint32_t pairs[][2] = ARCH_UNITS_RESERVED;
	const uint32_t first = TP_UNIT_OF(TP_SEGMENT_BASE);
	const uint32_t last = TP_UNIT_OF(TP_SEGMENT_END - 1);

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i][0] <= first && last < pairs[i][1])
			return;
	fail_msg("units %u to %u are given to programs", first, last);
}

static void registry_index_fits_in_an_id(void **state)
{
	(void)state;
	assert_true(TP_REGISTRY_MAX <= UINT64_C(1) << TP_ID_INDEX_BITS);
	assert_true(TP_OWNER_RESERVED < UINT64_C(1) << TP_ID_INDEX_BITS);
}

/* Whole words, so that arrays of them and what follows them in a message stay aligned. */
static void structures_are_whole_words(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct tp_program) % 8, 0);
	assert_int_equal(sizeof(struct tp_range), 16);
	assert_int_equal(sizeof(struct tp_wire_head), 16);
	assert_int_equal(sizeof(struct tp_host_head), 16);
	assert_int_equal(sizeof(struct tp_wire_program) % 8, 0);
	assert_int_equal(sizeof(struct tp_wire_launch) % 8, 0);
	assert_int_equal(sizeof(struct tp_wire_event) % 8, 0);
	assert_int_equal(sizeof(struct tp_wire_info) % 8, 0);
	assert_int_equal(sizeof(struct tp_host_launch) % 8, 0);
	assert_int_equal(sizeof(struct tp_host_map) % 8, 0);
	assert_int_equal(sizeof(struct tp_host_result) % 8, 0);
}

static void messages_fit_their_limits(void **state)
{
	(void)state;
	assert_true(sizeof(struct tp_wire_launch) <= TP_WIRE_MESSAGE_MAX);
	assert_true(sizeof(struct tp_wire_program) <= TP_WIRE_MESSAGE_MAX);
	assert_true(sizeof(struct tp_wire_error) <= TP_WIRE_MESSAGE_MAX);
	assert_true(sizeof(struct tp_host_launch) +
			    TP_HOST_MAPS_MAX * sizeof(struct tp_host_map) + TP_PATH_MAX <=
		    TP_HOST_MESSAGE_MAX);
	/* the kernel takes 253 descriptors a message (SCM_MAX_FD) */
	assert_true(TP_WIRE_FDS_BATCH <= 253);
	assert_true(TP_HOST_FDS_BATCH <= 253);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routed_numbers_are_the_kernels),
		cmocka_unit_test(routed_calls_are_listed_once),
		cmocka_unit_test(zones_of_a_slot_follow_each_other),
		cmocka_unit_test(stubs_are_within_reach_of_shared_texts),
		cmocka_unit_test(reserved_units_are_sorted),
		cmocka_unit_test(segment_lies_in_reserved_units),
		cmocka_unit_test(registry_index_fits_in_an_id),
		cmocka_unit_test(structures_are_whole_words),
		cmocka_unit_test(messages_fit_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
