/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of a file is used while the file is the same, and never after it has changed
 * in any way.
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
#include "image-cache.h"
#include "image.h"

/* The directory's files are made before the first test, since fresh ones are not remembered. */
static char dir[] = "/tmp/image-cache-XXXXXX", here[PATH_MAX];
static const char *const files[] = {
	"same", "rewritten", "replaced", "nox", "fifo", "deleted", "interp", "tool", "v1/prog",
};
static struct tp_image_cache *cache;

static int resolve(const char *name, struct tp_target *t, struct tp_error *err)
{
	const char *argv[] = { name, NULL };
	struct tp_resolve_spec spec = {
		.argv = argv, .cwd_fd = AT_FDCWD, .root_fd = -1, .cache = cache,
	};

	return tp_resolve(&spec, t, err);
}

static bool is_known(const char *name)
{
	struct tp_target t;
	bool known;

	assert_int_equal(resolve(name, &t, NULL), 0);
	known = t.known != NULL;
	tp_target_fini(&t);
	return known;
}

static int open_image(const char *name, struct tp_image *image, struct tp_error *err)
{
	const char *argv[] = { name, NULL };
	struct tp_resolve_spec spec = {
		.argv = argv, .cwd_fd = AT_FDCWD, .root_fd = -1, .cache = cache,
	};

	return tp_image_open(&spec, image, err);
}

static void learn(const char *name)
{
	struct tp_image image;
	struct tp_error err;

	if (open_image(name, &image, &err) < 0)
		fail_msg("%s", err.text);
	tp_image_fini(&image);
}

static int make_file(const char *name, unsigned shape)
{
	struct elfmake make;

	elfmake_init(&make, ET_DYN);
	make.part[1].ph.p_memsz += shape * 0x1000;
	if (strcmp(name, "interp") == 0)
		elfmake_add_data(&make, PT_INTERP, "./same", 7);
	return elfmake_write(&make, name);
}

static uint64_t size_of(const char *name)
{
	struct tp_image image;
	struct tp_error err;
	uint64_t size;

	if (open_image(name, &image, &err) < 0)
		fail_msg("%s", err.text);
	size = image.plan.hi - image.plan.lo;
	tp_image_fini(&image);
	return size;
}

static void same_answers(void **state)
{
	struct tp_image first, again;

	(void)state;
	assert_int_equal(open_image("./interp", &first, NULL), 0);
	assert_true(is_known("./interp"));
	assert_int_equal(open_image("./interp", &again, NULL), 0);
	assert_string_equal(first.exe.realpath, again.exe.realpath);
	assert_string_equal(first.exe.execfn, again.exe.execfn);
	assert_string_equal(first.interp.realpath, again.interp.realpath);
	assert_int_equal(first.exe.ino, again.exe.ino);
	assert_true(again.has_interp);
	assert_memory_equal(&first.plan, &again.plan, offsetof(struct tp_plan, map)
		+ first.plan.nmap * sizeof(first.plan.map[0]));
	assert_string_equal(first.plan.interp, again.plan.interp);
	assert_memory_equal(&first.interp_plan, &again.interp_plan, offsetof(struct tp_plan, map)
		+ first.interp_plan.nmap * sizeof(first.interp_plan.map[0]));
	assert_int_not_equal(first.exe.fd, again.exe.fd);
	tp_image_fini(&first);
	tp_image_fini(&again);
}

/* What was in the caller's memory before is not taken for an interpreter's mappings. */
static void without_an_interpreter_there_are_no_mappings_of_it(void **state)
{
	struct tp_image image;

	(void)state;
	memset(&image, 0x55, sizeof(image));
	assert_int_equal(open_image("./same", &image, NULL), 0);
	assert_false(image.has_interp);
	assert_int_equal(image.interp_plan.nmap, 0);
	tp_image_fini(&image);
}

/* A file that passes as a program does not pass as an interpreter for that. */
static void interpreters_are_apart(void **state)
{
	(void)state;
	learn("./same");
	assert_true(is_known("./same"));
	learn("./interp");
	assert_true(is_known("./same"));
	assert_true(is_known("./interp"));
}

static void rewritten_in_place(void **state)
{
	uint64_t size = size_of("./rewritten");

	(void)state;
	assert_true(is_known("./rewritten"));
	assert_int_equal(make_file("rewritten", 5), 0);
	assert_false(is_known("./rewritten"));
	assert_int_equal(size_of("./rewritten"), size + 0x5000);
	/* Too fresh to be remembered. */
	assert_false(is_known("./rewritten"));
}

static void replaced_by_another(void **state)
{
	uint64_t size = size_of("./replaced");

	(void)state;
	assert_int_equal(make_file("other", 3), 0);
	assert_int_equal(rename("other", "replaced"), 0);
	assert_int_equal(size_of("./replaced"), size + 0x3000);
}

static void permission_taken_away(void **state)
{
	struct tp_error err;
	struct tp_target t;

	(void)state;
	learn("./nox");
	assert_int_equal(chmod("nox", 0644), 0);
	assert_int_equal(resolve("./nox", &t, &err), -EACCES);
	learn("./tool");
	assert_int_equal(chmod("tool", 04755), 0);
	assert_int_equal(resolve("./tool", &t, &err), -EPERM);
}

static void gone_or_something_else(void **state)
{
	struct tp_error err;
	struct tp_target t;

	(void)state;
	learn("./fifo");
	assert_int_equal(unlink("fifo"), 0);
	assert_int_equal(mkfifo("fifo", 0755), 0);
	alarm(10);
	assert_int_equal(resolve("./fifo", &t, &err), -EACCES);
	alarm(0);
	assert_non_null(strstr(err.text, "FIFO"));
	learn("./deleted");
	assert_int_equal(unlink("deleted"), 0);
	assert_int_equal(resolve("./deleted", &t, &err), -ENOENT);
}

/* An upgrade: the old directory is moved away and the link turned; nothing in the file tells. */
static void directory_renamed(void **state)
{
	struct tp_target t;
	char want[64];

	(void)state;
	assert_int_equal(symlink("v1", "current"), 0);
	learn("current/prog");
	assert_true(is_known("current/prog"));
	assert_int_equal(rename("v1", "v1-old"), 0);
	assert_int_equal(unlink("current"), 0);
	assert_int_equal(symlink("v1-old", "current"), 0);
	assert_int_equal(resolve("current/prog", &t, NULL), 0);
	snprintf(want, sizeof(want), "%s/v1-old/prog", dir);
	assert_string_equal(t.realpath, want);
	tp_target_fini(&t);
}

/* The same relative path from another directory is another file. */
static void other_working_directory(void **state)
{
	uint64_t size = size_of("./same");

	(void)state;
	assert_true(is_known("./same"));
	assert_int_equal(mkdir("elsewhere", 0755), 0);
	assert_int_equal(make_file("elsewhere/same", 7), 0);
	assert_int_equal(chdir("elsewhere"), 0);
	assert_int_equal(size_of("./same"), size + 0x7000);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(size_of("./same"), size);
}

static void script_s_interpreter(void **state)
{
	int fd = open("script", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	struct tp_target t;

	(void)state;
	assert_int_equal(write(fd, "#!./same -x\n", 12), 12);
	close(fd);
	learn("./script");
	assert_int_equal(resolve("./script", &t, NULL), 0);
	assert_non_null(t.known);
	assert_string_equal(t.argv[0], "./same");
	assert_string_equal(t.argv[1], "-x");
	assert_string_equal(t.argv[2], "./script");
	tp_target_fini(&t);
}

/* More files than it has room for: the last ones are there, and all are right. */
static void more_than_fit(void **state)
{
	enum { N = 100 };
	char name[N + 8];

	(void)state;
	learn("./same");
	for (int i = 2; i < N; i++) {
		memset(name, '/', i);
		name[0] = '.';
		strcpy(name + i, "same");
		learn(name);
		assert_true(is_known(name));
	}
	assert_false(is_known("./same")); /* used longest ago */
}

static void without_a_cache(void **state)
{
	struct tp_image_cache *kept = cache;

	(void)state;
	cache = NULL;
	learn("./same");
	assert_false(is_known("./same"));
	cache = kept;
	assert_null(tp_image_cache_destroy(NULL));
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || !getcwd(here, sizeof(here)) || chdir(dir) < 0 || mkdir("v1", 0755) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (make_file(files[i], 0) < 0)
			return -1;
	sleep(4);
	cache = tp_image_cache_create();
	return cache ? 0 : -1;
}

static int clean(void **state)
{
	char command[64];

	(void)state;
	cache = tp_image_cache_destroy(cache);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir(here) || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_answers),
		cmocka_unit_test(without_an_interpreter_there_are_no_mappings_of_it),
		cmocka_unit_test(interpreters_are_apart),
		cmocka_unit_test(rewritten_in_place),
		cmocka_unit_test(replaced_by_another),
		cmocka_unit_test(permission_taken_away),
		cmocka_unit_test(gone_or_something_else),
		cmocka_unit_test(directory_renamed),
		cmocka_unit_test(other_working_directory),
		cmocka_unit_test(script_s_interpreter),
		cmocka_unit_test(more_than_fit),
		cmocka_unit_test(without_a_cache),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
