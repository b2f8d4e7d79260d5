/* SPDX-License-Identifier: MIT */
/* forks: fork, exit in the child, wait. */
#include "work.h"

#include <sys/wait.h>
#include <unistd.h>

#define OPS 20

static void fork_once(void)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		work_die("fork");
	if (!pid)
		_exit(0);
	if (waitpid(pid, &status, 0) != pid || status)
		work_die("waitpid");
}

static void slice(struct work_report *report)
{
	for (int i = 0; i < OPS; i++)
		fork_once();
	report->ops = OPS;
}

int main(void)
{
	work_serve(slice);
}
