/* SPDX-License-Identifier: MIT */
/* Making written code visible to instruction fetch, and what of struct stat identifies a file's content. */
#pragma once

#include <stdint.h>

/* x86 keeps its instruction cache coherent; another thread cannot be inside code that it has never been shown. */
static inline void arch_sync_code(uint64_t addr, uint64_t len)
{
	(void)addr;
	(void)len;
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
