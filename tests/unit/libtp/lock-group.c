/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "lock-group.h"

static char state_of(pid_t pid)
{
	char path[40], line[200] = "", *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 'X';
	p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return p && p[1] ? p[2] : 'X';
}

void wait_until_asleep(pid_t pid)
{
	for (int seen = 0; seen < 3; usleep(1000))
		seen = state_of(pid) == 'S' ? seen + 1 : 0;
}

struct lock_other other;

void start_other(int (*fn)(void *arg))
{
	other.id = tpgroup_add("other");
	other.pid = tpgroup_fork(other.id, fn, NULL);
}

bool other_has_ended(void)
{
	siginfo_t info = {0};

	waitid(P_PID, (id_t)other.pid, &info, WEXITED | WNOWAIT | WNOHANG);
	return info.si_pid == other.pid;
}

int join_other(void)
{
	int status = tpgroup_join(other.pid, other.id);

	other.pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 199;
}
