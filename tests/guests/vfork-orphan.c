/* SPDX-License-Identifier: MIT */
/*
 * vfork-orphan READY DONE: a vfork child that lives on in its parent's memory for a second after
 * the parent was killed. It creates the file READY when it runs and DONE when it has seen its
 * memory unharmed; unmapping the parent's memory under it would kill it.
 */
#include "guest.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <time.h>

static volatile char page[1 << 16];

int main(int argc, char **argv)
{
	struct timespec t = {1, 500000000};
	pid_t pid;

	CHECK(argc == 3);
	memset((char *)page, 9, sizeof page);
	pid = vfork();
	if (pid == 0) {
		int ok = 1;

		close(open(argv[1], O_CREAT | O_WRONLY, 0600));
		nanosleep(&t, NULL);
		for (size_t i = 0; i < sizeof page; i++)
			ok &= page[i] == 9;
		if (ok)
			close(open(argv[2], O_CREAT | O_WRONLY, 0600));
		_exit(0);
	}
	return 0;
}
