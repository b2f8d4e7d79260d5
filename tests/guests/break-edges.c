/* SPDX-License-Identifier: MIT */
/* The rules of brk that programs rely on: page rounding, shrinking frees, growing again gives
 * zeroes. */
#include "guest.h"

int main(void)
{
	char *start = sbrk(0), *p;

	CHECK(start != (void *)-1);
	CHECK(sbrk(100) == start);
	CHECK(sbrk(0) == start + 100);
	memset(start, 7, 100);
	CHECK(brk(start + 3 * 4096) == 0);
	memset(start, 7, 3 * 4096);
	CHECK(brk(start) == 0 && sbrk(0) == start);
	p = sbrk(5 * 4096);
	CHECK(p == start);
	/* The first, partly used page may keep its bytes; whole pages come back as zeroes. */
	for (char *q = (char *)(((unsigned long)start + 4095) & ~4095ul); q < start + 5 * 4096; q++)
		CHECK(*q == 0);
	CHECK(brk(start + (1l << 46)) < 0 && errno == ENOMEM);
	CHECK(sbrk(0) == start + 5 * 4096);
	printf("break behaves\n");
	return 0;
}
