/* SPDX-License-Identifier: MIT */
/* The smallest useful program; built in every way a Linux executable can be built. */
#include "guest.h"

#include <pthread.h>

static __thread int local = 11;
static int table[3] = {1, 2, 3};
static int *pointer = &table[2]; /* needs a relocation in a PIE */

static void *on_thread(void *arg)
{
	local = 99;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char *p = malloc(100000);

	CHECK(p && argc >= 1 && argv[argc] == NULL && *pointer == 3);
	guest_fill(p, 100000, 1);
	CHECK(pthread_create(&thread, NULL, on_thread, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(local == 11 && guest_intact(p, 100000, 1));
	free(p);
	printf("hello from %d arguments\n", argc - 1);
	return argc > 1 ? atoi(argv[1]) : 0;
}
