/* SPDX-License-Identifier: MIT */
/* The group and who is in it: this program, its peers, whose memory a pointer is, arrivals and deaths, satellites. */
#ifndef TP_MEMBER_H
#define TP_MEMBER_H

#include <tp/base.h>

#define TP_PEER_NAME_MAX 64

enum tp_peer_state {
	TP_PEER_STARTING = 1,
	TP_PEER_RUNNING = 2,
	TP_PEER_GONE = 3,	/* it has ended, or left the group by executing another file */
	TP_PEER_LINGERING = 4,	/* it has ended; its memory stays */
};

struct tp_peer_info {
	tp_id id;
	int32_t pid;		/* as the group's supervisor sees it */
	uint32_t state;		/* enum tp_peer_state */
	uint32_t satellite;	/* 1: an ordinary process that has attached */
	uint32_t reserved;
	int64_t start_ns;	/* CLOCK_BOOTTIME */
	int64_t exit_ns;	/* 0: it has not ended */
	char name[TP_PEER_NAME_MAX];
};

enum tp_memory {
	TP_MEMORY_NONE = 0,	/* of nobody in the group */
	TP_MEMORY_PRIVATE = 1,	/* in a program's slot: ends with the program */
	TP_MEMORY_HEAP = 2,	/* a block of the group's heap: outlives its maker */
	TP_MEMORY_SEGMENT = 3,	/* the segment's own state */
	TP_MEMORY_SHARED_MALLOC = 4, /* the region of --shared-malloc */
};

struct tp_owner {
	tp_id id;		/* 0: none, or not known */
	uint32_t memory;	/* enum tp_memory */
	uint32_t alive;		/* 1: the owner runs */
	void *block;		/* heap: start of the block; NULL: not in a block that is in use */
	size_t size;		/* heap: its usable size */
	char name[TP_PEER_NAME_MAX];	/* of the owner; "" */
};

TP_BEGIN

/* tp_connected - 0 in a group; else -ENOTCONN or -EPROTO, as every other call would return. */
TP_API int tp_connected(void);

/* tp_self - this program's id. */
TP_API int tp_self(tp_id *ret_id);

/* tp_peer - the program of a name ("bash", "bash.2"), the youngest of those that have had it; -ENOENT: there is none. */
TP_API int tp_peer(const char *name, struct tp_peer_info *ret_peer);

/* tp_peer_by_id - -ENOENT: never was, or its entry has been given to another. */
TP_API int tp_peer_by_id(tp_id id, struct tp_peer_info *ret_peer);

/* tp_peers - the live ones, this program among them, at most `max`. Return: how many there are in all. */
TP_API int tp_peers(struct tp_peer_info *ret_peers, size_t max);

/* tp_owner_of - whose memory is this? O(1). -EFAULT: of nobody in the group (*ret is filled in then, too). */
TP_API int tp_owner_of(const void *ptr, struct tp_owner *ret_owner);

enum tp_event_kind {
	TP_EVENT_ARRIVED = 1,
	TP_EVENT_DIED = 2,
};

struct tp_event {
	uint32_t kind;		/* enum tp_event_kind */
	int32_t wait_status;	/* DIED: as waitpid gives it */
	struct tp_peer_info peer;
};

struct tp_watch;

/* tp_watch_create - arrivals and deaths from now on. tp_watch_fd is an eventfd that is readable when there may be news. */
TP_API int tp_watch_create(struct tp_watch **ret_watch);
TP_API int tp_watch_fd(const struct tp_watch *watch);
/* tp_watch_next - 1: an event; 0: none at present (the eventfd is then drained). None is ever lost, however slow the reader. */
TP_API int tp_watch_next(struct tp_watch *watch, struct tp_event *ret_event);
TP_API struct tp_watch *tp_watch_destroy(struct tp_watch *watch);

/* tp_attach - makes this ordinary process, or forked child of a member, a satellite of a group. NULL: the only live one. */
TP_API int tp_attach(const char *group);
TP_API int tp_detach(void);

TP_END
#endif
