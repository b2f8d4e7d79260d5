/* SPDX-License-Identifier: MIT */
/*
 * `#!` lines against the kernel: scripts are really executed, with this program as their
 * interpreter. It reports how it was started, and tp_resolve must have said the same: arguments,
 * AT_EXECFN, the process's name, the executable. Where execve fails, so must tp_resolve, with the
 * same errno.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resolve.h"
#include "shebang.h"

enum { RANDOM_LINES = 400, REPORT = 8192 };

/* What this program is called as an interpreter; short, so that lines can be long. */
static char dir[] = "/tmp/tpsXXXXXX", interp[32], script[32];

/* NUL-terminated fields one behind the other. */
struct report {
	char bytes[REPORT];
	size_t len;
};

static void add_field(struct report *r, const char *text)
{
	size_t len = strlen(text) + 1;

	if (r->len + len > REPORT)
		abort();
	memcpy(r->bytes + r->len, text, len);
	r->len += len;
}

/* As the interpreter. */
static int tell(char **argv)
{
	struct report r = { .len = 0 };
	char comm[16], exe[256] = { 0 };

	prctl(PR_GET_NAME, comm);
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return 1;
	add_field(&r, (const char *)getauxval(AT_EXECFN));
	add_field(&r, comm);
	add_field(&r, exe);
	while (*argv)
		add_field(&r, *argv++);
	return write(1, r.bytes, r.len) == (ssize_t)r.len ? 0 : 1;
}

/* Returns 0 and what the interpreter told, or the errno of execve. */
static int ask_kernel(const char **argv, struct report *r)
{
	posix_spawn_file_actions_t out;
	int fd[2], status, ret;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&out);
	posix_spawn_file_actions_adddup2(&out, fd[1], 1);
	ret = posix_spawn(&pid, argv[0], &out, NULL, (char **)argv, NULL);
	posix_spawn_file_actions_destroy(&out);
	close(fd[1]);
	for (r->len = 0; ret == 0 && (n = read(fd[0], r->bytes + r->len, REPORT - r->len)) > 0;)
		r->len += n;
	close(fd[0]);
	if (ret == 0)
		waitpid(pid, &status, 0);
	return ret;
}

static int ask_resolve(const char **argv, struct report *r, struct tp_error *err)
{
	struct tp_resolve_spec spec = { .argv = argv, .cwd_fd = AT_FDCWD, .root_fd = -1 };
	struct tp_target t = TP_TARGET_INIT;
	int ret = tp_resolve(&spec, &t, err);

	r->len = 0;
	if (ret < 0)
		return ret;
	add_field(r, t.execfn);
	add_field(r, t.comm);
	add_field(r, t.realpath);
	for (size_t i = 0; i < t.argc; i++)
		add_field(r, t.argv[i]);
	assert_null(t.argv[t.argc]);
	tp_target_fini(&t);
	return 0;
}

static void print_fields(const char *who, const struct report *r)
{
	for (size_t at = 0; at < r->len; at += strlen(r->bytes + at) + 1)
		print_message("%s: [%s]\n", who, r->bytes + at);
}

static void same(const char *path)
{
	const char *argv[] = { path, "one", "", "three words here", NULL };
	struct report kernel, ours;
	struct tp_error err = { 0 };
	int want = ask_kernel(argv, &kernel), got = ask_resolve(argv, &ours, &err);

	if (got != -want)
		fail_msg("the kernel: %s, ours: %s (%s)", strerror(want), strerror(-got), err.text);
	if (ours.len != kernel.len || memcmp(ours.bytes, kernel.bytes, ours.len) != 0) {
		print_fields("kernel", &kernel);
		print_fields("ours", &ours);
		fail_msg("another command than the kernel's");
	}
}

static void write_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void same_line(const char *bytes, size_t len)
{
	write_file(script, bytes, len);
	same(script);
}

/* `$` stands for the interpreter's path. Returns the length. */
static size_t expand(const char *from, size_t len, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (from[i] != '$') {
			to[n++] = from[i];
			continue;
		}
		strcpy(to + n, interp);
		n += strlen(interp);
	}
	return n;
}

static void usual_lines(void **state)
{
	static const char *const line[] = {
		"#!$\n", "#!$ -x\n", "#! $\n", "#!\t $\t-x \t\n", "#!$ -x -y  z\n", "#!$", "#!$ a",
		"#!$ \n", "#!$\r\n", "#!\n", "#!", "#! \t \n", "#!$x\n", "#!/\n", "#!/nonexistent\n",
		"#!$\nsecond line\n", "#!\n$\n", "#!$/x\n", "# !$\n", "#", "text\n", "\n#!$\n",
	};
	char bytes[512];

	(void)state;
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		same_line(bytes, expand(line[i], strlen(line[i]), bytes));
}

static void nul_bytes(void **state)
{
	static const char *const line[] = { "#!$0a b\n", "#!$ 0a\n", "#!$ a0b\n", "#!0$\n", "#!$0" };
	char bytes[512];
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		len = expand(line[i], strlen(line[i]), bytes);
		for (size_t j = 0; j < len; j++)
			if (bytes[j] == '0')
				bytes[j] = '\0';
		same_line(bytes, len);
	}
}

/* Around the 256th byte: an argument that is cut, an interpreter that may have been. */
static void long_lines(void **state)
{
	char bytes[512];
	size_t start;

	(void)state;
	for (size_t len = 250; len < 262; len++) {
		memset(bytes, 'a', sizeof(bytes));
		start = expand("#!$ ", 4, bytes);
		same_line(bytes, len);
		bytes[len - 1] = '\n';
		same_line(bytes, len);
		memset(bytes + 2, ' ', len - 3);
		same_line(bytes, len);
		memset(bytes + 2, '/', len - 3);
		same_line(bytes, len);
		/* The path itself ends around there, preceded by blanks. */
		memset(bytes + 2, ' ', sizeof(bytes) - 2);
		memcpy(bytes + len - (start - 3), interp, start - 3);
		same_line(bytes, sizeof(bytes));
		bytes[len] = '\n';
		same_line(bytes, sizeof(bytes));
	}
}

static size_t random_line(char *bytes)
{
	static const char alphabet[] = "  \t$$a-\n\r";
	size_t want = rand() % 12, n = expand("#!", 2, bytes);
	char c;

	if (rand() % 2)
		n += expand(" $ ", 3, bytes + n);
	while (want--) {
		c = rand() % 15 ? alphabet[rand() % (sizeof(alphabet) - 1)] : '\0';
		n += expand(&c, 1, bytes + n);
	}
	return n;
}

static void random_lines(void **state)
{
	char bytes[1024];

	(void)state;
	for (int i = 0; i < RANDOM_LINES; i++) {
		srand(i);
		same_line(bytes, random_line(bytes));
	}
}

/* A script whose interpreter is a script, and so on, one more than the kernel follows. */
static void chains(void **state)
{
	char path[8][64], line[128];

	(void)state;
	for (int i = 0; i < 8; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/c%d", dir, i);
		snprintf(line, sizeof(line), "#!%s -%d x\n", i ? path[i - 1] : interp, i);
		write_file(path[i], line, strlen(line));
		same(path[i]);
	}
	snprintf(line, sizeof(line), "#!%s\n", path[0]);
	write_file(path[0], line, strlen(line)); /* its own interpreter */
	same(path[0]);
	for (int i = 0; i < 8; i++)
		unlink(path[i]);
}

/* `#! sh` is relative to the working directory, not looked up in PATH. */
static void relative_interpreter(void **state)
{
	char here[256];

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(dir), 0);
	write_file("s", "#!i -r\n", 7);
	same("./s");
	same("s/../s");
	assert_int_equal(chdir(here), 0);
	same(script);
}

static void empty_file(void **state)
{
	(void)state;
	same_line("", 0);
}

static void words_name_the_interpreter(void **state)
{
	const char *argv[] = { script, NULL };
	struct tp_error err;
	struct report r;

	(void)state;
	write_file(script, "#!/no/such/sh\n", 14);
	assert_int_equal(ask_resolve(argv, &r, &err), -ENOENT);
	assert_int_equal(err.status, TP_STATUS_NOT_FOUND);
	assert_non_null(strstr(err.text, "its interpreter /no/such/sh: no such file"));
	write_file(script, "#!/bin/sh\r\n", 11);
	assert_int_equal(ask_resolve(argv, &r, &err), -ENOENT);
	assert_non_null(strstr(err.text, "CR LF"));
	write_file(script, "#!/\n", 4);
	assert_int_equal(ask_resolve(argv, &r, &err), -EACCES);
	assert_int_equal(err.status, TP_STATUS_NOT_EXECUTABLE);
	assert_non_null(strstr(err.text, "its interpreter /: it is a directory"));
	write_file(script, "echo hello\n", 11);
	assert_int_equal(ask_resolve(argv, &r, &err), -ENOEXEC);
	assert_non_null(strstr(err.text, "not an ELF executable and has no #! line"));
}

static int prepare(void **state)
{
	char self[256] = { 0 };

	(void)state;
	if (!mkdtemp(dir) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	snprintf(interp, sizeof(interp), "%s/i", dir);
	snprintf(script, sizeof(script), "%s/s", dir);
	return symlink(self, interp);
}

static int clean(void **state)
{
	(void)state;
	unlink(interp);
	unlink(script);
	return rmdir(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_lines),
		cmocka_unit_test(nul_bytes),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(random_lines),
		cmocka_unit_test(chains),
		cmocka_unit_test(relative_interpreter),
		cmocka_unit_test(empty_file),
		cmocka_unit_test(words_name_the_interpreter),
	};

	/* An interpreter is never started without the script's path. */
	if (argc > 1)
		return tell(argv);
	return cmocka_run_group_tests(tests, prepare, clean);
}
