/* SPDX-License-Identifier: MIT */
/*
 * lock-uncontended [ROUNDS]: in a group. What a lock and an unlock take together when nobody else wants it, ours and the C library's, in
 * turns. A second thread lives beside, as it does in programs that need locks. One line a kind: name, nanoseconds (median), ratio to
 * pthread_mutex (median of the pairs).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tp/tp.h>

enum { TURNS = 200000, ROUNDS_MAX = 1001 };

struct locks {
	struct tp_mutex mutex __attribute__((aligned(64)));
	struct tp_rwlock rwlock __attribute__((aligned(64)));
	struct tp_sem sem __attribute__((aligned(64)));
	pthread_mutex_t pthread __attribute__((aligned(64)));
	pthread_mutex_t robust __attribute__((aligned(64)));
};

static struct locks *locks;

static void use_mutex(void)
{
	tp_mutex_lock(&locks->mutex);
	tp_mutex_unlock(&locks->mutex);
}

static void use_read(void)
{
	tp_rwlock_rdlock(&locks->rwlock);
	tp_rwlock_unlock(&locks->rwlock);
}

static void use_write(void)
{
	tp_rwlock_wrlock(&locks->rwlock);
	tp_rwlock_unlock(&locks->rwlock);
}

static void use_sem(void)
{
	tp_sem_post(&locks->sem);
	tp_sem_wait(&locks->sem);
}

static void use_pthread(void)
{
	pthread_mutex_lock(&locks->pthread);
	pthread_mutex_unlock(&locks->pthread);
}

static void use_robust(void)
{
	pthread_mutex_lock(&locks->robust);
	pthread_mutex_unlock(&locks->robust);
}

static const char *const kinds[] = {
	"pthread_mutex", "tp_mutex", "pthread_mutex-robust", "tp_sem", "tp_rwlock-read", "tp_rwlock-write",
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static double took[KINDS][ROUNDS_MAX];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Inlined into a loop of its own for each kind, as in a program. */
static inline __attribute__((always_inline)) double measure(void (*use)(void))
{
	double start = now();

	for (int i = 0; i < TURNS; i++)
		use();
	return (now() - start) / TURNS;
}

static double measure_kind(size_t i)
{
	switch (i) {
	case 0: return measure(use_pthread);
	case 1: return measure(use_mutex);
	case 2: return measure(use_robust);
	case 3: return measure(use_sem);
	case 4: return measure(use_read);
	default: return measure(use_write);
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, int n)
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, values, sizeof(double) * (size_t)n);
	qsort(sorted, (size_t)n, sizeof(double), by_size);
	return sorted[n / 2];
}

static void *sleep_beside(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void init_pthread(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutex_init(&locks->pthread, &attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&locks->robust, &attr);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 51;
	pthread_t beside;

	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	locks = tp_aligned_alloc(64, sizeof(*locks));
	if (!locks) {
		fprintf(stderr, "lock-uncontended: %s\n", tp_why());
		return 1;
	}
	memset(locks, 0, sizeof(*locks));
	init_pthread();
	pthread_create(&beside, NULL, sleep_beside, NULL);
	for (int r = 0; r < rounds; r++)
		for (size_t i = 0; i < KINDS; i++)
			took[i][r] = measure_kind(i);
	for (size_t i = 0; i < KINDS; i++) {
		double ratio[ROUNDS_MAX];

		for (int r = 0; r < rounds; r++)
			ratio[r] = took[i][r] / took[0][r];
		printf("%s %.2f ns %.3f\n", kinds[i], median(took[i], rounds), median(ratio, rounds));
	}
	return 0;
}
