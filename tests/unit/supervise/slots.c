/* SPDX-License-Identifier: MIT */
/* Units: what is reserved, in which order they are reused, and what routed calls may do to the
 * shared table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "supervise/slots.h"
#include "unit.h"

static uint64_t owner[TP_UNITS];
static struct tp_slots slots;

static uint64_t id_of(uint32_t n)
{
	return (uint64_t)(n + 1) << TP_ID_INDEX_BITS | n;
}

static uint32_t take(uint64_t id)
{
	uint32_t unit = UINT32_MAX;

	assert_int_equal(tp_slots_take(&slots, id, &unit), 0);
	assert_true(unit < TP_UNITS);
	assert_true(owner[unit] == id);
	return unit;
}

static int fresh(void **state)
{
	(void)state;
	memset(owner, 0, sizeof(owner));
	tp_slots_init(&slots, owner, NULL);
	return 0;
}

static void reserved_units_are_never_handed_out(void **state)
{
	static const uint32_t reserved[][2] = ARCH_UNITS_RESERVED;
	uint32_t unit, n = 0;

	(void)state;
	while (tp_slots_take(&slots, id_of(n), &unit) == 0) {
		for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
			assert_false(unit >= reserved[i][0] && unit < reserved[i][1]);
		n++;
	}
	assert_true(n >= 1000);
	assert_true(owner[0] == TP_OWNER_RESERVED);
	assert_true(owner[TP_UNIT_OF(TP_SEGMENT_BASE)] == TP_OWNER_RESERVED);
}

static void units_of_the_host_are_never_handed_out(void **state)
{
	bool taken[TP_UNITS] = {false};
	uint32_t unit;

	(void)state;
	taken[300] = taken[301] = true;
	tp_slots_init(&slots, owner, taken);
	while (tp_slots_take(&slots, 1 << TP_ID_INDEX_BITS, &unit) == 0)
		assert_true(unit != 300 && unit != 301);
	tp_slots_free(&slots, 300, 1);
	assert_int_equal(tp_slots_take(&slots, 1 << TP_ID_INDEX_BITS, &unit), -ENOSPC);
}

static void a_freed_unit_is_reused_last(void **state)
{
	uint32_t first = take(id_of(0)), unit;
	int n = 0;

	(void)state;
	tp_slots_free(&slots, first, 42);
	assert_true(owner[first] == TP_OWNER_NONE);
	assert_true(slots.freed_ns[first] == 42 && slots.last[first] == id_of(0));
	do {
		assert_int_equal(tp_slots_take(&slots, id_of(1), &unit), 0);
		n++;
	} while (unit != first);
	assert_true(n > 1000);
	assert_int_equal(tp_slots_take(&slots, id_of(1), &unit), -ENOSPC);
}

/* A routed call of a running program has taken the unit that comes next. */
static void a_unit_that_a_program_took_is_skipped(void **state)
{
	uint32_t first = take(id_of(0)), next;

	(void)state;
	tp_slots_init(&slots, owner, NULL);
	__atomic_store_n(&owner[first], id_of(7), __ATOMIC_RELAXED);
	next = take(id_of(1));
	assert_true(next != first);
	assert_true(owner[first] == id_of(7));
	assert_true(tp_slots_extra(&slots, id_of(7), first));
	assert_false(tp_slots_extra(&slots, id_of(1), first));
	tp_slots_free(&slots, first, 1);
	assert_true(owner[first] == TP_OWNER_NONE);
}

static void no_claim_to_foreign_or_reserved_units_counts(void **state)
{
	uint32_t mine = take(id_of(0)), theirs = take(id_of(1));

	(void)state;
	assert_false(tp_slots_extra(&slots, id_of(0), theirs));
	assert_false(tp_slots_extra(&slots, id_of(0), 0));
	assert_false(tp_slots_extra(&slots, id_of(0), TP_UNITS));
	assert_false(tp_slots_extra(&slots, id_of(0), UINT32_MAX));
	/* Even when it has written its own id over the other's. */
	owner[theirs] = id_of(0);
	assert_false(tp_slots_extra(&slots, id_of(0), theirs));
	assert_false(tp_slots_extra(&slots, id_of(0), mine));
}

static bool nobody_lives(void *arg, uint64_t id)
{
	(void)arg;
	(void)id;
	return false;
}

static void a_scribbled_table_costs_units_only_until_the_sweep(void **state)
{
	uint32_t unit;

	(void)state;
	for (uint32_t u = 0; u < TP_UNITS; u++)
		owner[u] = UINT64_C(0x4141414141414141);
	assert_int_equal(tp_slots_take(&slots, id_of(0), &unit), -ENOSPC);
	tp_slots_sweep(&slots, nobody_lives, NULL);
	assert_int_equal(tp_slots_take(&slots, id_of(0), &unit), 0);
	assert_false(unit < 258);
}

static void freeing_twice_does_not_queue_twice(void **state)
{
	uint32_t first = take(id_of(0)), unit, seen = 0;

	(void)state;
	tp_slots_free(&slots, first, 1);
	tp_slots_free(&slots, first, 2);
	while (tp_slots_take(&slots, id_of(1), &unit) == 0)
		seen += unit == first;
	assert_int_equal(seen, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(reserved_units_are_never_handed_out, fresh),
		cmocka_unit_test_setup(units_of_the_host_are_never_handed_out, fresh),
		cmocka_unit_test_setup(a_freed_unit_is_reused_last, fresh),
		cmocka_unit_test_setup(a_unit_that_a_program_took_is_skipped, fresh),
		cmocka_unit_test_setup(no_claim_to_foreign_or_reserved_units_counts, fresh),
		cmocka_unit_test_setup(a_scribbled_table_costs_units_only_until_the_sweep, fresh),
		cmocka_unit_test_setup(freeing_twice_does_not_queue_twice, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
