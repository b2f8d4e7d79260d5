/* SPDX-License-Identifier: MIT */
/* Segments aligned to 2 MiB: the image must lie at a multiple of it. */
#include "guest.h"

__attribute__((aligned(1 << 21))) static char aligned_data[1 << 21];
extern const char __ehdr_start;

int main(void)
{
	aligned_data[5] = 1;
	printf("data at %lx, image at %lx of 2 MiB\n", (unsigned long)aligned_data % (1 << 21),
		(unsigned long)&__ehdr_start % (1 << 21));
	return 0;
}
