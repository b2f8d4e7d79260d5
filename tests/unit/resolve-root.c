/* SPDX-License-Identifier: MIT */
/*
 * Commands inside a root directory: no path leads out of it, and every path that a program sees is
 * one inside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elfmake.h"
#include "image.h"

static char dir[] = "/tmp/resolve-root-XXXXXX", here[PATH_MAX];
static int root = -1;

/* In a tree with bin/, lib/ and home/: two programs, a script, an interpreter, and links. */
static int make_tree(void)
{
	struct elfmake make;
	int fd, ret;

	ret = mkdir("bin", 0755) | mkdir("lib", 0755) | mkdir("home", 0755);
	elfmake_init(&make, ET_DYN);
	ret |= elfmake_write(&make, "lib/ld.so") | elfmake_write(&make, "home/own");
	elfmake_add_data(&make, PT_INTERP, "/lib/ld.so", 11);
	ret |= elfmake_write(&make, "bin/prog");
	ret |= symlink("/bin/prog", "bin/absolute") | symlink("../../../../../bin/prog", "bin/up");
	ret |= symlink("/etc/../home", "bin/house");
	fd = open("home/script", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ret |= write(fd, "#!/bin/absolute -s\n", 19) != 19;
	close(fd);
	return ret;
}

static int open_image(const char *name, int cwd_fd, struct tp_image *image, struct tp_error *err)
{
	const char *argv[] = { name, "argument", NULL };
	struct tp_resolve_spec spec = {
		.argv = argv, .path = "/bin", .cwd_fd = cwd_fd, .root_fd = root,
	};

	return tp_image_open(&spec, image, err);
}

static void expect(const char *name, const char *real)
{
	struct tp_image image;
	struct tp_error err;

	if (open_image(name, AT_FDCWD, &image, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(image.exe.realpath, real);
	if (image.has_interp)
		assert_string_equal(image.interp.realpath, "/lib/ld.so");
	tp_image_fini(&image);
}

static void found_inside(void **state)
{
	(void)state;
	expect("prog", "/bin/prog");
	expect("/bin/prog", "/bin/prog");
	expect("absolute", "/bin/prog");
	expect("up", "/bin/prog");
	expect("/../../bin/prog", "/bin/prog");
	expect("/bin/../home/own", "/home/own");
}

static void script_inside(void **state)
{
	struct tp_image image;

	(void)state;
	assert_int_equal(open_image("/home/script", AT_FDCWD, &image, NULL), 0);
	assert_string_equal(image.exe.realpath, "/bin/prog");
	assert_string_equal(image.exe.execfn, "/home/script");
	assert_string_equal(image.exe.argv[0], "/bin/absolute");
	assert_string_equal(image.exe.argv[1], "-s");
	assert_string_equal(image.exe.argv[2], "/home/script");
	assert_string_equal(image.exe.argv[3], "argument");
	assert_null(image.exe.argv[4]);
	tp_image_fini(&image);
}

static void nothing_of_outside(void **state)
{
	char outside[128];
	struct tp_image image;
	struct tp_error err;

	(void)state;
	snprintf(outside, sizeof(outside), "%s/bin/prog", dir);
	assert_int_equal(open_image(outside, AT_FDCWD, &image, &err), -ENOENT);
	assert_int_equal(err.status, TP_STATUS_NOT_FOUND);
	assert_int_equal(open_image("/usr/bin/env", AT_FDCWD, &image, &err), -ENOENT);
	assert_int_equal(open_image("/bin/house/own", AT_FDCWD, &image, &err), -ENOENT);
}

/* A working directory inside the root counts, one outside is as good as the root itself. */
static void relative(void **state)
{
	int home = open("home", O_PATH | O_CLOEXEC), tmp = open("/tmp", O_PATH | O_CLOEXEC);
	struct tp_image image;

	(void)state;
	assert_int_equal(open_image("./own", home, &image, NULL), 0);
	assert_string_equal(image.exe.realpath, "/home/own");
	tp_image_fini(&image);
	assert_int_equal(open_image("../bin/prog", home, &image, NULL), 0);
	tp_image_fini(&image);
	assert_int_equal(open_image("home/own", tmp, &image, NULL), 0);
	assert_string_equal(image.exe.realpath, "/home/own");
	tp_image_fini(&image);
	assert_int_equal(open_image("home/own", AT_FDCWD, &image, NULL), 0);
	tp_image_fini(&image);
	assert_int_equal(open_image("./own", tmp, &image, NULL), -ENOENT);
	close(home);
	close(tmp);
}

static void system_root_is_a_root(void **state)
{
	const char *argv[] = { "true", NULL };
	struct tp_resolve_spec spec = { .argv = argv, .path = "/bin", .cwd_fd = AT_FDCWD };
	char *real = realpath("/bin/true", NULL);
	struct tp_target t;

	(void)state;
	spec.root_fd = open("/", O_PATH | O_CLOEXEC);
	assert_int_equal(tp_resolve(&spec, &t, NULL), 0);
	assert_string_equal(t.realpath, real);
	tp_target_fini(&t);
	close(spec.root_fd);
	free(real);
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || !getcwd(here, sizeof(here)) || chdir(dir) < 0)
		return -1;
	root = open(".", O_PATH | O_CLOEXEC);
	return make_tree() ? -1 : 0;
}

static int clean(void **state)
{
	char command[64];

	(void)state;
	close(root);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir(here) || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_inside),
		cmocka_unit_test(script_inside),
		cmocka_unit_test(nothing_of_outside),
		cmocka_unit_test(relative),
		cmocka_unit_test(system_root_is_a_root),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
