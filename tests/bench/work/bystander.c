/* SPDX-License-Identifier: MIT */
/*
 * bystander CPU [MS]: take one page fault after another and time each. ops: faults; extra[0..2]:
 * their median, 99th percentile and longest in ns.
 */
#include "work.h"

#include <stddef.h>
#include <sys/mman.h>

#define PAGE    4096
#define PAGES   4096
#define STEPS   8 /* buckets per doubling: a percentile is right to 9 % */
#define BUCKETS (64 * STEPS)

static uint64_t length_ns;
static char *area;
static uint32_t histogram[BUCKETS];

/* The bucket of a time: its power of two, and the three bits below the highest. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned power = 63u - (unsigned)__builtin_clzll(ns | STEPS);

	return power * STEPS + (unsigned)((ns >> (power - 3)) & (STEPS - 1));
}

static uint64_t bucket_start(unsigned bucket)
{
	return (uint64_t)(STEPS + bucket % STEPS) << (bucket / STEPS - 3);
}

static uint64_t percentile(uint64_t total, double share)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < BUCKETS; i++) {
		seen += histogram[i];
		if ((double)seen >= share * (double)total)
			return bucket_start(i);
	}
	return 0;
}

static void touch_page(long page, struct work_report *report)
{
	uint64_t start = work_now(), took;

	((volatile char *)area)[page * PAGE] = 1;
	took = work_now() - start;
	histogram[bucket_of(took)]++;
	report->ops++;
	if (took > report->extra[2])
		report->extra[2] = took;
}

static void slice(struct work_report *report)
{
	uint64_t end = work_now() + length_ns;

	__builtin_memset(histogram, 0, sizeof(histogram));
	report->ops = 0;
	while (work_now() < end) {
		for (long i = 0; i < PAGES; i++)
			touch_page(i, report);
		if (madvise(area, (size_t)PAGES * PAGE, MADV_DONTNEED))
			work_die("madvise");
	}
	report->extra[0] = percentile(report->ops, 0.5);
	report->extra[1] = percentile(report->ops, 0.99);
}

int main(int argc, char **argv)
{
	work_pin((int)work_arg(argc, argv, 1, -1));
	length_ns = (uint64_t)work_arg(argc, argv, 2, 400) * 1000000u;
	area = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	if (area == MAP_FAILED)
		work_die("mmap");
	(void)madvise(area, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	work_serve(slice);
}
