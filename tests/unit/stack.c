/* SPDX-License-Identifier: MIT */
/*
 * The initial stack against the kernel's: this program executes itself without address-space
 * randomisation, the child sends what it finds on its stack, and tp_stack_build must produce the
 * same bytes. Only the 16 random ones may differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack.h"

extern char **environ;

/* ---- what the kernel does ---- */

struct seen {
	uint64_t sp, top;
	unsigned char *bytes;
};

static uint64_t end_of_stack(void)
{
	uint64_t start, end = 0;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			break;
	if (f)
		fclose(f);
	return end;
}

/* In the child: argc stands right below argv. */
static int send_stack(char **argv)
{
	uint64_t head[2] = { (uint64_t)(argv - 1), end_of_stack() };
	const char *at = (const char *)head[0];
	ssize_t n;

	if (write(1, head, sizeof(head)) != sizeof(head))
		return 1;
	while ((uint64_t)at < head[1]) {
		n = write(1, at, head[1] - (uint64_t)at);
		if (n <= 0)
			return 1;
		at += n;
	}
	return 0;
}

static void read_all(int fd, void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	for (; done < len; done += n) {
		n = read(fd, (char *)buf + done, len - done);
		assert_true(n > 0);
	}
}

static void run_child(const char **argv, const char **envp, struct seen *seen)
{
	posix_spawn_file_actions_t out;
	int pipe_fd[2], status;
	uint64_t head[2];
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	posix_spawn_file_actions_init(&out);
	posix_spawn_file_actions_adddup2(&out, pipe_fd[1], 1);
	assert_int_not_equal(personality(ADDR_NO_RANDOMIZE), -1);
	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", &out, NULL,
		(char **)argv, (char **)envp), 0);
	personality(0);
	posix_spawn_file_actions_destroy(&out);
	close(pipe_fd[1]);
	read_all(pipe_fd[0], head, sizeof(head));
	*seen = (struct seen){ .sp = head[0], .top = head[1], .bytes = malloc(head[1] - head[0]) };
	read_all(pipe_fd[0], seen->bytes, seen->top - seen->sp);
	close(pipe_fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- what tp_stack_build does with the same input ---- */

/* The auxiliary vector in a stack image. */
static const uint64_t *find_aux(const unsigned char *image)
{
	const uint64_t *word = (const uint64_t *)image;

	word += 1 + *word + 1;
	while (*word++)
		;
	return word;
}

static uint64_t value_of(const uint64_t *aux, uint64_t key)
{
	for (; aux[0] != AT_NULL; aux += 2)
		if (aux[0] == key)
			return aux[1];
	return 0;
}

static struct tp_stack_spec spec_like(const struct seen *seen, const char **argv,
	const char **envp)
{
	const uint64_t *aux = find_aux(seen->bytes);

	return (struct tp_stack_spec){
		.argv = argv,
		.envp = envp,
		.execfn = "/proc/self/exe",
		.top = seen->top,
		.stack_limit = 8 << 20,
		.aux = {
			.sysinfo_ehdr = value_of(aux, AT_SYSINFO_EHDR),
			.phdr = value_of(aux, AT_PHDR),
			.phnum = value_of(aux, AT_PHNUM),
			.phent = value_of(aux, AT_PHENT),
			.base = value_of(aux, AT_BASE),
			.entry = value_of(aux, AT_ENTRY),
		},
	};
}

static void expect_same(const char **argv, const char **envp)
{
	struct tp_stack_spec spec;
	struct tp_error err;
	struct tp_stack ours;
	struct seen seen;
	uint64_t random;

	run_child(argv, envp, &seen);
	spec = spec_like(&seen, argv, envp);
	if (tp_stack_build(&spec, "prog", &ours, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(ours.sp, seen.sp);
	assert_int_equal(ours.len, seen.top - seen.sp);
	random = value_of(find_aux(seen.bytes), AT_RANDOM) - seen.sp;
	assert_int_equal(value_of(find_aux(ours.bytes), AT_RANDOM) - ours.sp, random);
	assert_memory_not_equal(ours.bytes + random, seen.bytes + random, 16);
	memset(ours.bytes + random, 0, 16);
	memset(seen.bytes + random, 0, 16);
	assert_memory_equal(ours.bytes, seen.bytes, ours.len);
	free(seen.bytes);
	tp_stack_fini(&ours);
}

/* Every length modulo the alignment, of every part. */
static void same_bytes_as_execve(void **state)
{
	const char *argv[] = { "prog", "--send-stack", "", "a b", NULL, NULL };
	const char *envp[] = { "A=1", "EMPTY=", NULL, NULL };
	char filler[40];

	(void)state;
	for (size_t len = 0; len < 34; len++) {
		memset(filler, 'x', len);
		filler[len] = '\0';
		argv[4] = filler;
		envp[2] = len % 3 ? filler : NULL;
		expect_same(argv, envp);
	}
}

static void empty_environment(void **state)
{
	const char *argv[] = { "prog", "--send-stack", NULL }, *envp[] = { NULL };

	(void)state;
	expect_same(argv, envp);
}

static void megabytes(void **state)
{
	enum { N = 40 };
	static char big[40000];
	const char *argv[N + 3] = { "prog", "--send-stack" };
	const char *envp[] = { "A=1", NULL };

	(void)state;
	memset(big, 'y', sizeof(big) - 1);
	for (int i = 0; i < N; i++)
		argv[i + 2] = big;
	expect_same(argv, envp);
}

static void no_arguments(void **state)
{
	static const char *const none[] = { NULL };
	struct tp_stack_spec spec = { .argv = none, .execfn = "/x", .top = 0x7000000 };
	const uint64_t *word;
	struct tp_stack s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tp_stack_build(&spec, "prog", &s, NULL), 0);
		word = (const uint64_t *)s.bytes;
		assert_int_equal(word[0], 1);
		assert_string_equal((char *)s.bytes + (word[1] - s.sp), "");
		assert_int_equal(word[2], 0);
		assert_int_equal(word[3], 0);
		tp_stack_fini(&s);
		spec.argv = NULL;
	}
}

static void group_segment_entry(void **state)
{
	static const char *const argv[] = { "x", NULL };
	struct tp_stack_spec spec = { .argv = argv, .execfn = "/x", .top = 0x7000000 };
	struct tp_stack s;

	(void)state;
	spec.aux.group = UINT64_C(0x7e9000000000);
	assert_int_equal(tp_stack_build(&spec, "prog", &s, NULL), 0);
	assert_int_equal(value_of(find_aux(s.bytes), TP_AT_TP), UINT64_C(0x7e9000000000));
	assert_int_equal(s.sp % 16, 0);
	tp_stack_fini(&s);
	assert_null(s.bytes);
	tp_stack_fini(&s);
}

/* ---- the limits ---- */

enum { CHUNK = 100000 };

/* "true", n chunks, then one string of `last` bytes without its NUL. */
static void fill_argv(const char **argv, size_t n, size_t last)
{
	static char chunk[CHUNK], tail[CHUNK + 1];
	size_t at = 0;

	memset(chunk, 'c', CHUNK - 1);
	memset(tail, 't', CHUNK);
	tail[last] = '\0';
	argv[at++] = "true";
	while (n--)
		argv[at++] = chunk;
	argv[at++] = tail;
	argv[at] = NULL;
}

static bool kernel_takes(const char **argv)
{
	const char *envp[] = { "A=1", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, (char **)argv, (char **)envp) != 0)
		return false;
	waitpid(pid, NULL, 0);
	return true;
}

static bool we_take(const char **argv, uint64_t limit)
{
	static const char *const envp[] = { "A=1", NULL };
	struct tp_stack_spec spec = {
		.argv = argv, .envp = envp, .execfn = "/bin/true",
		.top = 0x70000000, .stack_limit = limit,
	};
	struct tp_error err;
	struct tp_stack s;
	int ret = tp_stack_build(&spec, "prog", &s, &err);

	if (ret == 0) {
		tp_stack_fini(&s);
		return true;
	}
	assert_int_equal(ret, -E2BIG);
	assert_int_equal(err.status, TP_STATUS_NOT_EXECUTABLE);
	assert_non_null(strstr(err.text, "argument list too long"));
	return false;
}

/* How long the last string may be, as the kernel sees it; everything with fewer bytes goes, too. */
static size_t longest_last(size_t n)
{
	size_t low = 0, high = CHUNK, middle;
	const char *argv[200];

	while (high - low > 1) {
		middle = (low + high) / 2;
		fill_argv(argv, n, middle);
		if (kernel_takes(argv))
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void expect_same_limit(uint64_t stack_limit, size_t chunks)
{
	struct rlimit old, new;
	const char *argv[200];
	size_t last;

	assert_int_equal(getrlimit(RLIMIT_STACK, &old), 0);
	new = (struct rlimit){ stack_limit, old.rlim_max };
	if (setrlimit(RLIMIT_STACK, &new) < 0)
		skip();
	last = longest_last(chunks);
	setrlimit(RLIMIT_STACK, &old);
	assert_in_range(last, 1, CHUNK - 2);
	fill_argv(argv, chunks, last);
	assert_true(we_take(argv, stack_limit));
	fill_argv(argv, chunks, last + 1);
	assert_false(we_take(argv, stack_limit));
}

static void limit_of_the_usual_stack(void **state)
{
	(void)state;
	expect_same_limit(8 << 20, 20);
}

static void limit_of_a_small_stack(void **state)
{
	(void)state;
	expect_same_limit(300 << 10, 1);
}

static void limit_of_a_huge_stack(void **state)
{
	(void)state;
	expect_same_limit(RLIM_INFINITY, 62);
}

static void one_string_too_long(void **state)
{
	static char longest[131073];
	const char *argv[] = { "true", longest, NULL };

	(void)state;
	memset(longest, 'l', sizeof(longest) - 2);
	assert_true(kernel_takes(argv));
	assert_true(we_take(argv, 8 << 20));
	longest[sizeof(longest) - 2] = 'l';
	assert_false(kernel_takes(argv));
	assert_false(we_take(argv, 8 << 20));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_bytes_as_execve),
		cmocka_unit_test(empty_environment),
		cmocka_unit_test(megabytes),
		cmocka_unit_test(no_arguments),
		cmocka_unit_test(group_segment_entry),
		cmocka_unit_test(limit_of_the_usual_stack),
		cmocka_unit_test(limit_of_a_small_stack),
		cmocka_unit_test(limit_of_a_huge_stack),
		cmocka_unit_test(one_string_too_long),
	};

	if (argc > 1 && strcmp(argv[1], "--send-stack") == 0)
		return send_stack(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
