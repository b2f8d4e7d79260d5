/* SPDX-License-Identifier: MIT */
/*
 * What the JSON writer makes of values, nesting, and bytes that are not text.
 */
#include "unit.h"

#include <stdio.h>

#include "tprun/json.h"

static char *text;
static size_t text_len;

static FILE *begin(void)
{
	free(text);
	text = NULL;
	return open_memstream(&text, &text_len);
}

static const char *escaped(const char *s)
{
	FILE *f = begin();

	tp_json_escape(f, s);
	fclose(f);
	return text;
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	assert_string_equal(escaped(""), "\"\"");
	assert_string_equal(escaped("a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	assert_string_equal(
		escaped("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
}

static void utf8_stays(void **state)
{
	(void)state;
	assert_string_equal(escaped("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
		"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

static void what_is_not_utf8_is_replaced(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"\xff", "\"\\ufffd\""},
		{"\x80x", "\"\\ufffdx\""},
		{"\xc3", "\"\\ufffd\""},            /* cut */
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""}, /* '/' the long way */
		{"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* surrogate */
		{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* above U+10FFFF */
		{"\xe2\x82", "\"\\ufffd\\ufffd\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(escaped(cases[i].in), cases[i].out);
}

static void commas_stand_between_values(void **state)
{
	struct tp_json j = {.out = begin()};

	(void)state;
	tp_json_object(&j, NULL);
	tp_json_array(&j, "empty");
	tp_json_end_array(&j);
	tp_json_int(&j, "n", INT64_MIN);
	tp_json_array(&j, "v");
	tp_json_object(&j, NULL);
	tp_json_bool(&j, "t", true);
	tp_json_null(&j, "z");
	tp_json_end_object(&j);
	tp_json_object(&j, NULL);
	tp_json_end_object(&j);
	tp_json_string(&j, NULL, "s");
	tp_json_end_array(&j);
	tp_json_bool(&j, "last", false);
	tp_json_end_object(&j);
	fclose(j.out);
	assert_string_equal(text, "{\"empty\":[],\"n\":-9223372036854775808,"
				  "\"v\":[{\"t\":true,\"z\":null},{},\"s\"],\"last\":false}");
}

static int release(void **state)
{
	(void)state;
	free(text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(utf8_stays),
		cmocka_unit_test(what_is_not_utf8_is_replaced),
		cmocka_unit_test(commas_stand_between_values),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
