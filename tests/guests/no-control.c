/* SPDX-License-Identifier: MIT */
/*
 * no-control: unmap the first 128 KiB of the own 64 GiB, where a group keeps what it knows of a program, by a system call
 * that nobody rewrites, and end. Natively nothing is there.
 */
#include "guest.h"

#include <stdint.h>

#include "syscall.h"

int main(void)
{
	int here;
	uintptr_t unit = (uintptr_t)&here & ~(((uintptr_t)1 << 36) - 1);

	puts("unmapped");
	fflush(stdout);
	CHECK(arch_syscall3(ARCH_NR_munmap, (long)unit, 0x20000, 0) == 0);
	arch_syscall3(ARCH_NR_exit_group, 0, 0, 0);
	return 1;
}
