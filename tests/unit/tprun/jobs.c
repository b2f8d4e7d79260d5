/* SPDX-License-Identifier: MIT */
/*
 * How a command line is cut into programs, and what exit status follows from theirs.
 */
#include "unit.h"

#include <signal.h>

#include "tprun/jobs.h"

static void parse(struct tp_jobs *jobs, char **argv)
{
	struct tp_error err;

	assert_int_equal(tp_jobs_parse(jobs, argv, &err), 0);
}

static void cuts_at_separators(void **state)
{
	char *argv[] = {"a", "1", ":::", "b", ":::", "/bin/c", "::", "x:::", NULL};
	struct tp_jobs jobs;

	(void)state;
	parse(&jobs, argv);
	assert_int_equal(jobs.n, 3);
	assert_string_equal(jobs.v[0].argv[1], "1");
	assert_null(jobs.v[0].argv[2]);
	assert_string_equal(jobs.v[1].name, "b");
	assert_null(jobs.v[1].argv[1]);
	assert_string_equal(jobs.v[2].name, "c");
	assert_string_equal(jobs.v[2].argv[0], "/bin/c");
	assert_string_equal(jobs.v[2].argv[2], "x:::");
	tp_jobs_fini(&jobs);
}

static void second_of_a_name_is_numbered(void **state)
{
	char *argv[] = {
		"/bin/a", ":::", "a", ":::", "a.2", ":::", "a", ":::", "", ":::", "x/", NULL};
	struct tp_jobs jobs;

	(void)state;
	parse(&jobs, argv);
	assert_int_equal(jobs.n, 6);
	assert_string_equal(jobs.v[0].name, "a");
	assert_string_equal(jobs.v[1].name, "a.2");
	assert_string_equal(jobs.v[2].name, "a.2.2");
	assert_string_equal(jobs.v[3].name, "a.3");
	assert_string_equal(jobs.v[4].name, "program");
	assert_string_equal(jobs.v[5].name, "x/");
	tp_jobs_fini(&jobs);
}

static void long_name_is_cut_and_numbered(void **state)
{
	char name[200];
	char *argv[] = {name, ":::", name, NULL};
	struct tp_jobs jobs;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	parse(&jobs, argv);
	assert_true(strlen(jobs.v[0].name) < TP_NAME_MAX);
	assert_true(strlen(jobs.v[1].name) < TP_NAME_MAX);
	assert_string_equal(jobs.v[1].name + strlen(jobs.v[1].name) - 3, "n.2");
	tp_jobs_fini(&jobs);
}

static void missing_program_is_refused(void **state)
{
	char *lines[][4] = {
		{NULL},
		{":::", NULL},
		{"a", ":::", NULL},
		{":::", "a", NULL},
	};
	struct tp_jobs jobs;
	struct tp_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(tp_jobs_parse(&jobs, lines[i], &err), -EINVAL);
}

static void exit_on_takes_rules_and_names(void **state)
{
	char *argv[] = {"a", ":::", "b", NULL};
	struct tp_jobs jobs;

	(void)state;
	parse(&jobs, argv);
	assert_int_equal(tp_jobs_exit_on(&jobs, "b"), 0);
	assert_int_equal(jobs.exit_on, TP_EXIT_ON_NAME);
	assert_int_equal(jobs.decider, 1);
	assert_int_equal(tp_jobs_exit_on(&jobs, "first-exit"), 0);
	assert_int_equal(jobs.exit_on, TP_EXIT_ON_FIRST_EXIT);
	assert_int_equal(tp_jobs_exit_on(&jobs, "c"), -ENOENT);
	assert_int_equal(tp_jobs_exit_on(&jobs, "first"), -ENOENT);
	tp_jobs_fini(&jobs);
}

/*
 * Three programs end in the order of `order` with the status of their index in `statuses`. Checks
 * the final status and after how many ends the rest was to be stopped (0: never).
 */
static void expect(
	const char *exit_on, const int order[3], const int statuses[3], int status, int stop_after)
{
	char *argv[] = {"a", ":::", "b", ":::", "c", NULL};
	struct tp_jobs jobs;
	int stopped = 0;

	parse(&jobs, argv);
	assert_int_equal(tp_jobs_exit_on(&jobs, exit_on), 0);
	for (int i = 0; i < 3; i++) {
		assert_false(tp_jobs_all_ended(&jobs));
		if (tp_jobs_ended(&jobs, &jobs.v[order[i]], statuses[order[i]])) {
			assert_int_equal(stopped, 0);
			stopped = i + 1;
		}
	}
	assert_true(tp_jobs_all_ended(&jobs));
	assert_int_equal(jobs.status, status);
	assert_int_equal(stopped, stop_after);
	tp_jobs_fini(&jobs);
}

static void all_gives_the_first_failure(void **state)
{
	(void)state;
	expect("all", (int[]){0, 1, 2}, (int[]){0, 0, 0}, 0, 0);
	expect("all", (int[]){2, 1, 0}, (int[]){3, 4, 5}, 5, 0);
	expect("all", (int[]){0, 2, 1}, (int[]){0, 4, 137}, 137, 0);
}

static void first_exit_decides(void **state)
{
	(void)state;
	expect("first-exit", (int[]){1, 0, 2}, (int[]){143, 0, 143}, 0, 1);
	expect("first-exit", (int[]){2, 0, 1}, (int[]){143, 143, 7}, 7, 1);
}

static void first_failure_decides(void **state)
{
	(void)state;
	expect("first-failure", (int[]){1, 0, 2}, (int[]){9, 0, 143}, 9, 2);
	expect("first-failure", (int[]){1, 0, 2}, (int[]){0, 0, 0}, 0, 0);
	expect("first-failure", (int[]){1, 0, 2}, (int[]){0, 0, 6}, 6, 0);
}

static void named_program_decides(void **state)
{
	(void)state;
	expect("b", (int[]){0, 1, 2}, (int[]){9, 5, 143}, 5, 2);
	expect("b", (int[]){0, 1, 2}, (int[]){9, 0, 143}, 0, 2);
}

static void ending_twice_counts_once(void **state)
{
	char *argv[] = {"a", ":::", "b", NULL};
	struct tp_jobs jobs;

	(void)state;
	parse(&jobs, argv);
	tp_jobs_ended(&jobs, &jobs.v[0], 3);
	tp_jobs_ended(&jobs, &jobs.v[0], 4);
	assert_int_equal(jobs.ended, 1);
	assert_int_equal(jobs.status, 3);
	tp_jobs_fini(&jobs);
}

static void stopped_only_if_none_runs(void **state)
{
	char *argv[] = {"a", ":::", "b", NULL};
	struct tp_jobs jobs;

	(void)state;
	parse(&jobs, argv);
	assert_false(tp_jobs_all_stopped(&jobs));
	jobs.v[0].state = TP_JOB_STOPPED;
	jobs.v[1].state = TP_JOB_RUNNING;
	assert_false(tp_jobs_all_stopped(&jobs));
	jobs.v[1].state = TP_JOB_ENDED;
	assert_true(tp_jobs_all_stopped(&jobs));
	jobs.v[0].state = TP_JOB_ENDED;
	assert_false(tp_jobs_all_stopped(&jobs));
	tp_jobs_fini(&jobs);
}

static int exit_with(void *arg)
{
	return *(int *)arg;
}

static int die_of(void *arg)
{
	signal(*(int *)arg, SIG_DFL);
	raise(*(int *)arg);
	return 0;
}

static int shell_status_of(int (*how)(void *), int n)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(how(&n));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return tp_shell_status(status);
}

static void status_is_as_a_shell_gives_it(void **state)
{
	(void)state;
	assert_int_equal(shell_status_of(exit_with, 0), 0);
	assert_int_equal(shell_status_of(exit_with, 1), 1);
	assert_int_equal(shell_status_of(exit_with, 255), 255);
	assert_int_equal(shell_status_of(die_of, SIGKILL), 137);
	assert_int_equal(shell_status_of(die_of, SIGTERM), 143);
	assert_int_equal(shell_status_of(die_of, SIGRTMAX), 128 + 64);
}

static void crashes_are_told_from_ends(void **state)
{
	(void)state;
	assert_true(tp_signal_is_crash(SIGSEGV));
	assert_true(tp_signal_is_crash(SIGABRT));
	assert_false(tp_signal_is_crash(SIGKILL));
	assert_false(tp_signal_is_crash(SIGTERM));
	assert_false(tp_signal_is_crash(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_at_separators),
		cmocka_unit_test(second_of_a_name_is_numbered),
		cmocka_unit_test(long_name_is_cut_and_numbered),
		cmocka_unit_test(missing_program_is_refused),
		cmocka_unit_test(exit_on_takes_rules_and_names),
		cmocka_unit_test(all_gives_the_first_failure),
		cmocka_unit_test(first_exit_decides),
		cmocka_unit_test(first_failure_decides),
		cmocka_unit_test(named_program_decides),
		cmocka_unit_test(ending_twice_counts_once),
		cmocka_unit_test(stopped_only_if_none_runs),
		cmocka_unit_test(status_is_as_a_shell_gives_it),
		cmocka_unit_test(crashes_are_told_from_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
