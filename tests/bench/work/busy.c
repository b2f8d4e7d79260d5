/* SPDX-License-Identifier: MIT */
/* busy: what a program that has work does: allocate, fill, sort, add up, release. One operation is
 * one round of it. */
#include "work.h"

#include <stdlib.h>

#define COUNT 20000
#define OPS   3

static volatile uint32_t kept;

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void work_once(uint32_t seed)
{
	uint32_t *v = malloc(COUNT * sizeof(*v)), sum = 0;

	if (!v)
		work_die("malloc");
	for (int i = 0; i < COUNT; i++)
		v[i] = seed = seed * 1664525u + 1013904223u;
	qsort(v, COUNT, sizeof(*v), by_value);
	for (int i = 0; i < COUNT; i++)
		sum += v[i] ^ (uint32_t)i;
	kept = sum;
	free(v);
}

static void slice(struct work_report *report)
{
	for (uint32_t i = 0; i < OPS; i++)
		work_once(i);
	report->ops = OPS;
}

int main(void)
{
	work_serve(slice);
}
