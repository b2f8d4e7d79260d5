/* SPDX-License-Identifier: MIT */
/* thread-malloc [THREADS [ROUNDS]]: threads that allocate, hand blocks on to one another and free
 * them. */
#include "guest.h"

#include <pthread.h>

enum { BOX = 256 };

static struct {
	pthread_mutex_t lock;
	char *block[BOX];
	size_t size[BOX];
} box = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int rounds = 20000;
static __thread unsigned seed;

static unsigned next(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 8;
}

static void *work(void *id)
{
	seed = (unsigned)(long)id + 1;
	for (int i = 0; i < rounds; i++) {
		size_t n = 16 + next() % (i % 100 ? 900 : 300000);
		unsigned at = next() % BOX;
		char *mine = malloc(n), *other;
		size_t other_size;

		CHECK(mine);
		guest_fill(mine, n, 3);
		pthread_mutex_lock(&box.lock);
		other = box.block[at];
		other_size = box.size[at];
		box.block[at] = mine;
		box.size[at] = n;
		pthread_mutex_unlock(&box.lock);
		CHECK(!other || guest_intact(other, other_size, 3));
		free(other);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 8;
	pthread_t thread[64];

	if (argc > 2)
		rounds = atoi(argv[2]);
	CHECK(threads > 0 && threads <= 64);
	for (long i = 0; i < threads; i++)
		CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
	for (int i = 0; i < threads; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	printf("%d threads, %d rounds each: all blocks intact\n", threads, rounds);
	return 0;
}
