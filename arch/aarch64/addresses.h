/* SPDX-License-Identifier: MIT */
/* Where programs can have memory on this processor, and which of it has an owner of its own. */
#ifndef TP_ARCH_ADDRESSES_H
#define TP_ARCH_ADDRESSES_H

#include <stdint.h>

/*
 * The end of what Linux gives programs unasked: 48 bits, or 47 where pages of 16 KiB have three levels of tables. The units of a
 * group lie in the lower 47 in both cases. With 48 the kernel's own mappings (the host, its stack, the vDSO, what is
 * mapped without an address) are above all units.
 */
#define ARCH_USER_END (UINT64_C(1) << 48)

/* The flag of mmap that asks for the lowest 2 GiB: there is none. */
#define ARCH_MAP_32BIT 0

/*
 * Units never given to programs: [first, end) pairs.
 *   0-32 TiB       non-PIE images, Go's arena hints (256 GiB on), ASan's shadow (0x1000000000-0x201000000000)
 *   0x550-0x568    where Linux puts PIE executables with 47 bits
 *   0x7c0-0x7c8    the region of --shared-malloc
 *   0x7e8-0x800    group segment; with 47 bits the kernel's own mmap area, stack and vDSO
 * The supervisor adds every unit that holds a mapping of the fresh host.
 */
#define ARCH_UNITS_RESERVED { { 0, 0x202 }, { 0x550, 0x568 }, { 0x7c0, 0x7c8 }, { 0x7e8, 0x800 } }

#endif
