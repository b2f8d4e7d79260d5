/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <stdlib.h>

#include "say.h"

void bench_series_add(struct bench_series *s, double value)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->values = realloc(s->values, s->room * sizeof(*s->values));
		if (!s->values)
			bench_die("out of memory");
	}
	s->values[s->n++] = value;
}

void bench_series_fini(struct bench_series *s)
{
	free(s->values);
	*s = (struct bench_series){.values = NULL};
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_series_at(struct bench_series *s, double share)
{
	size_t at = (size_t)(share * (double)s->n);

	if (!s->n)
		return 0;
	qsort(s->values, s->n, sizeof(*s->values), by_value);
	return s->values[at < s->n ? at : s->n - 1];
}

double bench_series_median(struct bench_series *s)
{
	return bench_series_at(s, 0.5);
}
