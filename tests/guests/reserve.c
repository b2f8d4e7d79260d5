/* SPDX-License-Identifier: MIT */
/* reserve [GIB]: take address space until it is refused or GIB are taken; nothing is touched. */
#include "guest.h"

#include <sys/mman.h>

int main(int argc, char **argv)
{
	long gib = argc > 1 ? atol(argv[1]) : 1l << 20, got = 0;

	while (got < gib &&
		mmap(NULL, 1ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			0) != MAP_FAILED)
		got++;
	printf("at least 32 GiB: %s\n", got >= 32 ? "yes" : "no");
	return 0;
}
