/* SPDX-License-Identifier: MIT */
/*
 * Client <-> supervisor, over the SOCK_SEQPACKET control socket.
 *
 * Every message opens with struct tp_wire_head; `len` is that of the whole message and must equal what was
 * received. A client may have several requests under way; every reply and event carries the request's seq.
 * The supervisor copies, checks magic, version, type and length, and answers what it cannot take with
 * TP_WIRE_ERROR; a client that sends garbage, sends half, or never reads is dropped: it harms nobody.
 */
#ifndef TP_ABI_WIRE_H
#define TP_ABI_WIRE_H

#include <stdint.h>

#include "tp/abi/segment.h"

#define TP_WIRE_MAGIC		0x31575054u	/* "TPW1" */
#define TP_WIRE_VERSION		1
#define TP_WIRE_MESSAGE_MAX	0x4000		/* bytes of one message */
#define TP_WIRE_FDS_BATCH	253
#define TP_WIRE_BLOB_MAX	(16u << 20)	/* bytes of a launch's strings */
#define TP_WIRE_TEXT_MAX	512

enum tp_wire_type {
	/* client -> supervisor */
	TP_WIRE_LAUNCH = 1,	/* struct tp_wire_launch -> LAUNCHED or ERROR; later STOPPED, CONTINUED, EXITED, LEFT */
	TP_WIRE_FDS,		/* head only, and descriptors: more of the launch with the same seq */
	TP_WIRE_SIGNAL,		/* struct tp_wire_signal -> OK or ERROR */
	TP_WIRE_PS,		/* head -> one PROGRAM a program, then OK */
	TP_WIRE_INFO,		/* head -> struct tp_wire_info */
	TP_WIRE_STOP,		/* struct tp_wire_stop -> OK when the programs have ended, or ERROR */
	TP_WIRE_RECLAIM,	/* struct tp_wire_signal (signo ignored): give a lingering program's memory back */
	TP_WIRE_DONE,		/* head: this client launches no more, whatever MORE said -> OK */
	/* from libtp, of a program of the group or of an ordinary process of the same user */
	TP_WIRE_ATTACH,		/* struct tp_wire_attach -> ATTACHED and two descriptors: the sender becomes a satellite */
	TP_WIRE_LOOK,		/* head -> ATTACHED with id 0 and both descriptors, read-only */
	TP_WIRE_FD_PUT,		/* struct tp_wire_key and one descriptor: kept under (sender, key) until FD_DROP or the sender's death -> OK */
	TP_WIRE_FD_GET,		/* struct tp_wire_key -> FD_REPLY and one descriptor, or ERROR with -ENOENT */
	TP_WIRE_FD_DROP,	/* struct tp_wire_key -> OK, whether there was one or not */
	TP_WIRE_WATCH,		/* as FD_PUT, of an eventfd: besides, 1 is added to it on each arrival and death -> OK */
	TP_WIRE_DETACH,		/* head: the sender is no satellite any more -> OK */

	/* supervisor -> client */
	TP_WIRE_OK = 0x100,	/* head */
	TP_WIRE_ERROR,		/* struct tp_wire_error */
	TP_WIRE_LAUNCHED,	/* struct tp_wire_event: id, value = pid */
	TP_WIRE_EXITED,		/* struct tp_wire_event: id, value = wait status */
	TP_WIRE_STOPPED,	/* struct tp_wire_event: id, value = signal */
	TP_WIRE_CONTINUED,	/* struct tp_wire_event: id */
	TP_WIRE_PROGRAM,	/* struct tp_wire_program */
	TP_WIRE_INFO_REPLY,	/* struct tp_wire_info */
	TP_WIRE_NOTE,		/* struct tp_wire_error, status 0: a line for the user's stderr (warnings, ended descendants, crash lines) */
	TP_WIRE_BYE,		/* head: the group has ended; nothing follows */
	TP_WIRE_ATTACHED,	/* struct tp_wire_attached; [0] the segment, [1] its heap */
	TP_WIRE_FD_REPLY,	/* head and one descriptor */
};

struct tp_wire_head {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t len;
	uint32_t seq;
};

struct tp_wire_error {
	struct tp_wire_head head;
	int32_t status;			/* the exit status tprun should end with: 125, 126, 127 */
	int32_t error;			/* negative errno, or 0 */
	char text[TP_WIRE_TEXT_MAX];	/* NUL-terminated: "NAME: what could not be done: why (what to do)" */
};

#define TP_WIRE_LINGER		0x1u	/* keep the memory after the exit */
#define TP_WIRE_OWN_SESSION	0x2u	/* the caller is in another session: setsid */
#define TP_WIRE_CTTY		0x4u	/* descriptor 0 is a pty: make it the controlling terminal (with OWN_SESSION) */
#define TP_WIRE_ROOT		0x8u	/* a root directory descriptor comes after the cwd */
#define TP_WIRE_MORE		0x10u	/* more launches of this client follow: the group does not end before them */
#define TP_WIRE_SHARED_MALLOC	0x20u	/* refuse unless the group has the region of --shared-malloc */

struct tp_wire_launch {
	struct tp_wire_head head;
	uint32_t flags;			/* TP_WIRE_* */
	uint32_t argc, envc;		/* argc >= 1 is what the caller typed; argv[0] names the program */
	uint32_t blob_len;
	uint32_t nfds;			/* caller descriptors to install; they follow blob, cwd and root in SCM_RIGHTS order */
	int32_t pgid;			/* process group to join when in the caller's session; 0: a new one */
	int32_t sid;			/* the caller's session */
	uint32_t umask;
	int32_t nice;
	uint64_t sigmask;		/* bit n-1 = signal n blocked */
	uint64_t sigignore;
	uint64_t rlimits[16][2];	/* soft, hard; UINT64_MAX = unlimited */
	char name[TP_NAME_MAX];		/* wanted name; empty: basename of argv[0] */
	/*
	 * Descriptors: [0] the blob (a memfd sealed against writing, growing and shrinking), [1] the working directory (O_PATH or
	 * open directory), [2] with TP_WIRE_ROOT the root directory, then nfds caller descriptors.
	 * Blob: int32_t targets[nfds], ascending; then argc and envc NUL-terminated strings, back to back, and nothing else.
	 */
};

struct tp_wire_signal {
	struct tp_wire_head head;
	uint64_t id;			/* 0: every program that this connection launched */
	int32_t signo;
	uint32_t whole_group;		/* 1: to the program's process group */
};

struct tp_wire_stop {
	struct tp_wire_head head;
	uint32_t grace_ms;		/* between TERM and KILL */
	uint32_t all;			/* 1: every program, and then the group ends */
	char name[TP_NAME_MAX];		/* else this one (name or decimal pid) */
};

struct tp_wire_event {
	struct tp_wire_head head;
	uint64_t id;
	int64_t value;
};

struct tp_wire_program {
	struct tp_wire_head head;
	uint64_t id;
	int32_t pid;
	uint32_t state;			/* enum tp_program_state */
	uint32_t unit, nunits;		/* the first, and how many; the others need not be neighbours; a satellite has UINT32_MAX and 0 */
	uint64_t resident;		/* bytes in its units and outside ranges */
	uint32_t vmas;
	uint32_t wait_status;
	int64_t start_ns, exit_ns;	/* CLOCK_BOOTTIME, 0: not yet */
	char name[TP_NAME_MAX];
	uint32_t noutside;
	uint32_t kind;			/* TP_KIND_* */
	struct tp_range outside[TP_OUTSIDE_MAX];	/* besides the first unit: recorded mappings, further units */
};

struct tp_wire_attach {
	struct tp_wire_head head;
	uint16_t abi_major, abi_minor;	/* of the sender's libtp */
	uint32_t reserved;
	uint64_t features;		/* that it cannot do without */
};

struct tp_wire_attached {
	struct tp_wire_head head;
	uint64_t id;
	uint64_t heap_size;		/* bytes of the second file */
};

struct tp_wire_key {
	struct tp_wire_head head;
	uint64_t key;			/* the owner's choice */
	uint64_t owner;			/* FD_GET: the program that has put it; else 0 */
};

struct tp_wire_info {
	struct tp_wire_head head;
	int32_t supervisor_pid, host_pid;
	uint32_t programs;		/* live */
	uint32_t vmas;			/* of the whole address space */
	uint32_t max_map_count;
	uint32_t host_alive;
	int64_t start_ns;
	char group[TP_NAME_MAX];
	uint64_t owner_reserved[2];
};

#endif
