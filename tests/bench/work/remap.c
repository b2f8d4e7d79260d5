/* SPDX-License-Identifier: MIT */
/* remap [PAGES]: mmap, touch every page, munmap. One operation is all three. */
#include "work.h"

#include <stddef.h>
#include <sys/mman.h>

#define PAGE 4096

static long pages;
static int rounds;

static void slice(struct work_report *report)
{
	size_t len = (size_t)pages * PAGE;

	for (int i = 0; i < rounds; i++) {
		char *p =
			mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			work_die("mmap");
		for (long k = 0; k < pages; k++)
			((volatile char *)p)[k * PAGE] = 1;
		if (munmap(p, len))
			work_die("munmap");
	}
	report->ops = (uint64_t)rounds;
}

int main(int argc, char **argv)
{
	pages = work_arg(argc, argv, 1, 16);
	rounds = pages > 4 ? 400 : 2000;
	work_serve(slice);
}
