/* SPDX-License-Identifier: MIT */
/*
 * Supervisor <-> host, over one SOCK_SEQPACKET pair (descriptor TP_HOST_FD in the host).
 *
 * One request, one reply, never two requests at once. Every message opens with struct tp_host_head; `len` is that
 * of the whole message. Descriptors travel with SCM_RIGHTS, at most TP_HOST_FDS_BATCH a message: a launch with
 * more is followed by TP_HOST_FDS messages until `nfds` have arrived.
 *
 * The host believes the supervisor. The supervisor believes nothing: it checks every reply.
 */
#ifndef TP_ABI_HOSTMSG_H
#define TP_ABI_HOSTMSG_H

#include <stdint.h>

#include "tp/abi/layout.h"

#define TP_HOST_MAGIC		0x48505454u
#define TP_HOST_VERSION		1
#define TP_HOST_FD		3	/* the socket */
#define TP_HOST_SEGMENT_FD	4	/* the group segment's memfd, closed by the host once mapped */
#define TP_HOST_HEAP_FD	5	/* the file behind the segment's heap; the same */
#define TP_HOST_FDS_BATCH	253
#define TP_HOST_MESSAGE_MAX	0x10000	/* bytes */

enum tp_host_op {
	TP_HOST_HELLO = 1,	/* host -> supervisor, once, unasked: struct tp_host_hello */
	TP_HOST_LAUNCH,		/* struct tp_host_launch -> struct tp_host_result, value = pid */
	TP_HOST_FDS,		/* only a head, and descriptors: more of the launch's */
	TP_HOST_RECLAIM,	/* struct tp_host_reclaim -> struct tp_host_result */
	TP_HOST_RESULT,
	TP_HOST_PING,		/* head -> result 0 */
};

struct tp_host_head {
	uint32_t magic;
	uint16_t version;
	uint16_t op;
	uint32_t len;
	uint32_t seq;		/* a result carries its request's */
};

struct tp_host_hello {
	struct tp_host_head head;
	int32_t pid;
	int32_t error;		/* 0, or negative errno: the host cannot work here (see `stage`) */
	uint32_t stage;		/* enum tp_host_stage */
	uint32_t can_patch;	/* text may be made writable and executable again (no MDWE, no execmod denial) */
	uint64_t vdso;		/* AT_SYSINFO_EHDR in the shared address space */
	uint64_t route_entry;	/* where stubs jump to */
	uint64_t brk;		/* the kernel's brk: a PROT_NONE page guards it */
};

enum tp_host_stage {
	TP_STAGE_NONE = 0,
	TP_STAGE_SEGMENT,	/* mapping the group segment */
	TP_STAGE_BRK_GUARD,
	TP_STAGE_CONTROL,	/* mapping the slot's control block, bitmap or stubs */
	TP_STAGE_IMAGE,		/* mapping a piece of the executable or interpreter: detail = map index */
	TP_STAGE_STACK,
	TP_STAGE_CLONE,
	TP_STAGE_RECEIVE,	/* descriptors or message */
	TP_STAGE_RECLAIM,
	TP_STAGE_STUB_NEAR,	/* no room for stubs within 2 GiB of a fixed-address image */
	/* in the child, before the program's first instruction (struct tp_program.start_stage) */
	TP_STAGE_CHILD_FDS,
	TP_STAGE_CHILD_CWD,
	TP_STAGE_CHILD_ROOT,
	TP_STAGE_CHILD_SESSION,
	TP_STAGE_CHILD_TTY,
	TP_STAGE_CHILD_RLIMIT,	/* detail = resource */
	TP_STAGE_CHILD_STACK,	/* reading the stack image */
	TP_STAGE_CHILD_PATCH,	/* rewriting system-call sites */
	TP_STAGE_CHILD_NICE,
	TP_STAGE_PRIVATE_HEAP,	/* before hello: mapping the region of --shared-malloc */
};

/* One mapping. The host maps it verbatim with MAP_FIXED_NOREPLACE. */
struct tp_host_map {
	uint64_t addr;
	uint64_t len;		/* page multiple */
	uint64_t off;		/* file offset, page multiple */
	uint64_t zero_at;	/* absolute address; zeroed by the child before it starts */
	uint64_t zero_len;
	uint32_t prot;		/* PROT_* */
	int32_t fd;		/* index into the launch's descriptors; -1: anonymous */
	uint32_t outside;	/* 1: not in the program's units (fixed-address image): the host records it in the registry first */
	uint32_t reserved;
};

/* An image whose text is scanned and rewritten by the child before it starts. */
enum tp_host_scan {
	TP_SCAN_NO = 0,
	TP_SCAN_CALLS = 1,	/* its system calls: ld.so, ld-musl (which is musl's libc), a run-time of its own */
	TP_SCAN_STATIC = 2,	/* the executable holds its libc */
};

struct tp_host_image {
	uint64_t bias;		/* load address - p_vaddr */
	uint32_t first_map, nmaps;
	int32_t fd;		/* index */
	uint32_t scan;		/* enum tp_host_scan */
};

#define TP_LAUNCH_NEW_SESSION	0x1u	/* setsid() */
#define TP_LAUNCH_CTTY		0x2u	/* then make descriptor 0 the controlling terminal */
#define TP_LAUNCH_SETPGID	0x4u	/* setpgid(0, pgid); pgid 0: its own group */
#define TP_LAUNCH_SETNICE	0x8u

#define TP_HOST_MAPS_MAX	128
#define TP_HOST_IMAGES_MAX	2
#define TP_RLIMITS		16

struct tp_host_launch {
	struct tp_host_head head;
	uint64_t id;
	uint32_t registry;	/* index; the supervisor has filled the entry's upper part */
	uint32_t unit;		/* first of nunits; owner[] is already set */
	uint32_t nunits;
	uint32_t flags;		/* TP_LAUNCH_* */
	uint64_t entry;		/* first instruction (of the interpreter, if any) */
	uint64_t sp;		/* initial stack pointer */
	uint64_t stack_image_at;	/* where the stack image's first byte goes */
	uint64_t stack_image_len;
	uint64_t stack_len;	/* bytes mapped at first, below and including the image; grows down */
	uint64_t stack_top;	/* end of the stack mapping, page multiple */
	uint32_t stack_prot;
	uint32_t nfds;		/* all descriptors of this launch, of all batches */
	int32_t fd_cwd;		/* index of a directory descriptor, -1: stay */
	int32_t fd_root;	/* chroot there, -1: none */
	int32_t fd_stack;	/* index of a memfd with the stack image at offset 0; -1: it follows inline */
	uint32_t fd_caller;	/* index of the first of ncaller descriptors to install */
	uint32_t ncaller;
	int32_t pgid;
	uint32_t umask;
	int32_t nice;
	uint64_t sigmask;	/* bit n-1 = signal n blocked */
	uint64_t sigignore;	/* bit n-1 = signal n ignored */
	uint32_t rlimit_set;	/* bit r: set resource r (AS and DATA: kept by the routine only) */
	uint32_t nmaps;
	uint32_t nimages;
	uint32_t exe_len;	/* bytes of the executable's path that follows, without NUL */
	uint64_t rlimits[TP_RLIMITS][2];	/* soft, hard */
	char comm[16];
	struct tp_host_image images[TP_HOST_IMAGES_MAX];
	/*
	 * then, each 8-aligned: struct tp_host_map maps[nmaps]; int32_t targets[ncaller] (ascending descriptor numbers);
	 * char exe[exe_len + 1]; the stack image unless fd_stack >= 0.
	 */
};

struct tp_host_reclaim {
	struct tp_host_head head;
	uint32_t nranges;
	uint32_t naio;
	/* then struct tp_range ranges[nranges]; uint64_t aio[naio] (destroyed first) */
};

struct tp_host_result {
	struct tp_host_head head;
	int32_t error;		/* 0 or negative errno */
	uint32_t stage;
	uint64_t value;
	uint64_t detail;
};

#endif
