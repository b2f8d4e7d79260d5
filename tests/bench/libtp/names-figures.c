/* SPDX-License-Identifier: MIT */
/*
 * names-figures [NAMES]: in a group. What publishing, looking up, checking and unpublishing take in a table of so many names (default: 8,192
 * and 100,000), in random order. One line a figure: name, nanoseconds a call (median over chunks of 64 calls), p99.9 of the chunks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tp/tp.h>

enum { CHUNK = 64, CHUNKS_MAX = 20000, LENGTH = 32 };

struct table {
	uint32_t n, at;
	uint32_t *order;
	char (*names)[LENGTH];
	char *block;
};

typedef int call_fn(struct table *t, uint32_t i);

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(int r, const char *what)
{
	if (r == 0)
		return;
	fprintf(stderr, "names-figures: %s: %d: %s\n", what, r, tp_why());
	exit(1);
}

static int publish(struct table *t, uint32_t i)
{
	return tp_publish(t->names[i], t->block + i, "order", 0);
}

static int replace(struct table *t, uint32_t i)
{
	return tp_publish(t->names[i], t->block + i, "order", TP_PUBLISH_REPLACE);
}

static int unpublish(struct table *t, uint32_t i)
{
	return tp_unpublish(t->names[i], "order");
}

static int look_up(struct table *t, uint32_t i)
{
	struct tp_name n;

	return tp_lookup(t->names[i], "order", &n) || n.ptr != t->block + i;
}

static struct tp_name looked_up;

static int check(struct table *t, uint32_t i)
{
	(void)t;
	(void)i;
	return tp_name_check(&looked_up);
}

static void shuffle(struct table *t)
{
	for (uint32_t i = t->n - 1; i > 0; i--) {
		uint32_t j = (uint32_t)rand() % (i + 1), other = t->order[i];

		t->order[i] = t->order[j];
		t->order[j] = other;
	}
}

static void make(struct table *t, uint32_t n, char *block)
{
	*t = (struct table){.n = n, .block = block};
	t->order = malloc(n * sizeof(*t->order));
	t->names = malloc(n * sizeof(*t->names));
	for (uint32_t i = 0; i < n; i++) {
		t->order[i] = i;
		snprintf(t->names[i], LENGTH, "service.%u.quote", i);
		must(publish(t, i), "tp_publish");
	}
	shuffle(t);
}

static double chunk(struct table *t, call_fn *call, uint32_t from, const char *what)
{
	volatile char sink = 0;
	double start;

	/* Who looks something up has its name at hand. */
	for (uint32_t k = 0; k < CHUNK; k++)
		sink = t->names[t->order[(from + k) % t->n]][0];
	(void)sink;
	start = now();
	for (uint32_t k = 0; k < CHUNK; k++)
		must(call(t, t->order[(from + k) % t->n]), what);
	return (now() - start) / CHUNK;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, uint32_t n, double *v, uint32_t count)
{
	qsort(v, count, sizeof(*v), by_value);
	printf("%s-%u %.1f %.1f\n", name, n, v[count / 2], v[count * 999 / 1000]);
}

/* Each chunk of names is taken out and put in again; both are timed. */
static void measure(struct table *t, uint32_t chunks)
{
	static double times[5][CHUNKS_MAX];

	for (uint32_t c = 0; c < chunks; c++)
		times[0][c] = chunk(t, look_up, c * CHUNK % t->n, "tp_lookup");
	for (uint32_t c = 0; c < chunks; c++) {
		uint32_t at = c * CHUNK % t->n;

		times[1][c] = chunk(t, unpublish, at, "tp_unpublish");
		times[2][c] = chunk(t, publish, at, "tp_publish");
		times[3][c] = chunk(t, replace, at, "tp_publish, replacing");
	}
	must(tp_lookup(t->names[0], "order", &looked_up), "tp_lookup");
	for (uint32_t c = 0; c < chunks; c++)
		times[4][c] = chunk(t, check, 0, "tp_name_check");
	print("look-up", t->n, times[0], chunks);
	print("unpublish", t->n, times[1], chunks);
	print("publish", t->n, times[2], chunks);
	print("replace", t->n, times[3], chunks);
	print("check", t->n, times[4], chunks);
}

static void measure_names(uint32_t n, char *block)
{
	struct table t;

	make(&t, n, block);
	measure(&t, 4000);
	for (uint32_t i = 0; i < n; i++)
		must(unpublish(&t, i), "tp_unpublish");
	free(t.names);
	free(t.order);
}

int main(int argc, char **argv)
{
	char *block;

	must(tp_connected(), "names are of a group");
	block = tp_malloc(1 << 20);
	if (!block)
		must(-1, "tp_malloc");
	if (argc > 1)
		measure_names((uint32_t)atoi(argv[1]), block);
	else {
		measure_names(8192, block);
		measure_names(100000, block);
	}
	return 0;
}
