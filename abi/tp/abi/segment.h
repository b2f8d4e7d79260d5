/* SPDX-License-Identifier: MIT */
/*
 * The group segment: mapped MAP_SHARED at TP_SEGMENT_BASE in the group and in every satellite. Two files stand side by side:
 *
 *   TP_SEGMENT_BASE   a sealed memfd of TP_SEGMENT_SIZE, which the supervisor reads as well: struct tp_segment, at registry_off the
 *                     program registry, then the areas of libtp's own state (areas[])
 *   TP_HEAP_BASE      the heap's memory: a file on a tmpfs of its own where that gives huge pages, else a memfd
 *
 * An area's content is valid when it is all zero: making the files makes the state.
 *
 * Every byte is writable by every program: the supervisor copies a field once and validates it before use,
 * and keeps its own copy of whatever decides.
 */
#ifndef TP_ABI_SEGMENT_H
#define TP_ABI_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "tp/abi/layout.h"

#define TP_SEGMENT_MAGIC	UINT64_C(0x3130474553505400)	/* the bytes "\0TPSEG01" */
#define TP_ABI_MAJOR		0
#define TP_ABI_MINOR		1
#define TP_FEATURE_AREAS	UINT64_C(1)	/* areas[], deaths[], sleepers: what libtp needs */
#define TP_REGISTRY_MAX		2048
#define TP_NAME_MAX		64

/* owner[] values besides program ids (ids are >= 1 << TP_ID_INDEX_BITS) */
#define TP_OWNER_NONE		UINT64_C(0)
#define TP_OWNER_RESERVED	UINT64_C(1)

/* A program id is never reused: serial << 16 | registry index. */
#define TP_ID_INDEX_BITS	16
#define TP_ID_INDEX(id)		((uint32_t)((id) & 0xffff))

enum tp_program_state {
	TP_PROGRAM_FREE = 0,
	TP_PROGRAM_STARTING = 1,
	TP_PROGRAM_RUNNING = 2,
	TP_PROGRAM_LEFT = 3,		/* it called execve: same pid, its memory is gone */
	TP_PROGRAM_DEAD = 4,		/* reaped; its memory is being returned */
	TP_PROGRAM_LINGERING = 5,	/* reaped; its memory stays until it is asked for, or the group ends */
};

/* tp_program.events: set by the routed calls, then the bit in rung[], then the doorbell is rung. */
#define TP_EVENT_EXEC		0x1u	/* about to execve: look whether the process leaves the group */
#define TP_EVENT_FATAL		0x2u	/* the fatal-signal handler ran */
#define TP_EVENT_WARN		0x4u	/* tp_program.warnings changed */
#define TP_EVENT_STARTED	0x8u	/* it runs its first instruction next, and somebody watches */

/* tp_program.warnings: what the routine found out about the program's libc */
#define TP_WARN_LIBC_UNKNOWN	0x1u	/* no known way to keep its single-thread shortcut off (or glibc < 2.32) */
#define TP_WARN_UNROUTED	0x2u	/* some wanted system-call sites could not be rewritten */
#define TP_WARN_NOT_PATCHED	0x4u	/* the host forbids rewriting text: brk guard only */

/* tp_program.kind */
#define TP_KIND_MEMBER		0u	/* runs in the group's address space */
#define TP_KIND_SATELLITE	1u	/* an ordinary process that has attached to the group segment */

#define TP_OUTSIDE_MAX		48
#define TP_AIO_MAX		16
#define TP_EXTRA_UNITS_MAX	32

struct tp_range {
	uint64_t addr;
	uint64_t len;
};

/* A descriptor that the program lets others copy, under a key of its own. */
struct tp_noted_fd {
	uint64_t key;			/* 0: free */
	int32_t fd;			/* + 1 */
	uint32_t reserved;
};

#define TP_NOTED_FDS		8

/* One registry entry. Written by the supervisor (upper part) and by the program's routed calls (lower part). */
struct tp_program {
	uint64_t id;			/* 0: never used */
	uint32_t state;			/* enum tp_program_state */
	int32_t pid;			/* in the supervisor's pid namespace */
	uint32_t unit;			/* first unit */
	uint32_t wait_status;		/* as waitpid() gives it, once DEAD or LINGERING */
	int64_t start_ns;		/* CLOCK_BOOTTIME */
	int64_t exit_ns;
	char name[TP_NAME_MAX];		/* unique among the live: "bash", "bash.2" */

	uint32_t events;		/* TP_EVENT_* */
	uint32_t vforks;		/* children were made that share the address space */
	uint32_t extra_units_n;		/* units taken by the routine beyond the first */
	uint32_t outside_lost;		/* out-of-slot mappings that found no room below */
	uint32_t outside_n;		/* how often an entry of outside[] was taken: none behind the first outside_n is used */
	uint32_t aio_n;
	uint32_t extra_units[TP_EXTRA_UNITS_MAX];
	struct tp_range outside[TP_OUTSIDE_MAX];	/* recorded BEFORE the call; len 0: free */
	uint64_t aio[TP_AIO_MAX];			/* live aio contexts; 0: free */
	uint64_t pages;			/* pages mapped in the slot, as the routine counts them */
	uint64_t fatal_addr;		/* with TP_EVENT_FATAL */
	uint32_t fatal_signal;
	uint32_t fatal_tid;
	uint32_t started;		/* 1: the child jumped to the program's first instruction */
	uint32_t start_stage;		/* enum tp_host_stage that failed before that */
	int32_t start_error;		/* negative errno */
	uint32_t start_detail;
	uint32_t warnings;		/* TP_WARN_* */
	uint32_t kind;			/* TP_KIND_* */
	uint64_t chan_busy;		/* the channel that it is entering or leaving: others do not free it meanwhile (libtp/chan-life.c) */
	struct tp_noted_fd noted[TP_NOTED_FDS];	/* libtp/fds.c */
	uint8_t reserved[352];
};

/* Who owns what of libtp's state in the segment: see abi/tp/abi/ for each. */
enum tp_area_kind {
	TP_AREA_COUNTERS,	/* counters.h: one TP_COUNTERS_STRIDE a registry entry, cleared by the program that is given the entry */
	TP_AREA_NAMES,		/* names.h */
	TP_AREA_HEAP_META,	/* heap.h: everything about the heap that is not a block */
	TP_AREA_HEAP,		/* the blocks */
	TP_AREA_PRIVATE_HEAP,	/* not of the segment: the region of --shared-malloc at TP_PRIVATE_HEAP_BASE; size 0: the group has none */
	TP_AREAS = 8
};

struct tp_area {
	uint64_t off;		/* from TP_SEGMENT_BASE */
	uint64_t size;		/* bytes; 0: the group has none */
	uint64_t reserved;
};

#define TP_DEATH_WORDS		16
#define TP_CONTROL_PATH_MAX	112
#define TP_CONTROL_UNNAMED_MAX	16

struct tp_segment {
	uint64_t magic;
	uint16_t abi_major;
	uint16_t abi_minor;
	uint32_t header_size;		/* sizeof(struct tp_segment) of the maker */
	uint64_t features;		/* TP_FEATURE_* that the group has */
	uint64_t base;			/* TP_SEGMENT_BASE */
	uint64_t size;			/* bytes of the memfd, at most TP_SEGMENT_SIZE */
	uint64_t registry_off;		/* from base */
	uint32_t registry_count;
	uint32_t registry_stride;	/* sizeof(struct tp_program) of the maker */
	int32_t supervisor_pid;
	int32_t host_pid;
	uint32_t doorbell;		/* futex (never PRIVATE): +1 and wake after setting rung[] */
	uint32_t registry_used;		/* no entry at or behind this index was ever given out; 0: not told */
	char group[TP_NAME_MAX];
	uint64_t owner[TP_UNITS];	/* program id, TP_OWNER_NONE or TP_OWNER_RESERVED */
	/* Of the routine alone (loader/host/fork.c, fatal.c); here so that a fork does not copy them. */
	uint64_t fork_lock;		/* thread id << 32 | low half of the program's id; 0: free */
	uint32_t dump_lock;		/* thread id */
	uint32_t reserved1;
	uint8_t dirty[TP_UNITS];	/* something was mapped since the unit was marked */
	uint8_t marked[TP_UNITS];	/* MADV_DONTFORK */
	/*
	 * Sleepers wait for two words at once: the one that they want to change, and deaths[own registry index % TP_DEATH_WORDS]. On
	 * any death the supervisor sets the registry state, then adds 1 to every deaths[], then wakes those whose bit is in `sleepers`.
	 */
	uint32_t deaths[TP_DEATH_WORDS];
	uint64_t sleepers;		/* bit n: somebody waits, or has waited, for deaths[n] */
	uint32_t arrivals;		/* +1 when a program has become RUNNING */
	uint32_t watchers;		/* eventfds that the supervisor writes on arrivals and deaths; 0: it need not be told of an arrival */
	char control[TP_CONTROL_PATH_MAX];	/* path of the control socket */
	struct tp_area areas[TP_AREAS];
	char control_unnamed[TP_CONTROL_UNNAMED_MAX];	/* the same behind an abstract address, without its leading NUL; "": there is none */
	uint64_t rung[TP_REGISTRY_MAX / 64];	/* bit n: entry n has events that the supervisor has not seen */
	uint8_t reserved[352];
};

#define TP_SEGMENT_REGISTRY_OFF	UINT64_C(0x10000)
#define TP_SEGMENT_SIZE		UINT64_C(0x40000000)	/* mostly holes */

#define TP_AREA_COUNTERS_OFF	UINT64_C(0x800000)
#define TP_AREA_NAMES_OFF	UINT64_C(0x1000000)
#define TP_AREA_HEAP_META_OFF	UINT64_C(0x8000000)

/* A program's identity in 31 bits, for lock words and slab owners: serial mod 2^20 << 11 | registry index; never 0, never all ones
 * (the supervisor skips serials that are 0 mod 2^20). It comes round after 2^20 launches. */
#define TP_TAG(id)		((uint32_t)((((id) >> TP_ID_INDEX_BITS) & 0xfffff) << 11 | ((id) & 0x7ff)))
#define TP_TAG_INDEX(tag)	((tag) & 0x7ffu)

_Static_assert(sizeof(struct tp_segment) <= TP_SEGMENT_REGISTRY_OFF, "header fits before the registry");
_Static_assert(TP_SEGMENT_REGISTRY_OFF + sizeof(struct tp_program) * TP_REGISTRY_MAX <= TP_SEGMENT_SIZE, "registry fits");
_Static_assert(TP_SEGMENT_REGISTRY_OFF + sizeof(struct tp_program) * TP_REGISTRY_MAX <= TP_AREA_COUNTERS_OFF, "areas come behind it");
_Static_assert(sizeof(struct tp_segment) == 136 + 8 * TP_UNITS + 16 + 2 * TP_UNITS + 1008, "the header's size is frozen");
_Static_assert(offsetof(struct tp_segment, owner) == 136, "owner[] is frozen");

#endif
