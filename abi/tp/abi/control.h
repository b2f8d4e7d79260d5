/* SPDX-License-Identifier: MIT */
/*
 * The control block at the base of a program's first unit: what its routed calls need.
 *
 * It is private memory: a forked child gets a copy and goes on with it, alone in its own address space. What the
 * supervisor must see lives in the registry (segment.h) instead.
 */
#ifndef TP_ABI_CONTROL_H
#define TP_ABI_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "tp/abi/segment.h"

#define TP_CONTROL_MAGIC	UINT64_C(0x314c4f5254435054)
#define TP_PATH_MAX		4096
#define TP_CONTROL_LAUNCH	0x10000	/* offset of the launch message, until the program has started */
#define TP_SHM_MAX		32
#define TP_HINTS		25

/* Where a search for room may start; see loader/host/hints.c. */
struct tp_hints {
	uint32_t frees;			/* +1 whenever pages become free */
	uint32_t any[TP_HINTS];		/* no free run of 1 << i pages starts below this page */
	uint32_t huge[TP_HINTS];	/* the same of runs that start at a multiple of 2 MiB */
};

struct tp_control {
	uint64_t magic;
	uint32_t size;			/* sizeof(struct tp_control) */
	uint32_t alone;			/* 1 in a forked child: the group is a private copy here */
	uint64_t id;
	uint64_t base;			/* of the first unit */
	uint64_t limit;			/* end of the first unit's mmap zone (the main stack lies above) */
	struct tp_program *program;	/* registry entry, in the segment */

	/* Lock-free counters of the routine; see loader/host/pages.c for the order of their stores. */
	uint64_t brk_start;
	uint64_t brk_now;
	uint64_t pages;			/* mapped pages, for RLIMIT_AS */
	uint64_t stubs_used;		/* bytes of the stub area handed out */
	struct tp_hints near_hints;	/* of the near zone */
	struct tp_hints hints;		/* of the mmap zone */
	uint32_t units_n;		/* extra units, with their bases below */
	uint32_t colour;		/* pages by which break and mmap zone are shifted */
	uint32_t dumpable;		/* what prctl(PR_GET_DUMPABLE) answers */
	uint64_t units[TP_EXTRA_UNITS_MAX];
	struct tp_range image;		/* a fixed-address executable, outside the units; len 0: none */

	uint64_t rlimit_as[2];		/* soft, hard: enforced here, unlimited in the kernel */
	uint64_t rlimit_data[2];
	uint64_t data_bitmap;		/* address; 0 until RLIMIT_DATA is first limited: which pages count */
	uint64_t data_pages;

	uint32_t mlock_future;
	uint32_t exe_len;
	struct tp_range libc_head;	/* the shared read-only part of the libc that is expected, already in its place */
	uint32_t libc_facts;		/* which one, and which interpreter: numbers in the host's table of texts, 0: none */
	uint32_t interp_facts;
	struct tp_range shm[TP_SHM_MAX];	/* attached SysV segments; len 0: free */
	char exe[TP_PATH_MAX];		/* realpath of the executable (inside its root) */
	uint8_t scratch[0x8000];	/* early start only: what the child must know, its descriptors */
};

_Static_assert(sizeof(struct tp_control) <= TP_CONTROL_LAUNCH, "control block leaves room for the launch message");

#endif
