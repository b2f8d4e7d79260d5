/* SPDX-License-Identifier: MIT */
/*
 * unrouted-map FILE: map a page of FILE by a system call that nobody rewrites, print its address, and sleep until standard input ends.
 * Status 0: the page is still there then.
 */
#include "guest.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "syscall.h"

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	char first, byte;
	long at;

	CHECK(fd >= 0 && pread(fd, &first, 1, 0) == 1);
	at = arch_syscall6(ARCH_NR_mmap, 0, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(at > 0);
	printf("%lx\n", (unsigned long)at);
	CHECK(fflush(stdout) == 0);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	CHECK(*(volatile char *)at == first);
	return 0;
}
