/* SPDX-License-Identifier: MIT */
/* Names: unique among the live whatever people ask for, reused when free, cheap with a thousand of
 * one name. */
#include <stdio.h>
#include <string.h>

#include "supervise/names.h"
#include "unit.h"

static struct tp_names names;

static int fresh(void **state)
{
	(void)state;
	memset(&names, 0, sizeof(names));
	return 0;
}

static void the_second_of_a_name_gets_a_number(void **state)
{
	(void)state;
	assert_string_equal(tp_names_take(&names, "bash", 5), "bash");
	assert_string_equal(tp_names_take(&names, "bash", 6), "bash.2");
	assert_string_equal(tp_names_take(&names, "bash", 7), "bash.3");
	assert_int_equal(tp_names_find(&names, "bash.2"), 6);
	tp_names_drop(&names, 6);
	assert_int_equal(tp_names_find(&names, "bash.2"), -1);
	assert_string_equal(tp_names_take(&names, "bash", 6), "bash.2");
	tp_names_drop(&names, 5);
	assert_string_equal(tp_names_take(&names, "bash", 9), "bash");
}

static void a_number_asked_for_by_name_is_not_given_twice(void **state)
{
	(void)state;
	assert_string_equal(tp_names_take(&names, "x.2", 0), "x.2");
	assert_string_equal(tp_names_take(&names, "x", 1), "x");
	assert_string_equal(tp_names_take(&names, "x", 2), "x.3");
	assert_string_equal(tp_names_take(&names, "x.2", 3), "x.2.2");
}

static void bytes_that_hurt_a_terminal_are_replaced(void **state)
{
	(void)state;
	assert_string_equal(tp_names_take(&names, "a b\x1b[31m\n/c", 0), "a_b_[31m__c");
	assert_string_equal(tp_names_take(&names, "", 1), "_");
}

static void a_long_name_keeps_room_for_its_number(void **state)
{
	char wanted[200];

	(void)state;
	memset(wanted, 'n', sizeof(wanted) - 1);
	wanted[sizeof(wanted) - 1] = '\0';
	for (uint32_t i = 0; i < 1200; i++) {
		const char *got = tp_names_take(&names, wanted, i);

		assert_true(strlen(got) < TP_NAME_MAX);
		assert_int_equal(tp_names_find(&names, got), (int)i);
	}
}

static void all_entries_can_have_one_name(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++)
		tp_names_take(&names, "sleep", i);
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++)
		assert_int_equal(tp_names_find(&names, names.name[i]), (int)i);
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i += 2)
		tp_names_drop(&names, i);
	for (uint32_t i = 1; i < TP_REGISTRY_MAX; i += 2)
		assert_int_equal(tp_names_find(&names, names.name[i]), (int)i);
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i += 2)
		assert_int_equal(tp_names_find(&names, tp_names_take(&names, "sleep", i)), (int)i);
}

static void dropping_a_nameless_entry_is_harmless(void **state)
{
	(void)state;
	tp_names_drop(&names, 3);
	assert_string_equal(tp_names_take(&names, "a", 3), "a");
	tp_names_drop(&names, 4);
	assert_int_equal(tp_names_find(&names, "a"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_second_of_a_name_gets_a_number, fresh),
		cmocka_unit_test_setup(a_number_asked_for_by_name_is_not_given_twice, fresh),
		cmocka_unit_test_setup(bytes_that_hurt_a_terminal_are_replaced, fresh),
		cmocka_unit_test_setup(a_long_name_keeps_room_for_its_number, fresh),
		cmocka_unit_test_setup(all_entries_can_have_one_name, fresh),
		cmocka_unit_test_setup(dropping_a_nameless_entry_is_harmless, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
