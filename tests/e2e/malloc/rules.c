/* SPDX-License-Identifier: MIT */
/*
 * rules: what any malloc must do, by the letter: alignment, contents across realloc, zeroes from calloc, errno, threads, forks. Prints each
 * broken rule; linked with nothing of this project, so it says the same of the C library's own.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int broken;

#define RULE(x)                                                              \
	do {                                                                 \
		if (!(x)) {                                                  \
			printf("broken, line %d: %s\n", __LINE__, #x);       \
			broken++;                                            \
		}                                                            \
	} while (0)

static volatile size_t huge = SIZE_MAX / 2 + 1; /* hidden from the compiler's own warnings */

static unsigned char mark(size_t size, size_t i)
{
	return (unsigned char)(size * 31 + i * 7 + 1);
}

static void fill(void *p, size_t n, size_t key)
{
	for (size_t i = 0; i < n; i++)
		((unsigned char *)p)[i] = mark(key, i);
}

static int intact(const void *p, size_t n, size_t key)
{
	for (size_t i = 0; i < n; i++)
		if (((const unsigned char *)p)[i] != mark(key, i))
			return 0;
	return 1;
}

static void sizes(void)
{
	for (size_t n = 0; n < 300000; n += 1 + n / 16) {
		char *p = malloc(n), *q = malloc(n);

		RULE(p && q && p != q);
		RULE((uintptr_t)p % 16 == 0 && (uintptr_t)q % 16 == 0);
		RULE(malloc_usable_size(p) >= n);
		fill(p, n, n);
		fill(q, malloc_usable_size(q), 5);
		RULE(intact(p, n, n));
		free(q);
		RULE(intact(p, n, n));
		free(p);
	}
}

static void zeroes(void)
{
	static char none[200000];

	for (int round = 0; round < 3; round++)
		for (size_t n = 1; n < sizeof(none); n += 1 + n / 3) {
			char *p = calloc(1, n), *q = calloc(n, 1);

			RULE(p && q && !memcmp(p, none, n) && !memcmp(q, none, n));
			memset(p, 0xff, n);
			memset(q, 0xff, n);
			free(p);
			free(q);
		}
	errno = 0;
	RULE(!calloc(huge, 3) && errno == ENOMEM);
	errno = 0;
	RULE(!calloc(huge, huge) && errno == ENOMEM);
}

static void alignments(void)
{
	for (size_t a = 1; a <= 1 << 21; a *= 2)
		for (size_t n = 1; n < 100000; n = n * 5 + 3) {
			void *p = memalign(a, n), *q = NULL;

			RULE(p && (uintptr_t)p % a == 0);
			fill(p, n, a);
			RULE(posix_memalign(&q, a < 8 ? 8 : a, n) == 0 && (uintptr_t)q % a == 0);
			fill(q, n, 1);
			RULE(intact(p, n, a));
			p = realloc(p, 2 * n);
			RULE(p && intact(p, n, a));
			free(p);
			free(q);
		}
	void *q = &broken;

	RULE(posix_memalign(&q, 3, 1) == EINVAL && posix_memalign(&q, 4, 1) == EINVAL && posix_memalign(&q, 0, 1) == EINVAL);
	RULE(posix_memalign(&q, 64, huge) == ENOMEM && q == &broken);
	q = valloc(100);
	RULE(q && (uintptr_t)q % 4096 == 0);
	free(q);
	q = pvalloc(100);
	RULE(q && (uintptr_t)q % 4096 == 0 && malloc_usable_size(q) >= 4096);
	free(q);
	q = aligned_alloc(256, 512);
	RULE(q && (uintptr_t)q % 256 == 0);
	free(q);
}

static void growing(void)
{
	char *p = NULL, *volatile still;

	for (size_t n = 1, had = 0; n < 40000000; had = n, n += 1 + n / 5) {
		p = realloc(p, n);
		RULE(p && intact(p, had < 5000 ? had : 5000, 9));
		fill(p, n < 5000 ? n : 5000, 9);
		p[n - 1] = mark(9, n - 1);
	}
	for (size_t n = 39000000; n; n = n * 2 / 3) {
		p = realloc(p, n);
		RULE(p && intact(p, n < 5000 ? n : 5000, 9));
	}
	still = p;
	errno = 0;
	RULE(!realloc(p, huge) && errno == ENOMEM);
	RULE(still[0] == (char)mark(9, 0));
	free(still);
	errno = 0;
	RULE(!malloc(huge) && errno == ENOMEM);
	errno = 0;
	RULE(!reallocarray(NULL, huge, huge) && errno == ENOMEM);
	errno = 77;
	free(malloc(10));
	free(NULL);
	RULE(errno == 77);
}

/* ---- threads: blocks travel from hand to hand through a table ---------------------------------- */

enum { THREADS = 8, PLACES = 512, STEPS = 30000 };

static size_t *place[PLACES];

static void *churn(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg * 2654435761u + 1;

	for (int i = 0; i < STEPS; i++) {
		seed = seed * 1103515245 + 12345;
		size_t n = sizeof(size_t) + (seed >> 8) % (i % 200 ? 1500 : 200000);
		size_t *p = i % 3 ? malloc(n) : calloc(1, n), *old;

		p[0] = n;
		((char *)p)[n - 1] = n == sizeof(size_t) ? ((char *)p)[n - 1] : 'e';
		old = __atomic_exchange_n(&place[(seed >> 20) % PLACES], p, __ATOMIC_ACQ_REL);
		if (!old)
			continue;
		n = old[0];
		if (n < sizeof(size_t) || n > 200000 + sizeof(size_t) || (n > sizeof(size_t) && ((char *)old)[n - 1] != 'e'))
			__atomic_fetch_add(&broken, 1, __ATOMIC_RELAXED);
		if (i % 5 == 0)
			old = realloc(old, n / 2 + 64);
		free(old);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (int round = 0; round < 3; round++) {
		for (uintptr_t i = 0; i < THREADS; i++)
			RULE(pthread_create(&t[i], NULL, churn, (void *)(i + 1)) == 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	}
	for (int i = 0; i < PLACES; i++)
		free(place[i]);
	memset(place, 0, sizeof(place));
}

/* ---- forks, while other threads allocate -------------------------------------------------------- */

static int stop;

static void *noise(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		churn(arg);
	return NULL;
}

/* In a child: what there was is whole, and allocating goes on, in new threads, too. */
static int in_child(char **kept, size_t n)
{
	pthread_t t[2];

	/* Of what threads that are not here were about to do, some may be half there, with any malloc. */
	memset(place, 0, sizeof(place));
	for (size_t i = 0; i < n; i++) {
		if (!intact(kept[i], 100 + i, i))
			return 1;
		free(kept[i]);
	}
	for (int i = 0; i < 2000; i++) {
		char *p = calloc(1, 1 + i * 37 % 5000);

		for (int k = 0; k < 1 + i * 37 % 5000; k++)
			if (p[k])
				return 2;
		p[0] = 1;
		if (i % 2)
			free(p);
	}
	for (uintptr_t i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, churn, (void *)(i + 100)))
			return 3;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return broken ? 4 : 0;
}

static void forks(void)
{
	enum { KEPT = 500 };
	pthread_t t[2];
	char *kept[KEPT];

	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, noise, (void *)(i + 50));
	for (int round = 0; round < 10; round++) {
		int status = -1;
		pid_t pid;

		for (size_t i = 0; i < KEPT; i++)
			fill(kept[i] = malloc(100 + i), 100 + i, i);
		pid = fork();
		if (!pid) {
			alarm(30);
			_exit(in_child(kept, KEPT));
		}
		for (size_t i = 0; i < KEPT; i++) {
			RULE(intact(kept[i], 100 + i, i));
			free(kept[i]);
		}
		waitpid(pid, &status, 0);
		if (status)
			printf("child: status %#x\n", status);
		RULE(status == 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/*
 * Had or not, depending on how much address space there is, but never at a place that is not a multiple. The C library would write to all that
 * it skips if it were asked to (MALLOC_PERTURB_).
 */
static void large_alignments(void)
{
	mallopt(M_PERTURB, 0);
	for (size_t a = (size_t)1 << 28; a <= (size_t)1 << 40; a *= 2) {
		void *q = &broken;

		if (posix_memalign(&q, a, 100)) {
			RULE(q == &broken);
			continue;
		}
		RULE((uintptr_t)q % a == 0);
		free(q);
	}
}

int main(void)
{
	sizes();
	zeroes();
	alignments();
	growing();
	threads();
	forks();
	large_alignments();
	printf(broken ? "%d rules broken\n" : "all rules hold\n", broken);
	return broken != 0;
}
