/* SPDX-License-Identifier: MIT */
/*
 * malloc-figures [ROUNDS]: malloc as this program has it (in a group with --shared-malloc: libtp-malloc.so's) against glibc's own, in turns in
 * one process. One line a figure: name, CPU nanoseconds of one free and one malloc with either (medians over the rounds), median of the
 * rounds' ratios.
 *
 *	churn	16-1,024 bytes, 1,024 live
 *	live	16-256 bytes, 20,000 live
 *	large	16-256 KiB, 16 live, nothing touched but the first byte
 *	pair	64 bytes, freed at once
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIVE_MAX = 20000, ROUNDS_MAX = 999 };

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *p);

static const struct maker {
	void *(*alloc)(size_t size);
	void (*free)(void *p);
} makers[2] = {{malloc, free}, {__libc_malloc, __libc_free}};

static const struct figure {
	const char *name;
	uint32_t from, to, live;
	long turns;
} figures[] = {
	{"churn", 16, 1024, 1024, 1000000},
	{"live", 16, 256, LIVE_MAX, 1000000},
	{"large", 16 << 10, 256 << 10, 16, 50000},
	{"pair", 64, 65, 1, 1000000},
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double run(const struct figure *f, const struct maker *m)
{
	static char *block[LIVE_MAX];
	uint64_t r = 88172645463325252u;
	double t = now();

	for (long i = 0; i < f->turns; i++) {
		char **b;

		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		b = &block[(r >> 32) % f->live];
		m->free(*b);
		*b = m->alloc(f->from + (uint32_t)r % (f->to - f->from));
		**b = 1;
	}
	t = now() - t;
	for (uint32_t i = 0; i < f->live; i++)
		m->free(block[i]);
	memset(block, 0, sizeof(block));
	return t / (double)f->turns;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), ascending);
	return v[n / 2];
}

static void measure(const struct figure *f, int rounds)
{
	static double ns[2][ROUNDS_MAX], ratio[ROUNDS_MAX];

	run(f, &makers[0]);
	run(f, &makers[1]);
	for (int i = 0; i < rounds; i++) {
		ns[i % 2][i] = run(f, &makers[i % 2]);
		ns[!(i % 2)][i] = run(f, &makers[!(i % 2)]);
		ratio[i] = ns[0][i] / ns[1][i];
	}
	printf("%s %.1f %.1f %.3f\n", f->name, median(ns[0], rounds), median(ns[1], rounds), median(ratio, rounds));
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 9;

	if (rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		measure(&figures[i], rounds);
	return 0;
}
