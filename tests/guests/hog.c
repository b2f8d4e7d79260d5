/* SPDX-License-Identifier: MIT */
/*
 * hog [MIB]: set RLIMIT_AS to MIB and allocate until it is refused. The limit must read back as it
 * was set, and the refusal must come near it: not at once (a neighbour's memory would have been
 * counted), not far behind it.
 */
#include "guest.h"

#include <sys/mman.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
	rlim_t mib = argc > 1 ? (rlim_t)atol(argv[1]) : 512, got = 0;
	struct rlimit limit = {mib << 20, mib << 20}, back;
	void *p;

	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	CHECK(getrlimit(RLIMIT_AS, &back) == 0 && back.rlim_cur == limit.rlim_cur);
	while ((p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0)) != MAP_FAILED &&
		got < mib * 2)
		got++;
	printf("refused: %s\n", p == MAP_FAILED ? strerror(errno) : "never");
	printf("between half the limit and the limit: %s\n",
		got >= mib / 2 && got <= mib ? "yes" : "no");
	return 0;
}
