/* SPDX-License-Identifier: MIT */
/*
 * Whether this libc believes that the program has one thread only; in a group it must not. Prints
 * what the executable sees (a copy relocation in a non-PIE) and what the library sees.
 */
#include "guest.h"

#include <dlfcn.h>
#include <sys/single_threaded.h>

int main(void)
{
	char *of_libc = dlsym(RTLD_NEXT, "__libc_single_threaded");

	printf("executable %d", __libc_single_threaded);
	if (of_libc)
		printf(", libc %d", *of_libc);
	puts("");
	return 0;
}
