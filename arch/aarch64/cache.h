/* SPDX-License-Identifier: MIT */
/* Making written code visible to instruction fetch, and what of struct stat identifies a file's content. */
#pragma once

#include <stdint.h>

static inline uint64_t arch_cache_type(void)
{
	uint64_t ctr;

	__asm__("mrs %0, ctr_el0" : "=r"(ctr));
	return ctr;
}

/*
 * Data to where instructions are fetched from, then the old instructions away: line by line, at the address at which they will run. How
 * long a line is, and whether the processor does one or the other by itself (IDC, DIC), is in CTR_EL0, which Linux lets programs read.
 * Another thread cannot be inside code that it has never been shown, and comes out of the kernel before it runs it, which synchronises it.
 */
static inline void arch_sync_code(uint64_t addr, uint64_t len)
{
	enum { IDC = 1 << 28, DIC = 1 << 29 };
	uint64_t ctr = arch_cache_type(), end = addr + len;
	uint64_t data = UINT64_C(4) << (ctr >> 16 & 15), code = UINT64_C(4) << (ctr & 15);

	for (uint64_t p = addr & ~(data - 1); !(ctr & IDC) && p < end; p += data)
		__asm__ volatile("dc cvau, %0" : : "r"(p) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
	for (uint64_t p = addr & ~(code - 1); !(ctr & DIC) && p < end; p += code)
		__asm__ volatile("ic ivau, %0" : : "r"(p) : "memory");
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

/* Device, inode, size, modification and change time (seconds and nanoseconds mixed). */
static inline uint64_t arch_stat_key(const uint64_t *st, int i)
{
	switch (i) {
	case 0: return st[0];
	case 1: return st[1];
	case 2: return st[6];
	case 3: return st[11] * 1000000007u + st[12];
	default: return st[13] * 1000000007u + st[14];
	}
}
