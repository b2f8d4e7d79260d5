/* SPDX-License-Identifier: MIT */
/*
 * vfork-left FILE: one thread makes a vfork child that goes on for a second in the common memory; another executes `sleep`
 * meanwhile. The child writes FILE at its end.
 */
#include "guest.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

static char stack[1 << 16];
static const char *path;

static int child(void *unused)
{
	int fd;

	(void)unused;
	for (int i = 0; i < 20; i++) {
		char *p = malloc(100);

		memset(p, i, 100);
		usleep(50000);
	}
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	_exit(fd >= 0 && write(fd, "ended\n", 6) == 6 ? 0 : 1);
}

static void *make_child(void *unused)
{
	clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK(argc == 2);
	path = argv[1];
	CHECK(pthread_create(&thread, NULL, make_child, NULL) == 0);
	usleep(200000);
	execlp("sleep", "sleep", "2", (char *)NULL);
	return 1;
}
