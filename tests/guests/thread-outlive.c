/* SPDX-License-Identifier: MIT */
/* The main thread leaves by pthread_exit; the program ends when the last thread does, with status
 * 0. */
#include "guest.h"

#include <pthread.h>
#include <time.h>

static void *late(void *arg)
{
	struct timespec t = {0, 100000000};

	nanosleep(&t, NULL);
	puts("the last thread speaks");
	return arg;
}

int main(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, late, NULL) == 0);
	pthread_exit(NULL);
}
