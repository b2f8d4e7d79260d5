/* SPDX-License-Identifier: MIT */
/* Names of programs, for people: of the right one, or none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "program-name.h"
#include "tpgroup.h"
#include <tp/heap.h>

static struct tp_segment *const segment = (struct tp_segment *)TP_SEGMENT_BASE;

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(64 << 20);
	tpgroup_be(tpgroup_add("me"));
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

/* Whoever has the entry now is not taken for the one that had it. */
static void names_are_not_inherited(void **state)
{
	uint64_t old = tpgroup_add("old"), next;
	char room[TP_NAME_MAX] = "as it was", *foreign = (char *)TP_UNIT_BASE(0x200);

	(void)state;
	segment->owner[0x200] = old;
	assert_true(tpi_slot_holder((uintptr_t)foreign) == old && tpi_tag_holder(TP_TAG(old)) == old);
	assert_string_equal(tpi_program_name(old), "old");
	assert_int_equal(tp_free(foreign), -EFAULT);
	assert_non_null(strstr(tp_why(), "private memory of old"));
	tpgroup_died(old);
	assert_string_equal(tpi_program_name(old), "old");
	do {
		next = tpgroup_add("next");
		tpgroup_died(next);
	} while (TP_ID_INDEX(next) != TP_ID_INDEX(old));
	assert_int_equal(tpi_tag_holder(TP_TAG(old)), 0);
	assert_false(tpi_program_known(old, room));
	assert_string_equal(room, "as it was");
	assert_non_null(strstr(tpi_program_name(old), "gone"));
	assert_int_equal(tp_free(foreign), -EFAULT);
	assert_null(strstr(tp_why(), "next"));
	segment->owner[0x200] = 0;
	assert_int_equal(tpi_slot_holder(UINT64_MAX), 0);
	assert_false(tpi_program_known(0, room));
}

/* Any program can write there. */
static void a_name_without_end_is_cut(void **state)
{
	uint64_t id = tpgroup_add("x");
	struct tp_program *e = tpi_entry(TP_ID_INDEX(id));

	(void)state;
	memset(e->name, 'x', sizeof(e->name));
	assert_int_equal(strlen(tpi_program_name(id)), TP_NAME_MAX - 1);
	e->name[0] = '\0';
	assert_non_null(strstr(tpi_program_name(id), "gone"));
	tpgroup_died(id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_not_inherited),
		cmocka_unit_test(a_name_without_end_is_cut),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
