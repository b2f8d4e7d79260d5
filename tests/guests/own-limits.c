/* SPDX-License-Identifier: MIT */
/* Limits that a program sets read back as set and are inherited by its children. */
#include "guest.h"

#include <sys/resource.h>
#include <sys/wait.h>

static void set(int what, rlim_t value)
{
	struct rlimit limit = {value, RLIM_INFINITY}, back;

	CHECK(getrlimit((__rlimit_resource_t)what, &back) == 0);
	limit.rlim_max = back.rlim_max;
	CHECK(setrlimit((__rlimit_resource_t)what, &limit) == 0);
	CHECK(prlimit(0, (__rlimit_resource_t)what, NULL, &back) == 0 && back.rlim_cur == value);
}

int main(void)
{
	set(RLIMIT_AS, 4ul << 30);
	set(RLIMIT_DATA, 1ul << 30);
	set(RLIMIT_NOFILE, 200);
	set(RLIMIT_CORE, 0);
	fflush(stdout);
	return WEXITSTATUS(system(
		"echo as $(ulimit -v) data $(ulimit -d) files $(ulimit -n) core $(ulimit -c)"));
}
