/* SPDX-License-Identifier: MIT */
/*
 * doctor finds what a child has really been forbidden, and says what that means.
 */
#include "unit.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tprun/command.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

enum { CANNOT_FORBID = 77 };

struct forbidden {
	int (*forbid)(void);
	const char *line;  /* how the table's line about it begins */
	const char *words; /* and what else it says */
	int status;        /* doctor's */
};

static int forbid_rewriting(void)
{
	return prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) ? CANNOT_FORBID : 0;
}

static int refuse_call(unsigned int nr, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(code) / sizeof(*code), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) ? CANNOT_FORBID : 0;
}

static int forbid_clone3(void)
{
	return refuse_call(SYS_clone3, EPERM);
}

static int forbid_pidfd_open(void)
{
	return refuse_call(SYS_pidfd_open, ENOSYS);
}

static int forbid_kcmp(void)
{
	return refuse_call(SYS_kcmp, EPERM);
}

static int forbid_memfd(void)
{
	return refuse_call(SYS_memfd_create, EPERM);
}

static int forbid_descriptors(void)
{
	struct rlimit l = {100, 100};

	return setrlimit(RLIMIT_NOFILE, &l) ? CANNOT_FORBID : 0;
}

/* Runs doctor with stdout in a file; its status, and what it printed. */
static int run_doctor(char **argv, int argc, char *buf, size_t size)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	struct tp_caller caller = {.nfds = 0};
	ssize_t n;
	int status;

	dup2(fd, 1);
	status = tp_verb_doctor.run(&tp_verb_doctor, &caller, argc, argv);
	n = pread(fd, buf, size - 1, 0);
	buf[n > 0 ? n : 0] = 0;
	return status;
}

static int finds(void *arg)
{
	const struct forbidden *f = arg;
	char *argv[] = {"doctor", NULL};
	char out[16384], *line;
	int status = f->forbid();

	if (status)
		return status;
	if (run_doctor(argv, 1, out, sizeof(out)) != f->status)
		return 1;
	line = strstr(out, f->line);
	if (!line)
		return 2;
	line[strcspn(line, "\n")] = 0;
	return strstr(line, f->words) ? 0 : 3;
}

static void forbidden_things_are_found(void **state)
{
	struct forbidden all[] = {
		{forbid_rewriting, "limits  write-xor-execute", "only brk is guarded", 0},
		{forbid_clone3, "limits  clone3", "clone is used instead", 0},
		{forbid_kcmp, "limits  kcmp", "refused: ", 0},
		{forbid_descriptors, "limits  descriptors", "ulimit -Hn", 0},
		{forbid_pidfd_open, "breaks  pidfd", "cannot be waited for", 1},
		{forbid_memfd, "breaks  memfd", "no shared segment", 1},
	};
	int missing = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		int r = in_child(finds, &all[i]);

		if (r != CANNOT_FORBID) {
			assert_int_equal(r, 0);
			continue;
		}
		print_message("%s: cannot be forbidden here\n", all[i].line);
		missing++;
	}
	if (missing)
		skip();
}

/* Quotes and brackets match: enough to see a broken writer; jobs of a JSON reader are elsewhere. */
static int json_is_whole(void *arg)
{
	char *argv[] = {"doctor", "-o", "json", NULL};
	char out[32768];
	int depth = 0, quoted = 0;

	(void)arg;
	if (run_doctor(argv, 3, out, sizeof(out)) > 1)
		return 1;
	for (const char *p = out; *p; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
		if (depth < 0 || (!depth && !quoted && p[1] && p[1] != '\n'))
			return 2;
	}
	return !depth && !quoted && strstr(out, "{\"check\":\"kernel\",\"verdict\":\"") ? 0 : 3;
}

static void json_is_one_array(void **state)
{
	(void)state;
	assert_int_equal(in_child(json_is_whole, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forbidden_things_are_found),
		cmocka_unit_test(json_is_one_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
