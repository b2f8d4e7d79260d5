/* SPDX-License-Identifier: MIT */
/*
 * no-control: unmap the first 128 KiB of the own 64 GiB, where a group keeps what it knows of a program, by a system call
 * that nobody rewrites, and end. Natively nothing is there.
 */
#include "guest.h"

#include <stdint.h>
#include <sys/syscall.h>

static long raw(volatile long nr, long a, long b)
{
#ifdef __x86_64__
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return r;
#else
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
#endif
}

int main(void)
{
	int here;
	uintptr_t unit = (uintptr_t)&here & ~(((uintptr_t)1 << 36) - 1);

	puts("unmapped");
	fflush(stdout);
	CHECK(raw(SYS_munmap, (long)unit, 0x20000) == 0);
	raw(SYS_exit_group, 0, 0);
	return 1;
}
