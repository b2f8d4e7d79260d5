/* SPDX-License-Identifier: MIT */
/*
 * The table of names: area TP_AREA_NAMES. All zero is an empty table.
 *
 *	bucket[hash].head --> entry[i] --next--> entry[j] --next--> 0
 *
 * A bucket has the chain of all entries whose name has its hash: the types of one name are in one chain. A chain is never changed in
 * place. Whoever changes it builds the new one beside it and puts it in place with one CAS of the head, whose upper bits count the
 * changes; entries that are the same in both are shared, if they stand behind the last difference, else copied. Hence:
 *
 *   as long as a head is unchanged, nothing that can be reached from it changes, is freed or is reused.
 *
 * A reader follows the chain, and looks at the head again: that is all. claim[] says which entries are in use, and by whom.
 *
 * Far behind the processor's own cache each step of a chain costs as much as a hundred instructions, so what was published last stands in
 * the bucket's own line once more, if name and type are short. `first` says which change that was; when it is not the one that the head
 * counts, those words are of no use, and the chain is followed. Nothing depends on them (libtp/names-first.c).
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
#define TP_NAMES_SHORT		4	/* words of a name and a type that stand in the bucket, too */
#define TP_NAMES_PAGE		64u	/* buckets of a page */

/* head: changes << 20 | index of the first entry; 0 ends */
#define TP_NAMES_HEAD(changes, index)	((uint64_t)(changes) << 20 | (index))
#define TP_NAMES_HEAD_INDEX(head)	((uint32_t)((head) & 0xfffff))
#define TP_NAMES_HEAD_CHANGES(head)	((uint64_t)(head) >> 20)

/* first: changes << 20 | TP_PUBLISH_KEEP; or who is writing what follows it: tag << 20 | TP_NAMES_BUSY */
#define TP_NAMES_BUSY			0x80000u
#define TP_NAMES_FIRST(changes, flags)	((uint64_t)(changes) << 20 | (flags))
#define TP_NAMES_FIRST_BUSY(tag)	((uint64_t)(tag) << 20 | TP_NAMES_BUSY)
#define TP_NAMES_FIRST_TAG(first)	((uint32_t)((first) >> 20))

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

struct tp_names_bucket {
	uint64_t head;
	uint64_t first;
	uint64_t ptr;		/* from here on as in the entry */
	uint64_t owner;
	uint64_t text[TP_NAMES_SHORT];	/* name, then type, each in as few words as hold it and a zero; then zeros */
};

struct tp_names {
	uint32_t changes;	/* futex (never PRIVATE) of those who wait for a name */
	uint32_t waiting;	/* 0: nobody sleeps on `changes`; else it stood at so much (<< 1 | 1) when the last one began to */
	uint8_t reserved0[56];
	uint32_t low;		/* hint: words of room[] below it are 0 */
	uint32_t fresh;		/* hint: entries from here on were never in use */
	uint32_t limit;		/* entries below it are given out; 0: as many as at first. Grows when they have run out */
	uint8_t reserved1[52];
	uint64_t paged[TP_NAMES_BUCKETS / TP_NAMES_PAGE / 64];	/* bit n of word w: one of the buckets of page 64 w + n was used; else all are 0 */
	uint8_t reserved2[3456];
	struct tp_names_bucket bucket[TP_NAMES_BUCKETS];
	uint64_t claim[TP_NAMES_ENTRIES];
	uint64_t room[TP_NAMES_ENTRIES / 64];	/* hint: bit n of word w: entry 64 w + n has been freed */
	struct tp_names_entry entry[TP_NAMES_ENTRIES];
};

_Static_assert(sizeof(struct tp_names_entry) == 192, "entries are frozen: three cache lines");
_Static_assert(offsetof(struct tp_names_entry, name) == 64 && offsetof(struct tp_names_entry, type) == 128, "as above");
_Static_assert(sizeof(struct tp_names_bucket) == 64, "buckets are frozen: one cache line");
_Static_assert(offsetof(struct tp_names, low) == 64 && offsetof(struct tp_names, paged) == 128, "frozen");
_Static_assert(offsetof(struct tp_names, bucket) == 4096, "the header is a page");
_Static_assert(offsetof(struct tp_names, claim) == 4096 + 64 * TP_NAMES_BUCKETS, "frozen");
_Static_assert(offsetof(struct tp_names, entry) == 4096 + 64 * TP_NAMES_BUCKETS + 8 * (TP_NAMES_ENTRIES + TP_NAMES_ENTRIES / 64), "frozen");
_Static_assert(sizeof(struct tp_names) <= TP_AREA_HEAP_META_OFF - TP_AREA_NAMES_OFF, "the area has room");

#endif
