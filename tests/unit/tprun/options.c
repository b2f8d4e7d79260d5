/* SPDX-License-Identifier: MIT */
/*
 * Which words a verb takes for itself and which it leaves to the command.
 */
#include "unit.h"

#include <fcntl.h>

#include "tprun/command.h"
#include "tprun/say.h"

static int parse(const struct tp_verb *verb, char **argv, struct tp_options *o)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return tp_options_parse(verb, argc, argv, o);
}

static void options_come_before_the_command(void **state)
{
	char *argv[] = {"run", "-g", "web", "--linger", "--exit-on=a", "--root", "/x", "--", "a",
		"-g", "--", "b", NULL};
	struct tp_options o;

	(void)state;
	assert_int_equal(parse(&tp_verb_run, argv, &o), -1);
	assert_string_equal(o.group, "web");
	assert_true(o.linger);
	assert_false(o.leave);
	assert_string_equal(o.exit_on, "a");
	assert_string_equal(o.root, "/x");
	assert_int_equal(o.nrest, 4);
	assert_string_equal(o.rest[0], "a");
	assert_string_equal(o.rest[1], "-g");
	assert_string_equal(o.rest[2], "--");
}

static void first_other_word_begins_the_command(void **state)
{
	char *argv[] = {"run", "ls", "-l", "--leave", NULL};
	struct tp_options o;

	(void)state;
	assert_int_equal(parse(&tp_verb_run, argv, &o), -1);
	assert_false(o.leave);
	assert_string_equal(o.rest[0], "ls");
	assert_int_equal(o.nrest, 3);
}

/* `stop NAME -g G` must never mean the program of another group. */
static void options_may_follow_names(void **state)
{
	char *argv[] = {"stop", "sleep", "-g", "other", "bash", NULL};
	struct tp_options o;

	(void)state;
	assert_int_equal(parse(&tp_verb_stop, argv, &o), -1);
	assert_string_equal(o.group, "other");
	assert_int_equal(o.nrest, 2);
	assert_string_equal(o.rest[0], "sleep");
	assert_string_equal(o.rest[1], "bash");
}

/* Parsing starts afresh: the second of these is not affected by the first. */
static void short_and_long_forms_agree(void **state)
{
	char *a[] = {"exec", "-tgx", "p", NULL}, *b[] = {"exec", "--tty", "--group=x", "p", NULL};
	struct tp_options x, y;

	(void)state;
	assert_int_equal(parse(&tp_verb_exec, a, &x), -1);
	assert_int_equal(parse(&tp_verb_exec, b, &y), -1);
	assert_true(x.tty && y.tty);
	assert_string_equal(x.group, "x");
	assert_string_equal(y.group, "x");
	assert_string_equal(x.rest[0], "p");
	assert_string_equal(y.rest[0], "p");
}

struct line {
	const struct tp_verb *verb;
	char **argv;
	const char *words; /* on stderr */
};

static int refuses(void *arg)
{
	const struct line *line = arg;
	struct tp_options o;
	char said[512] = "";
	int p[2], status;
	ssize_t n;

	if (pipe(p))
		return 1;
	dup2(p[1], 2);
	close(p[1]);
	status = parse(line->verb, line->argv, &o);
	close(2);
	n = read(p[0], said, sizeof(said) - 1);
	if (status != TP_STATUS_USAGE)
		return 2;
	return n > 0 && strstr(said, line->words) ? 0 : 3;
}

static void wrong_options_are_named(void **state)
{
	struct line lines[] = {
		{&tp_verb_run, (char *[]){"run", "--nonsense", "a", NULL},
			"tprun: run: --nonsense: there is no such option\n"},
		{&tp_verb_run, (char *[]){"run", "-z", NULL},
			"tprun: run: -z: there is no such option\n"},
		{&tp_verb_run, (char *[]){"run", "-g", NULL},
			"tprun: run: -g: a value is missing\n"},
		{&tp_verb_run, (char *[]){"run", "-t", NULL}, "run: -t: there is no such option"},
		{&tp_verb_ps, (char *[]){"ps", "-o", "xml", NULL}, "no output form \"xml\""},
		{&tp_verb_ps, (char *[]){"ps", "--\033[31m", NULL}, "tprun: ps: --?[31m: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(in_child(refuses, &lines[i]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_come_before_the_command),
		cmocka_unit_test(first_other_word_begins_the_command),
		cmocka_unit_test(options_may_follow_names),
		cmocka_unit_test(short_and_long_forms_agree),
		cmocka_unit_test(wrong_options_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
