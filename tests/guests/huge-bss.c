/* SPDX-License-Identifier: MIT */
/* 3 GiB of .bss, touched at its ends, and .data that ends in the middle of a page. */
#include "guest.h"

static char big[3ul << 30];
static char data[777] = {1};

int main(void)
{
	CHECK(big[0] == 0 && big[sizeof big - 1] == 0 && data[776] == 0 && data[0] == 1);
	for (size_t i = 0; i < sizeof big; i += 64ul << 20)
		CHECK(big[i]++ == 0);
	big[sizeof big - 1] = 1;
	puts("bss is zero and writable");
	return 0;
}
