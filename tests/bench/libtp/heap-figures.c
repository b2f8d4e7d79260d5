/* SPDX-License-Identifier: MIT */
/*
 * Measures the heap against mimalloc: heap-figures [FIGURE [ROUNDS]]. One line a figure: name, CPU nanoseconds of one operation with the heap
 * and with mimalloc (medians over the rounds), and the median of the rounds' ratios. Both are called through a pointer, in turn, on the same
 * sequence of sizes. Figures:
 *
 *	churn		16-1,024 bytes, 1,024 live, each operation frees a random one and allocates another
 *	churn-two	the same in two programs (mimalloc: two threads) at once
 *	lifo		16-1,024 bytes, the last is freed first, 100 at a time
 *	live		16-256 bytes with 20,000 live
 *	large		16 KiB-1 MiB, 16 live, one byte a page is not touched: the allocator alone
 *	pair		64-1,024 bytes, allocated in one program (thread), freed in another; both sides' time
 *	pair-small	16-256 bytes
 *	bounded		the same over 100 million blocks (ROUNDS millions): what the heap holds at the end, in MiB; no mimalloc
 *	touch		first touch of a page, against anonymous memory instead of mimalloc
 *	touch-small	the same where the heap's memory comes in small pages only
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "tpgroup.h"
#include <tp/heap.h>

enum { ROUNDS_MAX = 1000, RING = 4096, LIVE_MAX = 20000 };

struct maker {
	const char *name;
	void *(*alloc)(size_t size);
	int (*free)(void *p); /* mimalloc's returns nothing: nobody looks */
	bool programs;
};

static struct maker ours = {"tp", tp_malloc, tp_free, true}, theirs = {"mimalloc", NULL, NULL, false};
static uint64_t me;

static double cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

struct sizes {
	size_t from, to;
	size_t live;
	size_t ops;
};

static double churn(const struct maker *m, const struct sizes *s)
{
	static _Thread_local void *live[LIVE_MAX];
	uint64_t r = 88172645463325252;
	double start;

	for (size_t i = 0; i < s->live; i++)
		live[i] = m->alloc(s->from + next_random(&r) % (s->to - s->from + 1));
	start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < s->ops; i++) {
		uint64_t x = next_random(&r);
		size_t at = (size_t)((x >> 32) * s->live >> 32);

		m->free(live[at]);
		live[at] = m->alloc(s->from + (x & 0xffffffff) % (s->to - s->from + 1));
		*(volatile char *)live[at] = 1;
	}
	start = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	for (size_t i = 0; i < s->live; i++)
		m->free(live[i]);
	return start / (double)s->ops;
}

static double lifo(const struct maker *m, const struct sizes *s)
{
	void *p[100];
	uint64_t r = 88172645463325252;
	double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

	for (size_t i = 0; i < s->ops / 100; i++) {
		for (int k = 0; k < 100; k++)
			*(volatile char *)(p[k] = m->alloc(s->from + next_random(&r) % (s->to - s->from + 1))) = 1;
		for (int k = 100; k-- > 0;)
			m->free(p[k]);
	}
	return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start) / (double)s->ops;
}

/* A plain ring between two: not what is measured, and the same for both. */
struct ring {
	uint64_t in __attribute__((aligned(64)));
	uint64_t out __attribute__((aligned(64)));
	double ns __attribute__((aligned(64)));
	void *slot[RING];
};

struct consumer {
	struct ring *ring;
	const struct maker *m;
	size_t ops;
};

static int consume(void *arg)
{
	struct consumer *c = arg;
	double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

	for (uint64_t i = 0; i < c->ops;) {
		uint64_t in = __atomic_load_n(&c->ring->in, __ATOMIC_ACQUIRE);

		if (in == i) {
			usleep(50);
			continue;
		}
		for (; i < in; i++)
			c->m->free(c->ring->slot[i % RING]);
		__atomic_store_n(&c->ring->out, i, __ATOMIC_RELEASE);
	}
	c->ring->ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	return 0;
}

static void *consume_thread(void *arg)
{
	consume(arg);
	return NULL;
}

static double produce(const struct maker *m, const struct sizes *s, struct ring *ring)
{
	uint64_t r = 88172645463325252, out = 0;
	double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

	for (uint64_t i = 0; i < s->ops; i++) {
		void *p = m->alloc(s->from + next_random(&r) % (s->to - s->from + 1));

		*(volatile char *)p = 1;
		while (i - out >= RING) {
			out = __atomic_load_n(&ring->out, __ATOMIC_ACQUIRE);
			if (i - out >= RING)
				usleep(50);
		}
		ring->slot[i % RING] = p;
		if (i % 64 == 63 || i + 1 == s->ops)
			__atomic_store_n(&ring->in, i + 1, __ATOMIC_RELEASE);
	}
	return cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

static double pair(const struct maker *m, const struct sizes *s)
{
	struct ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct consumer c = {ring, m, s->ops};
	pthread_t thread;
	uint64_t id = 0;
	pid_t pid = 0;
	double ns;

	if (m->programs) {
		id = tpgroup_add("consumer");
		pid = tpgroup_fork(id, consume, &c);
	} else {
		pthread_create(&thread, NULL, consume_thread, &c);
	}
	ns = produce(m, s, ring);
	if (m->programs)
		tpgroup_join(pid, id);
	else
		pthread_join(thread, NULL);
	ns += ring->ns;
	munmap(ring, sizeof(*ring));
	return ns / (double)s->ops;
}

struct half {
	const struct maker *m;
	const struct sizes *s;
	double *ns;
};

static int churn_half(void *arg)
{
	struct half *h = arg;

	*h->ns = churn(h->m, h->s);
	return 0;
}

static void *churn_thread(void *arg)
{
	churn_half(arg);
	return NULL;
}

static double churn_two(const struct maker *m, const struct sizes *s)
{
	double *ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), mine, sum;
	struct half other = {m, s, ns};
	pthread_t thread;
	uint64_t id = 0;
	pid_t pid = 0;

	if (m->programs) {
		id = tpgroup_add("other");
		pid = tpgroup_fork(id, churn_half, &other);
	} else {
		pthread_create(&thread, NULL, churn_thread, &other);
	}
	mine = churn(m, s);
	if (m->programs)
		tpgroup_join(pid, id);
	else
		pthread_join(thread, NULL);
	sum = (mine + *ns) / 2;
	munmap(ns, 4096);
	return sum;
}

typedef double measure_fn(const struct maker *m, const struct sizes *s);

struct figure {
	const char *name;
	measure_fn *measure;
	struct sizes sizes;
};

static const struct figure figures[] = {
	{"churn", churn, {16, 1024, 1024, 1000000}},
	{"churn-two", churn_two, {16, 1024, 1024, 1000000}},
	{"lifo", lifo, {16, 1024, 0, 1000000}},
	{"live", churn, {16, 256, 20000, 1000000}},
	{"large", churn, {16 << 10, 1 << 20, 16, 200000}},
	{"large-16-128", churn, {(16 << 10) + 1, 128 << 10, 16, 200000}},
	{"pair", pair, {64, 1024, 0, 1000000}},
	{"pair-small", pair, {16, 256, 0, 1000000}},
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

static void measure(const struct figure *f, int rounds)
{
	double a[ROUNDS_MAX], b[ROUNDS_MAX], ratio[ROUNDS_MAX];

	f->measure(&ours, &f->sizes);
	if (theirs.alloc)
		f->measure(&theirs, &f->sizes);
	for (int i = 0; i < rounds; i++) {
		a[i] = f->measure(&ours, &f->sizes);
		b[i] = theirs.alloc ? f->measure(&theirs, &f->sizes) : 0;
		ratio[i] = b[i] > 0 ? a[i] / b[i] : 0;
	}
	printf("%-12s %8.2f %8.2f %6.3f\n", f->name, median(a, rounds), median(b, rounds), median(ratio, rounds));
	fflush(stdout);
}

static void bounded(int millions)
{
	struct sizes s = {16, 1024, 0, (size_t)millions * 1000000};
	struct tp_heap_usage usage;

	pair(&ours, &s);
	if (tp_heap_stats(0, &usage) == 0)
		printf("%-12s %8.2f %8.2f %6d\n", "bounded", (double)usage.touched / (1 << 20), 0.0, tp_heap_check());
}

/* Nanoseconds for each 4 KiB of 64 MiB; nothing was there before. */
static double touch_all(char *p, size_t size)
{
	double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

	for (size_t i = 0; i < size; i += 4096)
		p[i] = 1;
	return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start) / ((double)size / 4096);
}

static void touch(const char *name, int advice, int rounds)
{
	double a[ROUNDS_MAX], b[ROUNDS_MAX], ratio[ROUNDS_MAX];
	size_t size = 64 << 20;

	for (int i = 0; i < rounds; i++) {
		char *p = tp_malloc(size), *q = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(q, size, MADV_NOHUGEPAGE);
		madvise(p, size, advice);
		a[i] = touch_all(p, size);
		b[i] = touch_all(q, size);
		ratio[i] = a[i] / b[i];
		madvise(p, size, MADV_HUGEPAGE);
		tp_free(p);
		munmap(q, size);
	}
	printf("%-12s %8.2f %8.2f %6.3f\n", name, median(a, rounds), median(b, rounds), median(ratio, rounds));
}

static void find_mimalloc(void)
{
	void *lib = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		return;
	theirs.alloc = (void *(*)(size_t))dlsym(lib, "mi_malloc");
	theirs.free = (int (*)(void *))dlsym(lib, "mi_free");
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : "all";
	int rounds = argc > 2 ? atoi(argv[2]) : 15;
	bool all = !strcmp(only, "all");

	rounds = rounds > 0 && rounds <= ROUNDS_MAX ? rounds : 15;
	find_mimalloc();
	tpgroup_open(UINT64_C(4) << 30);
	me = tpgroup_add("me");
	tpgroup_be(me);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (all || !strcmp(only, figures[i].name))
			measure(&figures[i], rounds);
	if (all || !strcmp(only, "touch"))
		touch("touch", MADV_HUGEPAGE, rounds);
	if (all || !strcmp(only, "touch-small"))
		touch("touch-small", MADV_NOHUGEPAGE, rounds);
	if (!strcmp(only, "bounded"))
		bounded(argc > 2 ? rounds : 100);
	tpgroup_close();
	return 0;
}
