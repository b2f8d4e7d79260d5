/* SPDX-License-Identifier: MIT */
/* What is unmapped after a death: all of the dead program's, nothing of the host's, nothing that
 * others claim. */
#include "addresses.h"
#include "supervise/leftovers.h"
#include "fakegroup.h"
#include "unit.h"

static struct tp_leftovers l;
static struct tp_prog *dead, *other;

static int two_programs(void **state)
{
	if (open_group(state))
		return -1;
	other = add_prog("other", 11);
	dead = add_prog("dead", 10);
	if (!other || !dead)
		return -1;
	tp_registry_died(dead, TP_PROGRAM_DEAD);
	tp_leftovers_init(&l);
	return 0;
}

static void record(const struct tp_prog *p, uint64_t addr, uint64_t len)
{
	struct tp_program *e = entry_of(p);

	e->outside[e->outside_n++] = (struct tp_range){addr, len};
}

/* How many of the ranges meet [addr, addr + len). */
static int hits(uint64_t addr, uint64_t len)
{
	int n = 0;

	for (uint32_t i = 0; i < l.head.nranges; i++)
		n += l.ranges[i].addr < addr + len && addr < l.ranges[i].addr + l.ranges[i].len;
	return n;
}

static void the_slot_comes_first_and_whole(void **state)
{
	(void)state;
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(l.head.nranges, 1);
	assert_true(
		l.ranges[0].addr == TP_UNIT_BASE(dead->unit) && l.ranges[0].len == TP_UNIT_SIZE);
}

static void extra_units_go_if_the_table_agrees(void **state)
{
	struct tp_program *e = entry_of(dead);
	uint32_t mine = dead->unit + 5, theirs = dead->unit + 6;

	(void)state;
	e->extra_units_n = 6;
	e->extra_units[0] = mine;
	e->extra_units[1] = theirs;
	e->extra_units[2] = other->unit;
	e->extra_units[3] = 0;
	e->extra_units[4] = UINT32_MAX;
	group.seg.at->owner[mine] = dead->id;
	group.seg.at->owner[theirs] = other->id;
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(l.head.nranges, 2);
	assert_int_equal(hits(TP_UNIT_BASE(mine), TP_UNIT_SIZE), 1);
	assert_int_equal(tp_leftovers_free_units(dead, NULL), 0);
	assert_true(group.seg.at->owner[mine] == TP_OWNER_NONE);
	assert_true(group.seg.at->owner[theirs] == other->id);
	assert_true(group.seg.at->owner[other->unit] == other->id);
	assert_true(group.seg.at->owner[0] == TP_OWNER_RESERVED);
}

static void recorded_ranges_go_in_whole_pages(void **state)
{
	(void)state;
	record(dead, 0x400000, 0x5001);
	record(dead, 0x500800, 1);
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(l.head.nranges, 3);
	assert_true(l.ranges[1].addr == 0x400000 && l.ranges[1].len == 0x6000);
	assert_true(l.ranges[2].addr == 0x500000 && l.ranges[2].len == 0x1000);
}

static void absurd_ranges_are_ignored(void **state)
{
	(void)state;
	record(dead, UINT64_MAX - 4095, 0x1000);
	record(dead, 0x400000, UINT64_MAX);
	record(dead, ARCH_USER_END, 0x1000);
	record(dead, ARCH_USER_END - 0x1000, 0x2000);
	entry_of(dead)->outside_n = UINT32_MAX;
	entry_of(dead)->extra_units_n = UINT32_MAX;
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(l.head.nranges, 1);
}

static void what_a_living_program_claims_stays(void **state)
{
	(void)state;
	record(dead, 0x400000, 0x10000);
	record(other, 0x404000, 0x2000);
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(l.head.nranges, 3);
	assert_int_equal(hits(0x404000, 0x2000), 0);
	assert_int_equal(hits(0x400000, 0x4000), 1);
	assert_int_equal(hits(0x406000, 0xa000), 1);
}

static void the_hosts_own_stays(void **state)
{
	struct tp_range host[] = {{0x7e9000000000, TP_SEGMENT_SIZE}, {0x555555554000, 0x2000}};

	(void)state;
	group.baseline = host;
	group.nbaseline = 2;
	record(dead, 0x555555550000, 0x10000);
	record(dead, 0x7e9000000000, TP_SEGMENT_SIZE);
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(hits(0x7e9000000000, TP_SEGMENT_SIZE), 0);
	assert_int_equal(hits(0x555555554000, 0x2000), 0);
	assert_int_equal(hits(0x555555550000, 0x4000), 1);
	group.baseline = NULL;
}

static void another_programs_slot_is_never_taken(void **state)
{
	(void)state;
	record(dead, TP_UNIT_BASE(other->unit) + 0x400000, 0x1000);
	record(dead, TP_UNIT_BASE(other->unit) - 0x1000, 2 * TP_UNIT_SIZE);
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(hits(TP_UNIT_BASE(other->unit), TP_UNIT_SIZE), 0);
	assert_true(hits(TP_UNIT_BASE(dead->unit), TP_UNIT_SIZE) >= 1);
}

static void aio_contexts_are_listed_and_bounded(void **state)
{
	struct tp_program *e = entry_of(dead);

	(void)state;
	e->aio_n = UINT32_MAX;
	e->aio[0] = 0x7f0000000000;
	e->aio[TP_AIO_MAX - 1] = 0x7f0000001000;
	assert_true(tp_leftovers_add(&l, dead));
	assert_int_equal(l.head.naio, 2);
}

static void a_message_is_never_overfilled(void **state)
{
	int n = 0;

	(void)state;
	for (int i = 0; i < TP_OUTSIDE_MAX; i++)
		record(dead, 0x400000 + 0x2000 * (uint64_t)i, 0x1000);
	while (tp_leftovers_add(&l, dead))
		n++;
	assert_true(n > 5);
	assert_true(sizeof(l.head) + l.head.nranges * sizeof(l.ranges[0]) +
			    l.head.naio * sizeof(l.aio[0]) <=
		    TP_HOST_MESSAGE_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, two_programs, close_group)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_slot_comes_first_and_whole),
		TEST(extra_units_go_if_the_table_agrees),
		TEST(recorded_ranges_go_in_whole_pages),
		TEST(absurd_ranges_are_ignored),
		TEST(what_a_living_program_claims_stays),
		TEST(the_hosts_own_stays),
		TEST(another_programs_slot_is_never_taken),
		TEST(aio_contexts_are_listed_and_bounded),
		TEST(a_message_is_never_overfilled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
