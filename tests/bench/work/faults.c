/* SPDX-License-Identifier: MIT */
/* faults: touch fresh pages of one private mapping and give them back. One operation is a page. */
#include "work.h"

#include <stddef.h>
#include <sys/mman.h>

#define PAGE   4096
#define PAGES  2048
#define PASSES 2

static char *area;

static void slice(struct work_report *report)
{
	for (int pass = 0; pass < PASSES; pass++) {
		for (long i = 0; i < PAGES; i++)
			((volatile char *)area)[i * PAGE] = 1;
		if (madvise(area, (size_t)PAGES * PAGE, MADV_DONTNEED))
			work_die("madvise");
	}
	report->ops = (uint64_t)PAGES * PASSES;
}

int main(void)
{
	area = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	if (area == MAP_FAILED)
		work_die("mmap");
	/* Where huge pages are always on, a slice would be four faults. Kernels without them
	 * refuse: fine. */
	(void)madvise(area, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	work_serve(slice);
}
