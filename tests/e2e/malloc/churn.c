/* SPDX-License-Identifier: MIT */
/*
 * churn PIPE [ROUNDS]: threads that allocate, free, and hand every other block to whichever program reads its address from the named PIPE.
 * Each block says its size and carries a pattern. Ends after ROUNDS, or when it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, KEPT = 64 };

static int in, out;
static long rounds = -1;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "churn: %s\n", what);
	abort();
}

static size_t *make(unsigned r)
{
	size_t n = 16 + (r % 64 ? r % 2000 : r % 300000), *p = r & 1 ? malloc(n) : calloc(1, n);

	must(p != NULL, "no memory");
	must(r & 1 || (p[1] == 0 && ((char *)p)[n - 1] == 0), "calloc gave no zeroes");
	p[0] = n;
	((char *)p)[n - 1] = n > 16 ? (char)(n * 7) : ((char *)p)[n - 1];
	return p;
}

static void check(const size_t *p)
{
	must(p[0] >= 16 && p[0] < 400000, "the size is not what it was");
	must(p[0] == 16 || ((const char *)p)[p[0] - 1] == (char)(p[0] * 7), "the pattern is not what it was");
}

static void end(size_t *p)
{
	check(p);
	free(p);
}

/* Eight bytes at a time are written and read whole. */
static int send(size_t *p)
{
	return write(out, &p, sizeof(p)) == sizeof(p);
}

static void receive(void)
{
	size_t *p;

	if (read(in, &p, sizeof(p)) == sizeof(p))
		end(p);
}

static void *work(void *arg)
{
	unsigned r = (unsigned)(uintptr_t)arg * 7919 + (unsigned)getpid();
	size_t *kept[KEPT] = {NULL};

	for (long i = 0; i != rounds; i++) {
		size_t *p, **place;

		r = r * 1103515245 + 12345;
		p = make(r >> 8);
		place = &kept[(r >> 24) % KEPT];
		if (i % 2 && send(p))
			p = NULL;
		if (i % 2)
			receive();
		if (*place)
			end(*place);
		*place = p;
		if (p && i % 7 == 0) {
			*place = realloc(p, p[0] * 2);
			must(*place != NULL && (*place)[0] < 400000, "realloc lost the contents");
			(*place)[0] = 16;
		}
	}
	for (int i = 0; i < KEPT; i++)
		if (kept[i])
			end(kept[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	if (argc < 2)
		return 2;
	in = open(argv[1], O_RDWR | O_NONBLOCK);
	out = in;
	if (in < 0) {
		perror(argv[1]);
		return 2;
	}
	if (argc > 2)
		rounds = atol(argv[2]);
	for (uintptr_t i = 0; i < THREADS; i++)
		must(pthread_create(&t[i], NULL, work, (void *)(i + 1)) == 0, "no thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
