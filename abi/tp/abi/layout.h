/* SPDX-License-Identifier: MIT */
/*
 * How the user half of the address space is cut up.
 *
 * A group's address space is divided into TP_UNITS equal units. A program owns one unit or more, so
 * "whose memory is this?" is one shift and one table look-up: segment->owner[address >> TP_UNIT_SHIFT].
 *
 * The first unit of a program holds, from its base upwards:
 *
 *   control | page bitmap | own stubs | shared stubs | interpreter | libc | near zone (images) | brk | mmap zone … | main stack
 *
 * Stubs sit within 2 GiB of every image up to the near zone's end, so a rel32 jump reaches them. Interpreter and libc have
 * places of their own, the same in every slot, so that one rewritten copy of their text serves all programs.
 */
#ifndef TP_ABI_LAYOUT_H
#define TP_ABI_LAYOUT_H

#include <stdint.h>

#define TP_PAGE_SHIFT	12
#define TP_PAGE_SIZE	(UINT64_C(1) << TP_PAGE_SHIFT)

#define TP_UNIT_SHIFT	36
#define TP_UNIT_SIZE	(UINT64_C(1) << TP_UNIT_SHIFT)	/* 64 GiB */
#define TP_UNITS	2048				/* 47-bit user addresses */
#define TP_UNIT_OF(a)	((uint32_t)((uint64_t)(a) >> TP_UNIT_SHIFT))
#define TP_UNIT_BASE(u)	((uint64_t)(u) << TP_UNIT_SHIFT)

/* The group segment: free natively, under ASan and under TSan. */
#define TP_SEGMENT_BASE	UINT64_C(0x7e9000000000)

/* Its heap's memory, up to TP_HEAP_MAX bytes; the kernel's own mappings lie above TP_SEGMENT_END. */
#define TP_HEAP_BASE	(TP_SEGMENT_BASE + UINT64_C(0x40000000))
#define TP_HEAP_MAX	UINT64_C(0x4000000000)	/* 256 GiB */
#define TP_SEGMENT_END	UINT64_C(0x7ee000000000)

/* The region of --shared-malloc: private anonymous memory, one for all programs of the group. */
#define TP_PRIVATE_HEAP_BASE	UINT64_C(0x7c0000000000)
#define TP_PRIVATE_HEAP_MAX	UINT64_C(0x4000000000)
#define TP_PRIVATE_HEAP_END	UINT64_C(0x7c8000000000)

/*
 * Offsets within a program's first unit. What programs write to most starts at odd pages: caches tell lines apart by some
 * of the address bits above the page, and the hottest pages of all zones would collide at round numbers (malloc: 13 %).
 */
#define TP_SLOT_CONTROL		UINT64_C(0x0)
#define TP_SLOT_CONTROL_SIZE	UINT64_C(0x20000)	/* struct tp_control and the launch message */
#define TP_SLOT_BITMAP		TP_SLOT_CONTROL_SIZE	/* one bit a page of the unit */
#define TP_SLOT_BITMAP_SIZE	(TP_UNIT_SIZE / TP_PAGE_SIZE / 8)
#define TP_SLOT_OWN_STUBS	UINT64_C(0x220000)	/* for text that was rewritten for this program only */
#define TP_SLOT_OWN_STUBS_SIZE	UINT64_C(0xe0000)
#define TP_SLOT_STUBS		UINT64_C(0x300000)	/* for shared text: the same bytes in every slot */
#define TP_SLOT_STUBS_SIZE	UINT64_C(0x100000)
#define TP_SLOT_INTERP		UINT64_C(0x400000)
#define TP_SLOT_LIBC		UINT64_C(0x1000000)
#define TP_SLOT_NEAR		UINT64_C(0x2375000)	/* executable and libraries */
#define TP_SLOT_NEAR_END	UINT64_C(0x70000000)
#define TP_SLOT_BRK		UINT64_C(0x80437000)
#define TP_SLOT_MMAP		UINT64_C(0x280915000)	/* brk may grow to here while nobody else is there */
#define TP_SLOT_STACK_TOP	(TP_UNIT_SIZE - 0x1b000)
#define TP_SLOT_STACK_RESERVE	UINT64_C(0x100000000)	/* the main stack can grow by this much */

_Static_assert(TP_SLOT_BITMAP + TP_SLOT_BITMAP_SIZE <= TP_SLOT_OWN_STUBS, "bitmap fits");
_Static_assert(TP_SLOT_OWN_STUBS + TP_SLOT_OWN_STUBS_SIZE <= TP_SLOT_STUBS, "own stubs fit");

/* Auxiliary-vector key whose value is the address of the group segment. */
#define TP_AT_TP	0x5450

#endif
