/* SPDX-License-Identifier: MIT */
/*
 * The caller's state is what it was when tprun was started: each check is a child that brings
 * itself into an odd state, captures it, and compares.
 */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tprun/caller.h"

/* Leaves exactly these descriptors open, all on /dev/null. */
static void only_descriptors(const int *fds, size_t n)
{
	int null = open("/dev/null", O_RDWR);
	int high = fcntl(null, F_DUPFD, 500);

	close_range(0, (unsigned int)high - 1, 0);
	close_range((unsigned int)high + 1, ~0u, 0);
	for (size_t i = 0; i < n; i++)
		dup2(high, fds[i]);
	close(high);
}

struct set {
	size_t n;
	int fds[8];
};

static int captures_descriptors(void *arg)
{
	const struct set *set = arg;
	struct tp_caller c;
	struct tp_error err;

	only_descriptors(set->fds, set->n);
	if (tp_caller_capture(&c, environ, &err))
		return 1;
	if (c.nfds != set->n || (c.nfds && memcmp(c.fds, set->fds, set->n * sizeof(int))))
		return 2;
	/* Nothing of ours lands where a message would go. */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			return 3;
	return c.cwd_fd > 2 ? 0 : 4;
}

static void open_descriptors_are_found(void **state)
{
	struct set sets[] = {
		{3, {0, 1, 2}},
		{0, {0}},
		{1, {1}},
		{2, {1, 2}},
		{2, {0, 2}},
		{6, {0, 1, 2, 5, 9, 300}},
		{3, {2, 3, 255}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		assert_int_equal(in_child(captures_descriptors, &sets[i]), 0);
}

/* Without /proc's list: no descriptor is left to open it with, and the limit cannot be raised. */
static int captures_at_the_limit(void *arg)
{
	static const int fds[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct rlimit l = {8, 8};
	struct tp_caller c = {.nfds = 0};
	struct tp_error err = {.status = 0};

	(void)arg;
	only_descriptors(fds, 8);
	setrlimit(RLIMIT_NOFILE, &l);
	if (!tp_caller_capture(&c, environ, &err))
		return 1;
	return strstr(err.text, "ulimit -n") && err.status == TP_STATUS_OWN ? 0 : 2;
}

static void no_descriptor_left_is_told(void **state)
{
	(void)state;
	assert_int_equal(in_child(captures_at_the_limit, NULL), 0);
}

static int soft_limit_is_no_obstacle(void *arg)
{
	static const int fds[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct rlimit l;
	struct tp_caller c;
	struct tp_error err;

	(void)arg;
	only_descriptors(fds, 8);
	getrlimit(RLIMIT_NOFILE, &l);
	l.rlim_cur = 8;
	setrlimit(RLIMIT_NOFILE, &l);
	if (tp_caller_capture(&c, environ, &err))
		return 1;
	/* The program gets the caller's limit, not the one that we work with. */
	return c.nfds == 8 && c.rlimits[RLIMIT_NOFILE][0] == 8 ? 0 : 2;
}

static void low_soft_limit_is_kept_for_the_program(void **state)
{
	(void)state;
	assert_int_equal(in_child(soft_limit_is_no_obstacle, NULL), 0);
}

/* Ours may be raised; those of the program stay what they were. */
static int low_limits(void *arg)
{
	static const int resources[] = {RLIMIT_STACK, RLIMIT_FSIZE, RLIMIT_CPU};
	struct tp_caller c;
	struct tp_error err;
	struct rlimit l;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		getrlimit(resources[i], &l);
		l.rlim_cur = 65536;
		setrlimit(resources[i], &l);
	}
	if (tp_caller_capture(&c, environ, &err))
		return 1;
	for (int i = 0; i < 3; i++) {
		getrlimit(resources[i], &l);
		if (c.rlimits[resources[i]][0] != 65536)
			return 2;
		if (l.rlim_cur == 65536 && l.rlim_max != 65536)
			return 3;
		if (resources[i] == RLIMIT_STACK && l.rlim_cur == RLIM_INFINITY)
			return 4;
	}
	return 0;
}

static void low_limits_are_the_programs_alone(void **state)
{
	(void)state;
	assert_int_equal(in_child(low_limits, NULL), 0);
}

static int captures_attributes(void *arg)
{
	struct rlimit core, cpu;
	struct tp_caller c;
	struct tp_error err;
	sigset_t set;

	(void)arg;
	umask(0137);
	getrlimit(RLIMIT_CPU, &cpu);
	getrlimit(RLIMIT_CORE, &core);
	/* A user may have no right to more than nothing. */
	core.rlim_max = core.rlim_max < 67890 ? core.rlim_max : 67890;
	core.rlim_cur = core.rlim_max / 3;
	if (setrlimit(RLIMIT_CORE, &core) || setpriority(PRIO_PROCESS, 0, 7))
		return 1;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMAX);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	setsid();
	if (tp_caller_capture(&c, environ, &err))
		return 2;
	if (c.umask != 0137 || c.nice != 7 || c.pgid != getpid() || c.sid != getpid())
		return 3;
	if (c.sigmask != (UINT64_C(1) << (SIGUSR1 - 1) | UINT64_C(1) << 63))
		return 4;
	if (!(c.sigignore & 1 << (SIGHUP - 1)) || !(c.sigignore & 1 << (SIGCHLD - 1)) ||
		c.sigignore & 1 << (SIGTERM - 1))
		return 5;
	if (c.rlimits[RLIMIT_CORE][0] != core.rlim_cur ||
		c.rlimits[RLIMIT_CORE][1] != core.rlim_max ||
		c.rlimits[RLIMIT_CPU][0] != cpu.rlim_cur)
		return 6;
	/* Its own children must not vanish unreaped. */
	return signal(SIGCHLD, SIG_DFL) == SIG_DFL && umask(0) == 0137 ? 0 : 7;
}

static void attributes_are_found(void **state)
{
	(void)state;
	assert_int_equal(in_child(captures_attributes, NULL), 0);
}

static int works_in_a_removed_directory(void *arg)
{
	char dir[] = "/tmp/tp-unit-XXXXXX";
	struct tp_caller c;
	struct tp_error err;
	struct stat st;

	(void)arg;
	if (!mkdtemp(dir) || chdir(dir) || rmdir(dir))
		return 1;
	if (tp_caller_capture(&c, environ, &err))
		return 2;
	return !fstat(c.cwd_fd, &st) && S_ISDIR(st.st_mode) && !st.st_nlink ? 0 : 3;
}

static void vanished_directory_is_no_obstacle(void **state)
{
	(void)state;
	assert_int_equal(in_child(works_in_a_removed_directory, NULL), 0);
}

/* The reader of a pipe sees its end although tprun lives on. */
static int drops(void *arg)
{
	int pipes[2][2];
	struct tp_caller c;
	struct tp_error err;
	struct pollfd p[2];

	(void)arg;
	if (pipe(pipes[0]) || pipe(pipes[1]))
		return 1;
	dup2(pipes[0][1], 1);
	close(pipes[0][1]);
	if (tp_caller_capture(&c, environ, &err))
		return 2;
	/* Ours to read from: not to be closed below. */
	p[0].fd = fcntl(pipes[0][0], F_DUPFD_CLOEXEC, 100);
	p[1].fd = fcntl(pipes[1][0], F_DUPFD_CLOEXEC, 100);
	p[0].events = p[1].events = POLLIN;
	tp_caller_drop(&c);
	return poll(p, 2, 0) == 2 && p[0].revents & POLLHUP && p[1].revents & POLLHUP &&
			       fcntl(2, F_GETFD) >= 0
		       ? 0
		       : 3;
}

static void dropped_descriptors_are_let_go(void **state)
{
	(void)state;
	assert_int_equal(in_child(drops, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_descriptors_are_found),
		cmocka_unit_test(no_descriptor_left_is_told),
		cmocka_unit_test(low_soft_limit_is_kept_for_the_program),
		cmocka_unit_test(low_limits_are_the_programs_alone),
		cmocka_unit_test(attributes_are_found),
		cmocka_unit_test(vanished_directory_is_no_obstacle),
		cmocka_unit_test(dropped_descriptors_are_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
