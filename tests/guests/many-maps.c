/* SPDX-License-Identifier: MIT */
/* many-maps N: make N mappings that cannot be merged, say how many, keep them until standard input
 * ends. */
#include "guest.h"

#include <sys/mman.h>

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)atol(argv[1]) : 1000, made = 1;
	char *p = mmap(NULL, n * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	for (size_t i = 0; i + 1 < n; i += 2) {
		if (mprotect(p + i * 4096, 4096, PROT_READ) < 0) {
			printf("refused: %s\n", strerror(errno));
			break;
		}
		made += 2;
	}
	printf("made %zu\n", made);
	fflush(stdout);
	getchar();
	return 0;
}
