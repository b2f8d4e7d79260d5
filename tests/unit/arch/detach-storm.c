/* SPDX-License-Identifier: MIT */
/* detach-storm N: N detached threads, some at once, each gone with its stack. Prints how many ran. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_ulong ran;

static void *run(void *unused)
{
	ran++;
	return unused;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_attr_t detached;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (unsigned long k = 0; k < n; k++) {
		pthread_t t;

		while (pthread_create(&t, &detached, run, NULL) != 0)
			usleep(100);
	}
	while (ran < n)
		usleep(1000);
	usleep(50000);
	printf("%lu\n", ran);
	return 0;
}
