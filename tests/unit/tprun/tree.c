/* SPDX-License-Identifier: MIT */
/*
 * The end of a whole tree of processes, whatever its members do about it.
 */
#include "unit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "tprun/tree.h"

static void sleep_ms(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* A process that ignores what can be ignored, in a session of its own, and tells its pid. */
__attribute__((noreturn)) static void stubborn(int fd, int depth)
{
	pid_t self = getpid();

	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (depth && !fork())
		stubborn(fd, depth - 1);
	if (write(fd, &self, sizeof(self)) != sizeof(self))
		_exit(1);
	for (;;)
		pause();
}

static int kills_all(void *arg)
{
	pid_t pids[6];
	int p[2];

	(void)arg;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) || pipe(p))
		return 1;
	for (int i = 0; i < 2; i++)
		if (!fork())
			stubborn(p[1], 2);
	for (int i = 0; i < 6; i++)
		if (read(p[0], &pids[i], sizeof(pids[i])) != sizeof(pids[i]))
			return 2;
	tp_tree_kill(4000);
	for (int i = 0; i < 6; i++)
		if (!kill(pids[i], 0))
			return 3;
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 4;
}

static void sessions_of_their_own_do_not_save(void **state)
{
	(void)state;
	assert_int_equal(in_child(kills_all, NULL), 0);
}

static void descent_is_seen(void **state)
{
	pid_t grandchild, child;
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	child = fork();
	if (!child)
		stubborn(p[1], 1);
	assert_int_equal(read(p[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	if (grandchild == child)
		assert_int_equal(read(p[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	assert_true(tp_tree_descends(grandchild, child));
	assert_true(tp_tree_descends(grandchild, getpid()));
	assert_false(tp_tree_descends(child, grandchild));
	assert_false(tp_tree_descends(getpid(), child));
	kill(grandchild, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	sleep_ms(10);
	assert_false(tp_tree_descends(child, getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions_of_their_own_do_not_save),
		cmocka_unit_test(descent_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
