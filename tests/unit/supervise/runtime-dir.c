/* SPDX-License-Identifier: MIT */
/* The directory of a group: one live group a name, stale ones replaced, nothing of others touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervise/runtime-dir.h"
#include "tp/abi/segment.h"
#include "unit.h"

static char base[] = "/tmp/tp-unit-runtime-XXXXXX";

static int make_base(void **state)
{
	(void)state;
	if (!mkdtemp(base))
		return -1;
	return setenv("XDG_RUNTIME_DIR", base, 1);
}

static int remove_base(void **state)
{
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/tprun/.spare", base);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/tprun", base);
	rmdir(path);
	return rmdir(base);
}

static bool exists(const char *group)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tprun/%s", base, group);
	return access(path, F_OK) == 0;
}

static void expect_base_in_tmp(const char *dir)
{
	char have[PATH_MAX], want[PATH_MAX];

	snprintf(want, sizeof(want), "/tmp/tprun-%u", (unsigned)geteuid());
	setenv("XDG_RUNTIME_DIR", dir, 1);
	assert_int_equal(tp_runtime_base(have), 0);
	assert_string_equal(have, want);
	setenv("XDG_RUNTIME_DIR", base, 1);
}

/* su keeps the variable: root must not make directories that lock their owner out. */
static void directory_of_another_user_is_not_used(void **state)
{
	char other[] = "/tmp/tp-unit-other-XXXXXX";

	(void)state;
	expect_base_in_tmp("");
	expect_base_in_tmp("relative");
	expect_base_in_tmp("/nonexistent");
	expect_base_in_tmp("/dev/null");
	if (geteuid() != 0) {
		expect_base_in_tmp("/");
		return;
	}
	assert_non_null(mkdtemp(other));
	assert_int_equal(chown(other, 65534, 65534), 0);
	expect_base_in_tmp(other);
	rmdir(other);
}

/* Whoever made /tmp/tprun-0 first would own the sockets of root's groups. */
static void root_enters_no_directory_of_another_user(void **state)
{
	struct tp_runtime rt;
	struct tp_error err;
	char path[PATH_MAX];

	(void)state;
	if (geteuid() != 0)
		skip();
	snprintf(path, sizeof(path), "%s/tprun", base);
	assert_int_equal(tp_runtime_create("g", &rt, &err), 0);
	tp_runtime_remove(&rt);
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(tp_runtime_create("g", &rt, &err), -EPERM);
	assert_int_equal(chown(path, 0, 0), 0);
}

static void names_are_checked(void **state)
{
	char longest[TP_NAME_MAX + 1];

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[TP_NAME_MAX] = '\0';
	assert_false(tp_runtime_name_ok(longest));
	longest[TP_NAME_MAX - 1] = '\0';
	assert_true(tp_runtime_name_ok(longest));
	assert_true(tp_runtime_name_ok("run-17"));
	assert_false(tp_runtime_name_ok(""));
	assert_false(tp_runtime_name_ok("."));
	assert_false(tp_runtime_name_ok(".."));
	assert_false(tp_runtime_name_ok("a/b"));
	assert_false(tp_runtime_name_ok("-g"));
	assert_false(tp_runtime_name_ok("a b"));
	assert_false(tp_runtime_name_ok("a\n"));
}

static void a_group_can_be_connected_to_until_it_is_removed(void **state)
{
	struct tp_runtime rt;
	struct tp_error err;
	struct stat st;
	int fd = -1;

	(void)state;
	assert_int_equal(tp_runtime_create("g", &rt, &err), 0);
	assert_int_equal(fstat(rt.dir_fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(tp_runtime_connect("g", &fd, &err), 0);
	close(fd);
	tp_runtime_remove(&rt);
	assert_false(exists("g"));
	assert_int_equal(tp_runtime_connect("g", &fd, &err), -ENOENT);
}

static ino_t inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

static void an_empty_directory_is_kept_for_the_next_group(void **state)
{
	struct tp_runtime a, b, c;
	struct tp_error err;
	ino_t kept;

	(void)state;
	assert_int_equal(tp_runtime_create("a", &a, &err), 0);
	kept = inode_of(a.dir_fd);
	assert_int_equal(tp_runtime_create("b", &b, &err), 0);
	tp_runtime_remove(&a);
	assert_true(exists(".spare"));
	tp_runtime_remove(&b);
	assert_false(exists("a") || exists("b"));
	assert_int_equal(tp_runtime_create("c", &c, &err), 0);
	assert_int_equal(inode_of(c.dir_fd), kept);
	assert_false(exists(".spare"));
	/* What somebody put there is not handed on. */
	assert_int_equal(mkdirat(c.dir_fd, "theirs", 0700), 0);
	tp_runtime_remove(&c);
	assert_false(exists(".spare"));
	assert_true(exists("c/theirs"));
	assert_int_equal(tp_runtime_create("c", &c, &err), 0);
	assert_int_equal(unlinkat(c.dir_fd, "theirs", AT_REMOVEDIR), 0);
	tp_runtime_remove(&c);
	assert_true(exists(".spare"));
}

static void a_second_live_group_is_refused(void **state)
{
	struct tp_runtime rt, second;
	struct tp_error err;

	(void)state;
	assert_int_equal(tp_runtime_create("g", &rt, &err), 0);
	assert_int_equal(tp_runtime_create("g", &second, &err), -EEXIST);
	assert_int_equal(err.status, TP_STATUS_OWN);
	assert_non_null(strstr(err.text, "runs"));
	tp_runtime_remove(&rt);
}

static void die_holding(const char *group)
{
	struct tp_runtime rt;
	pid_t pid = fork();

	if (!pid) {
		if (tp_runtime_create(group, &rt, NULL) < 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static void what_a_killed_group_left_is_replaced(void **state)
{
	struct tp_runtime rt;
	struct tp_error err;
	int fd;

	(void)state;
	for (int i = 0; i < 20; i++)
		die_holding("g");
	assert_true(exists("g"));
	assert_int_equal(tp_runtime_connect("g", &fd, &err), -ECONNREFUSED);
	assert_int_equal(tp_runtime_create("g", &rt, &err), 0);
	assert_int_equal(tp_runtime_connect("g", &fd, &err), 0);
	close(fd);
	tp_runtime_remove(&rt);
}

static void leftovers_of_other_groups_are_swept_and_live_ones_kept(void **state)
{
	struct tp_runtime live, rt;
	struct tp_error err;
	int fd;

	(void)state;
	assert_int_equal(tp_runtime_create("live", &live, &err), 0);
	die_holding("dead-1");
	die_holding("dead-2");
	assert_true(exists("dead-2"));
	assert_int_equal(tp_runtime_create("g", &rt, &err), 0);
	assert_false(exists("dead-1") || exists("dead-2"));
	assert_int_equal(tp_runtime_connect("live", &fd, &err), 0);
	close(fd);
	tp_runtime_remove(&rt);
	die_holding("dead-3");
	tp_runtime_sweep();
	assert_false(exists("dead-3"));
	assert_true(exists("live"));
	tp_runtime_remove(&live);
}

static void a_directory_open_to_others_is_refused(void **state)
{
	struct tp_runtime rt;
	struct tp_error err;
	char path[PATH_MAX];
	int fd;

	(void)state;
	die_holding("open");
	snprintf(path, sizeof(path), "%s/tprun/open", base);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(tp_runtime_create("open", &rt, &err), -EPERM);
	assert_int_equal(tp_runtime_connect("open", &fd, &err), -EPERM);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(tp_runtime_create("open", &rt, &err), 0);
	tp_runtime_remove(&rt);
}

static void a_symbolic_link_is_refused(void **state)
{
	struct tp_runtime rt;
	struct tp_error err;
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/tprun/link", base);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(tp_runtime_create("link", &rt, &err), -EPERM);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directory_of_another_user_is_not_used),
		cmocka_unit_test(root_enters_no_directory_of_another_user),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(a_group_can_be_connected_to_until_it_is_removed),
		cmocka_unit_test(an_empty_directory_is_kept_for_the_next_group),
		cmocka_unit_test(a_second_live_group_is_refused),
		cmocka_unit_test(what_a_killed_group_left_is_replaced),
		cmocka_unit_test(leftovers_of_other_groups_are_swept_and_live_ones_kept),
		cmocka_unit_test(a_directory_open_to_others_is_refused),
		cmocka_unit_test(a_symbolic_link_is_refused),
	};

	return cmocka_run_group_tests(tests, make_base, remove_base);
}
