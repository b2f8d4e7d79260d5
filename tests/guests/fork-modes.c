/* SPDX-License-Identifier: MIT */
/* Every way of making a child; memory written by a forked child stays its own. */
#include "guest.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

extern char **environ;
static char sh[] = "sh", dash_c[] = "-c", script[] = "exit 7";
static char *shell[] = {sh, dash_c, script, NULL};

static int status_of(pid_t pid)
{
	int status;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int forked(void)
{
	static int data = 1;
	int *heap = malloc(1 << 20);
	pid_t pid;
	int status;

	CHECK(heap);
	*heap = 1;
	pid = fork();
	if (pid == 0) {
		char *more = malloc(3 << 20);

		*heap = data = 2;
		CHECK(more);
		memset(more, 1, 3 << 20);
		_exit(*heap + data);
	}
	status = status_of(pid);
	CHECK(*heap == 1 && data == 1);
	free(heap);
	return status;
}

static void *fork_here(void *ret_status)
{
	*(int *)ret_status = forked();
	return NULL;
}

static int forked_on_a_thread(void)
{
	pthread_t thread;
	int status = -1;

	CHECK(pthread_create(&thread, NULL, fork_here, &status) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return status;
}

static int vforked(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv("/bin/sh", shell);
		_exit(127);
	}
	return status_of(pid);
}

static int spawned(void)
{
	pid_t pid;

	CHECK(posix_spawn(&pid, "/bin/sh", NULL, NULL, shell, environ) == 0);
	return status_of(pid);
}

static int piped(void)
{
	char line[64] = "";
	FILE *f = popen("echo from a pipe; exit 5", "r");

	CHECK(f && fgets(line, sizeof line, f));
	printf("popen read: %s", line);
	return WEXITSTATUS(pclose(f));
}

int main(void)
{
	int nested;

	printf("fork %d\n", forked());
	printf("fork on a thread %d\n", forked_on_a_thread());
	printf("vfork %d\n", vforked());
	printf("posix_spawn %d\n", spawned());
	printf("popen %d\n", piped());
	fflush(stdout);
	printf("system %d\n", WEXITSTATUS(system("exit 3")));
	fflush(stdout);
	nested = fork();
	if (nested == 0)
		_exit(forked() + 10);
	printf("fork in a fork %d\n", status_of(nested));
	return 0;
}
