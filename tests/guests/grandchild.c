/* SPDX-License-Identifier: MIT */
/* grandchild FILE: leave a grandchild in a session of its own that ignores SIGHUP, its pid in FILE,
 * and sleep. */
#include "guest.h"

#include <signal.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	pid_t pid;

	CHECK(argc == 2);
	pid = fork();
	if (pid == 0) {
		FILE *f;

		signal(SIGHUP, SIG_IGN);
		setsid();
		if (fork())
			_exit(0);
		f = fopen(argv[1], "w");
		CHECK(f);
		fprintf(f, "%d\n", getpid());
		fclose(f);
		close(0), close(1), close(2);
		for (;;)
			pause();
	}
	waitpid(pid, NULL, 0);
	for (;;)
		pause();
}
