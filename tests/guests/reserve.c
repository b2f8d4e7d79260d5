/* SPDX-License-Identifier: MIT */
/*
 * reserve [GIB [hold]]: take address space, in pieces that get smaller, until even a small one is
 * refused or GIB are taken; nothing is touched. `hold`: keep it until standard input ends.
 */
#include "guest.h"

#include <sys/mman.h>

static int take(long gib)
{
	return mmap(NULL, (size_t)gib << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0) != MAP_FAILED;
}

int main(int argc, char **argv)
{
	long left = argc > 1 ? atol(argv[1]) : 1l << 20, got = 0;

	for (long piece = 1024; piece; piece /= 2)
		for (; piece <= left && take(piece); left -= piece)
			got += piece;
	printf("at least 32 GiB: %s\n", got >= 32 ? "yes" : "no");
	fflush(stdout);
	if (argc > 2)
		getchar();
	return 0;
}
