/* SPDX-License-Identifier: MIT */
/*
 * The heap's metadata, apart from its blocks, so that a wild pointer into a block's neighbour does not break the heap.
 *
 * The heap is cut into UNITS of 64 KiB. owner[] says what each unit is, and is the only truth about it: a unit whose word is 0 is free,
 * whatever the bitmaps say. Those are hints, mended whenever they are found wrong.
 *
 *	HELD   head of a run that is being taken, or given back: of no use to anybody but its holder
 *	KEPT   head of a free run that a thread keeps for its next need; whoever runs short may take it
 *	SLAB   head of a run that is cut into blocks of one class
 *	SPAN   head of a run that is one block
 *	ARENA  head of the first run of an arena; PART: head of another run of one
 *	TAIL   any other unit of a run: says which unit is the head
 *
 * A word carries the tag of the program that holds the run, and which of its threads. A slab may be SHARED: then no thread works on it, its
 * fields are exact, and its tag is that of the last holder. Full slabs always are: the first thread that frees into one takes it.
 *
 * A slab's blocks are numbered. Each has a link of 16 bits: the number of the next free block, 0 for the last, TP_HEAP_IN_USE while it is in
 * use. Where the links fit they lie in the slab's entry, and the slab starts with block 1. Else they lie at the slab's start, block n is at
 * n times the size, and the first blocks are those that the links leave room for. They are never in the blocks, so that a write to a block
 * after its free harms nobody, a second free is seen, and neither allocating nor freeing waits for a block's own memory. The link of number 0 is
 * no number either, so that whoever takes the first of an empty list finds a link that makes no sense, and need not ask first.
 *
 * Everything is valid when it is all zero.
 */
#ifndef TP_ABI_HEAP_H
#define TP_ABI_HEAP_H

#include <stddef.h>
#include <stdint.h>

#define TP_HEAP_UNIT_SHIFT	16
#define TP_HEAP_UNIT		(UINT64_C(1) << TP_HEAP_UNIT_SHIFT)
#define TP_HEAP_UNITS_MAX	(1u << 22)

enum tp_heap_kind {
	TP_HEAP_FREE = 0,
	TP_HEAP_HELD = 1,
	TP_HEAP_SLAB = 2,
	TP_HEAP_SPAN = 3,
	TP_HEAP_TAIL = 4,
	TP_HEAP_ARENA = 5,
	TP_HEAP_PART = 6,
	TP_HEAP_KEPT = 7,
};

/* owner[]: tag 31 bits | thread, or the head's number for TAIL and PART, 24 bits | kind 3 bits | class 6 bits */
#define TP_HEAP_WORD(tag, thread, kind, class_)                                                                                            \
	((uint64_t)(tag) << 33 | (uint64_t)(thread) << 9 | (uint64_t)(kind) << 6 | (uint64_t)(class_))
#define TP_HEAP_WORD_TAG(w)	((uint32_t)((w) >> 33))
#define TP_HEAP_WORD_THREAD(w)	((uint32_t)((w) >> 9) & 0xffffffu)
#define TP_HEAP_WORD_HEAD(w)	TP_HEAP_WORD_THREAD(w)
#define TP_HEAP_WORD_KIND(w)	((uint32_t)((w) >> 6) & 7u)
#define TP_HEAP_WORD_CLASS(w)	((uint32_t)(w) & 63u)
#define TP_HEAP_SHARED		0xffffffu	/* thread: of none */

#define TP_HEAP_IN_USE		0xffffu		/* link of a block in use */
#define TP_HEAP_NO_BLOCK	0xfffeu		/* link of number 0, which is no block: higher than any number */
#define TP_HEAP_LINKS		48		/* so many links have room in a slab's entry */

/* What is known about a run, in the entry of its head. */
struct tp_slab {
	/* of the thread that holds it */
	uint16_t free;		/* slab: number of the first free block, 0: none */
	uint16_t reserved0;
	int32_t count;		/* slab: blocks that are not in `free`, plus `bias` */
	int32_t bias;
	uint32_t carved;	/* slab: so many blocks have been in `free` at least once */
	uint32_t units;		/* of the run */
	uint32_t reach;		/* it may be about to take, or to give back, tails up to here */
	union {
		struct {
			uint16_t reserved1[3];
			uint16_t no_link; /* slab: TP_HEAP_NO_BLOCK, as the link of number 0 where the links are here */
			uint16_t link[TP_HEAP_LINKS];
		};
		/* Slab whose links are not here: all that the shortest way needs, on one line. The same while it is one. */
		struct {
			uint64_t unit;	/* number in the address space */
			uint64_t step;	/* 2^64 / size, rounded up */
			uint64_t links;	/* address of number 0's */
			uint64_t base;	/* address of block 0 */
			uint32_t size;	/* of a block */
			uint32_t max;	/* the highest number */
		} many;
	};
	/* of whoever frees into it */
	uint32_t remote;	/* slab: number of the last block that another thread freed | how many << 16 */
	uint32_t last;		/* slab, SHARED: it is empty when so many are in `remote` */
	uint32_t next;		/* ARENA: unit of the part that was added last, PART: of the one before it; plus 1, 0: none */
	uint32_t reserved2[13];
};

/* The start of the area; the arrays follow, see TP_HEAP_OWNER_OFF and so on. */
struct tp_heap {
	uint32_t top;		/* no unit at or above this was ever taken */
	uint32_t reaped;	/* deaths[0] of the segment up to which the dead's runs have been looked at */
	int64_t dirty;		/* about: free units that hold memory */
	uint32_t low;		/* about: no unit below is free */
	uint32_t reserved0[11];
	int32_t rooms[64];	/* about: SHARED slabs of a class that have room */
	uint64_t reserved1[472];
};

/* The room, per unit, is TP_HEAP_META_PER_UNIT; what the arrays leave of it is for later. */
#define TP_HEAP_META_PER_UNIT	224
#define TP_HEAP_HEADER		4096
#define TP_HEAP_BITMAP(units)	(((uint64_t)(units) + 511) / 512 * 64)	/* bytes, whole cache lines */
#define TP_HEAP_SLABS_OFF	TP_HEAP_HEADER
#define TP_HEAP_OWNER_OFF(n)	(TP_HEAP_SLABS_OFF + (uint64_t)(n) * sizeof(struct tp_slab))
#define TP_HEAP_BUSY_OFF(n)	(TP_HEAP_OWNER_OFF(n) + ((uint64_t)(n) * 8 + 63) / 64 * 64)
#define TP_HEAP_DIRTY_OFF(n)	(TP_HEAP_BUSY_OFF(n) + TP_HEAP_BITMAP(n))
#define TP_HEAP_ROOM_OFF(n)	(TP_HEAP_DIRTY_OFF(n) + TP_HEAP_BITMAP(n))	/* one bitmap a class */
#define TP_HEAP_META_SIZE(n)	(TP_HEAP_ROOM_OFF(n) + 64 * TP_HEAP_BITMAP(n))

#define TP_ARENA_MAGIC		UINT64_C(0x31414e455241505f)

/* An arena, at the start of its first run. */
struct tp_arena {
	uint64_t magic;
	uint64_t at;		/* address of the next byte to give out */
	uint64_t end;
	uint64_t units;		/* of all its runs */
	uint64_t reserved[4];
};

_Static_assert(sizeof(struct tp_slab) == 192 && offsetof(struct tp_slab, remote) == 128, "three lines, frozen");
_Static_assert(offsetof(struct tp_slab, no_link) + 2 == offsetof(struct tp_slab, link), "number 0's link is before number 1's");
_Static_assert(offsetof(struct tp_slab, many) + sizeof(((struct tp_slab *)0)->many) == 64, "on the first line");
_Static_assert(sizeof(struct tp_heap) == TP_HEAP_HEADER, "frozen");
_Static_assert(sizeof(struct tp_arena) == 64, "frozen");
_Static_assert(TP_HEAP_META_SIZE(1024) <= 1024 * TP_HEAP_META_PER_UNIT, "the arrays fit into the area");
_Static_assert(TP_HEAP_META_SIZE(TP_HEAP_UNITS_MAX) <= (uint64_t)TP_HEAP_UNITS_MAX * TP_HEAP_META_PER_UNIT, "the arrays fit into the area");

#endif
