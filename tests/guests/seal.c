/* SPDX-License-Identifier: MIT */
/* seal: map 1 MiB, write to it, and seal it: nobody can unmap it any more. 77: this kernel has no mseal. */
#include "guest.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef SYS_mseal
#define SYS_mseal 462
#endif

int main(void)
{
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	*p = 1;
	if (syscall(SYS_mseal, p, 1 << 20, 0)) {
		puts("this kernel has no mseal");
		return 77;
	}
	puts("sealed");
	return 0;
}
