/* SPDX-License-Identifier: MIT */
/* exit-with STATUS [thread]: exit with STATUS, from a second thread if asked. */
#include "guest.h"

#include <pthread.h>

static void *leave(void *status)
{
	exit((int)(long)status);
}

int main(int argc, char **argv)
{
	long status = argc > 1 ? atol(argv[1]) : 0;
	pthread_t thread;

	if (argc < 3)
		return (int)status;
	CHECK(pthread_create(&thread, NULL, leave, (void *)status) == 0);
	for (;;)
		pause();
}
