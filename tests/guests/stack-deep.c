/* SPDX-License-Identifier: MIT */
/* Use nearly the whole stack that RLIMIT_STACK promises (8 MiB at most), and a large frame at once.
 */
#include "guest.h"

#include <sys/resource.h>

__attribute__((noinline)) static size_t dig(size_t left)
{
	volatile char frame[4096];

	memset((char *)frame, (int)left, sizeof frame);
	if (left < sizeof frame + 256)
		return 0;
	return dig(left - sizeof frame - 256) + (size_t)(frame[7] == (char)left);
}

int main(void)
{
	struct rlimit limit;
	size_t use = 8 << 20;

	CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
	if (limit.rlim_cur < use)
		use = limit.rlim_cur;
	use -= 512 << 10;
	printf("%zu KiB of stack: %s\n", use >> 10, dig(use) ? "intact" : "unused");
	return 0;
}
