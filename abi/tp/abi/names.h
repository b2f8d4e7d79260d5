/* SPDX-License-Identifier: MIT */
/*
 * The table of names: area TP_AREA_NAMES. All zero is an empty table.
 *
 *	head[bucket] --> entry[i] --next--> entry[j] --next--> 0
 *
 * A bucket holds the chain of all entries whose name has its hash: the types of one name are in one chain. A chain is never changed in
 * place. Whoever changes it builds the new one beside it and puts it in place with one CAS of the head, whose upper bits count the
 * changes; entries that are the same in both are shared, if they stand behind the last difference, else copied. Hence:
 *
 *   as long as a head is unchanged, nothing that can be reached from it changes, is freed or is reused.
 *
 * A reader follows the chain, and looks at the head again: that is all. claim[] says which entries are in use, and by whom.
 */
#ifndef TP_ABI_NAMES_H
#define TP_ABI_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "tp/abi/segment.h"

#define TP_NAMES_BUCKETS	262144u
#define TP_NAMES_ENTRIES	262144u	/* entry 0 is none */
#define TP_NAMES_RESERVE	1024u	/* the last ones: for copies while a chain is changed, so that a full table can be emptied */
#define TP_NAMES_CHAIN_MAX	64u	/* entries of one chain */
#define TP_NAMES_WORDS		8	/* of a name and of a type: 63 bytes and zeros */

/* head: changes << 20 | index of the first entry; 0 ends */
#define TP_NAMES_HEAD(changes, index)	((uint64_t)(changes) << 20 | (index))
#define TP_NAMES_HEAD_INDEX(head)	((uint32_t)((head) & 0xfffff))
#define TP_NAMES_HEAD_CHANGES(head)	((uint64_t)(head) >> 20)

/* claim: how often the entry was freed << 32 | tag of the program that has claimed it; tag 0: free */
#define TP_NAMES_CLAIM(count, tag)	((uint64_t)(count) << 32 | (tag))
#define TP_NAMES_CLAIM_TAG(claim)	((uint32_t)(claim))
#define TP_NAMES_CLAIM_COUNT(claim)	((uint32_t)((claim) >> 32))

struct tp_names_entry {
	uint64_t hash;		/* of the name; the low bits are the bucket */
	uint64_t generation;	/* the bucket's count of changes when it was published */
	uint64_t ptr;
	uint64_t owner;		/* program id */
	uint32_t next;
	uint32_t flags;		/* TP_PUBLISH_KEEP */
	uint64_t reserved[3];
	uint64_t name[TP_NAMES_WORDS];
	uint64_t type[TP_NAMES_WORDS];
};

struct tp_names {
	uint32_t changes;	/* futex (never PRIVATE) of those who wait for a name */
	uint32_t waiting;	/* 0: nobody sleeps on `changes`; else it stood at so much (<< 1 | 1) when the last one began to */
	uint8_t reserved0[56];
	uint32_t low;		/* hint: words of room[] below it are 0 */
	uint32_t fresh;		/* hint: entries from here on were never in use */
	uint32_t limit;		/* entries below it are given out; 0: as many as at first. Grows when they have run out */
	uint8_t reserved1[52];
	uint8_t reserved2[3968];
	uint64_t head[TP_NAMES_BUCKETS];
	uint64_t claim[TP_NAMES_ENTRIES];
	uint64_t room[TP_NAMES_ENTRIES / 64];	/* hint: bit n of word w: entry 64 w + n has been freed */
	struct tp_names_entry entry[TP_NAMES_ENTRIES];
};

_Static_assert(sizeof(struct tp_names_entry) == 192, "entries are frozen: three cache lines");
_Static_assert(offsetof(struct tp_names_entry, name) == 64 && offsetof(struct tp_names_entry, type) == 128, "as above");
_Static_assert(offsetof(struct tp_names, low) == 64 && offsetof(struct tp_names, head) == 4096, "the header is a page");
_Static_assert(offsetof(struct tp_names, claim) == 4096 + 8 * TP_NAMES_BUCKETS, "frozen");
_Static_assert(offsetof(struct tp_names, entry) == 4096 + 8 * (TP_NAMES_BUCKETS + TP_NAMES_ENTRIES + TP_NAMES_ENTRIES / 64), "frozen");
_Static_assert(sizeof(struct tp_names) <= TP_AREA_HEAP_META_OFF - TP_AREA_NAMES_OFF, "the area has room");

#endif
