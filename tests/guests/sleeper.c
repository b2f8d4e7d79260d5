/* SPDX-License-Identifier: MIT */
/* sleeper [FILE]: write the own pid to FILE and sleep; SIGTERM ends it with status 0. */
#include "guest.h"

#include <signal.h>

static void leave(int n)
{
	(void)n;
	_exit(0);
}

int main(int argc, char **argv)
{
	CHECK(signal(SIGTERM, leave) != SIG_ERR);
	if (argc > 1) {
		FILE *f = fopen(argv[1], "w");

		CHECK(f);
		fprintf(f, "%d\n", getpid());
		fclose(f);
	}
	for (;;)
		pause();
}
