/* SPDX-License-Identifier: MIT */
/*
 * The one place where libtp asks for private memory: through the C library, since it is the C library's calls that are routed. Memory
 * that a bare system call maps would lie outside the program's slot, and not go with the program.
 */
#include <sys/mman.h>

#include "core.h"

void *tpi_pages(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void tpi_pages_free(void *p, size_t size)
{
	munmap(p, size);
}
