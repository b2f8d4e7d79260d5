/* SPDX-License-Identifier: MIT */
/* Where programs can have memory on this processor, and which of it has an owner of its own. */
#ifndef TP_ARCH_ADDRESSES_H
#define TP_ARCH_ADDRESSES_H

#include <stdint.h>

/* The end of what Linux gives programs unasked. */
#define ARCH_USER_END (UINT64_C(1) << 47)

/* The flag of mmap that asks for the lowest 2 GiB. */
#define ARCH_MAP_32BIT 0x40

/*
 * Units never given to programs: [first, end) pairs.
 *   0-16 TiB       non-PIE images, Go's arena hints, ASan's shadow (0x7fff8000-0x10007fff8000)
 *   0x300-0x340    TSan's meta shadow
 *   0x550-0x568    where Linux puts PIE executables and their brk (the host's own)
 *   0x600-0x640    ASan's allocator
 *   0x7b0-0x7c0    TSan's heap
 *   0x7c0-0x7c8    the region of --shared-malloc
 *   0x7e8-0x800    group segment, and the kernel's own mmap area, stack and vDSO
 * The supervisor adds every unit that holds a mapping of the fresh host.
 */
#define ARCH_UNITS_RESERVED                                                                        \
	{ { 0, 258 }, { 0x300, 0x340 }, { 0x550, 0x568 }, { 0x600, 0x640 }, { 0x7b0, 0x7c8 }, { 0x7e8, 0x800 } }

#endif
