/* SPDX-License-Identifier: MIT */
/* Messages stay one readable line, whatever the names in them are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static void plain(void **state)
{
	struct tp_error err;

	(void)state;
	assert_int_equal(tp_error_set(&err, 126, ENOEXEC, "%s: no: %d", "prog", 3), -ENOEXEC);
	assert_int_equal(err.status, 126);
	assert_int_equal(err.err, -ENOEXEC);
	assert_string_equal(err.text, "prog: no: 3");
	assert_int_equal(tp_error_named(&err, 127, -ENOENT, "prog", "not %s", "there"), -ENOENT);
	assert_string_equal(err.text, "prog: not there");
	assert_int_equal(tp_error_set(NULL, 126, EIO, "x"), -EIO);
	assert_int_equal(tp_error_named(NULL, 126, EIO, "x", "y"), -EIO);
}

static void nameless(void **state)
{
	struct tp_error err;

	(void)state;
	tp_error_named(&err, 127, ENOENT, "", "gone");
	assert_string_equal(err.text, "'': gone");
	tp_error_named(&err, 127, ENOENT, NULL, "gone");
	assert_string_equal(err.text, "'': gone");
}

static void control_characters(void **state)
{
	struct tp_error err;

	(void)state;
	tp_error_named(&err, 126, EIO, "a\nb\033[31m", "c\r\177d\te");
	assert_string_equal(err.text, "a?b?[31m: c??d?e");
	tp_error_named(&err, 126, EIO, "größe", "ok");
	assert_string_equal(err.text, "größe: ok");
}

static void long_name_keeps_its_reason(void **state)
{
	char name[5000];
	struct tp_error err;

	(void)state;
	memset(name, 'n', sizeof(name));
	strcpy(name + sizeof(name) - 6, "/prog");
	tp_error_named(&err, 126, EIO, name, "the reason");
	assert_non_null(strstr(err.text, "nnn/prog: the reason"));
	assert_int_equal(strncmp(err.text, "...n", 4), 0);
	assert_true(strlen(err.text) < 200);
}

static void too_long_a_text(void **state)
{
	char text[2000];
	struct tp_error err;

	(void)state;
	memset(text, 't', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	tp_error_set(&err, 126, EIO, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_string_equal(err.text + sizeof(err.text) - 5, "t...");
	text[sizeof(err.text) - 1] = '\0';
	tp_error_set(&err, 126, EIO, "%s", text);
	assert_string_equal(err.text, text);
}

static void every_errno_has_words(void **state)
{
	const char *words;

	(void)state;
	for (int e = -200; e < 200; e++) {
		words = tp_errno_words(e);
		assert_true(strlen(words) > 3);
		assert_false(isdigit((unsigned char)words[0]));
	}
	assert_string_equal(tp_errno_words(-ENOENT), tp_errno_words(ENOENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(nameless),
		cmocka_unit_test(control_characters),
		cmocka_unit_test(long_name_keeps_its_reason),
		cmocka_unit_test(too_long_a_text),
		cmocka_unit_test(every_errno_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
