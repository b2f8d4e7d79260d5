/* SPDX-License-Identifier: MIT */
/*
 * many-threads: 20,000 threads, one after the other, with stacks of ever other sizes. Each allocates, and leaves the C library a text that is
 * freed behind the last destructor. Says how often there was no memory, and how much there is at the end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 20000 };

static int none;

static void *work(void *arg)
{
	size_t n = (size_t)arg;
	char *volatile p = malloc(n % 5000 + 1);
	const char *volatile text = strerror(12345 + (int)(n % 7));

	if (!p || !text)
		none++;
	free(p);
	return NULL;
}

static long resident_mib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = -1;
	if (f)
		fclose(f);
	return pages / 256;
}

int main(void)
{
	for (size_t i = 0; i < THREADS; i++) {
		pthread_attr_t a;
		pthread_t t;

		pthread_attr_init(&a);
		pthread_attr_setstacksize(&a, 65536 + 4096 * (i % 3000));
		if (pthread_create(&t, &a, work, (void *)i))
			return 2;
		pthread_join(t, NULL);
		pthread_attr_destroy(&a);
	}
	printf("%d times no memory, %s 64 MiB\n", none, resident_mib() < 64 ? "below" : "above");
	return 0;
}
