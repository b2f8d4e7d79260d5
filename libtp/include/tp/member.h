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
	TP_PEER_LINGERING = 4,	/* it has ended; its memory stays (tprun run --linger) */
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
	uint64_t reserved_more[2];	/* 0 */
};

enum tp_memory {
	TP_MEMORY_NONE = 0,	/* of nobody in the group */
	TP_MEMORY_PRIVATE = 1,	/* a program's own: ends with the program, and satellites cannot reach it */
	TP_MEMORY_HEAP = 2,	/* the group's heap: a block outlives its maker */
	TP_MEMORY_SEGMENT = 3,	/* the segment's own state */
	TP_MEMORY_SHARED_MALLOC = 4, /* the region of --shared-malloc */
};

struct tp_owner {
	tp_id id;		/* 0: none, or not known */
	uint32_t memory;	/* enum tp_memory */
	uint32_t alive;		/* 1: the owner runs */
	void *block;		/* heap: start of the block; NULL: not in a block that is in use */
	size_t size;		/* heap: its usable size in bytes */
	char name[TP_PEER_NAME_MAX];	/* of the owner; "" */
	uint64_t reserved[2];	/* 0 */
};

enum tp_event_kind {
	TP_EVENT_ARRIVED = 1,	/* it runs */
	TP_EVENT_DIED = 2,	/* it has ended or left */
};

struct tp_event {
	uint32_t kind;		/* enum tp_event_kind */
	int32_t wait_status;	/* DIED: as waitpid gives it; -1: not known, as of satellites, and of programs that left by executing a file */
	struct tp_peer_info peer;
	uint64_t reserved[2];	/* 0 */
};

struct tp_watch;

TP_BEGIN

/*
 * tp_connected - is this process in a group?
 *
 * Context: thread-safe, async-signal-safe once it has returned 0, does not block, does not allocate. In a forked child: -ENOTCONN.
 * Return: 0; -ENOTCONN: in none; -EPROTO: in one that this library cannot work with (tp_why names both versions). Since 0.1.
 */
TP_API int tp_connected(void);

/*
 * tp_self - this program's id.
 * @ret_id: never reused, and another one after a restart
 *
 * Context: as tp_connected.
 * Return: 0; -ENOTCONN; -EPROTO. Since 0.1.
 */
TP_API int tp_self(tp_id *ret_id);

/*
 * tp_peer - finds a program or satellite by its name, as tprun ps shows it ("bash", "bash.2").
 * @name: of the live one, else the youngest of those that have ended and whose entry has not been given to another yet
 *
 * Context: thread-safe, async-signal-safe, not in a forked child, does not block, does not allocate; looks at all entries.
 * Return: 0; -ENOENT: there is none; -EINVAL: name is NULL or empty; -ENOTCONN; -EPROTO. Since 0.1.
 */
TP_API int tp_peer(const char *name, struct tp_peer_info *ret_peer);

/*
 * tp_peer_by_id - what has become of the program or satellite with this id?
 *
 * Context: as tp_peer, but looks at one entry.
 * Return: 0; -ENOENT: never was, or its entry has been given to another since; -ENOTCONN; -EPROTO. Since 0.1.
 */
TP_API int tp_peer_by_id(tp_id id, struct tp_peer_info *ret_peer);

/*
 * tp_peers - the live programs and satellites, this one among them, in no order.
 * @ret_peers: room for `max`; may be NULL when max is 0
 *
 * Context: as tp_peer.
 * Return: how many there are in all, which may be more than max; -ENOTCONN; -EPROTO. Since 0.1.
 */
TP_API int tp_peers(struct tp_peer_info *ret_peers, size_t max);

/*
 * tp_owner_of - whose memory is this?
 * @ptr: any value; it is not followed
 * @ret_owner: filled in also with -EFAULT
 *
 * Memory of a slot or of the heap is found at once; what lies elsewhere (executables that are not position independent) takes a look at
 * all programs.
 *
 * Context: thread-safe, async-signal-safe, not in a forked child, does not block, does not allocate.
 * Return: 0; -EFAULT: of nobody in the group; -ENOTCONN; -EPROTO. Since 0.1.
 */
TP_API int tp_owner_of(const void *ptr, struct tp_owner *ret_owner);

/*
 * tp_watch_create - arrivals and deaths of programs and satellites from now on.
 * @ret_watch: this program's, for one thread at a time; to be given to tp_watch_destroy
 *
 * Context: thread-safe, not async-signal-safe, not in a forked child; asks the supervisor and waits for its answer; takes one descriptor.
 * Return: 0; -EMFILE: too many open files, or watches; -ENFILE: the supervisor can keep no more descriptors; -ENOMEM; -ETIMEDOUT, -EPIPE,
 * -ENOENT and others: the supervisor cannot be reached; -ENOTCONN; -EPROTO. Since 0.1.
 */
TP_API int tp_watch_create(struct tp_watch **ret_watch);

/*
 * tp_watch_fd - an eventfd for poll and epoll: readable when there may be news. Not to be read or closed by the caller.
 *
 * Context: thread-safe, async-signal-safe, does not block, does not allocate.
 * Return: the descriptor; -EINVAL: watch is NULL. Since 0.1.
 */
TP_API int tp_watch_fd(const struct tp_watch *watch);

/*
 * tp_watch_next - the next event, if there is one.
 *
 * Events are found by comparing the group with what was seen before, so a slow reader loses none: each ARRIVED that was told is followed
 * by its DIED. Of a program that came and went unseen both are told, unless its entry has been given to another meanwhile (there are
 * 2,048, used in turn). Events of different programs may come in another order than they happened.
 *
 * Context: one thread at a time, not async-signal-safe, not in a forked child, does not block, does not allocate.
 * Return: 1: an event; 0: none at present, and the eventfd is drained: wait for it; -EINVAL: watch is NULL; -ENOTCONN; -EPROTO. Since 0.1.
 */
TP_API int tp_watch_next(struct tp_watch *watch, struct tp_event *ret_event);

/*
 * tp_watch_destroy - closes the eventfd and frees the watch.
 * @watch: NULL is fine
 *
 * Context: as tp_watch_create; also in a forked child.
 * Return: NULL. Since 0.1.
 */
TP_API struct tp_watch *tp_watch_destroy(struct tp_watch *watch);

/*
 * tp_attach - makes this ordinary process, or forked child of a program, a satellite of a group.
 * @group: the name of one of this user's groups; a path with a '/', of the group's directory as it is seen here (a container); NULL: in a
 *         forked child its parent's group, else the only live one
 *
 * The group segment is mapped at its one address: heap, names, channels and locks work, and pointers into the segment are good here, too.
 * A pointer into a program's own memory is not, and is refused with that program's name. A satellite does not keep its group alive. It is
 * dead when its process has ended, so call tp_detach before executing another file. When the group itself has ended, nobody notices the
 * deaths of satellites that stay behind any more: what they hold is not given free, so wait with time-outs, or watch the group's programs.
 *
 * Context: not thread-safe, not async-signal-safe; asks the supervisor and waits for its answer; maps memory.
 * Return: 0; -EISCONN: this process is in a group already; -ENOENT: no such group, or none at all; -ENOTUNIQ: several live and none was
 * named; -EINVAL: no name of a group; -EADDRINUSE: something else is mapped where the segment has to be (tp_why says what); -EPROTO:
 * versions do not go together (tp_why names both); -EPERM: not one's own group, or this process is in a sandbox and the group is not;
 * -ENOSPC: the group is full; -ENOMEM: limits on memory (ulimit -v); -EMFILE; -ECONNREFUSED, -EPIPE, -ETIMEDOUT: the group has ended or
 * does not answer. Since 0.1.
 */
TP_API int tp_attach(const char *group);

/*
 * tp_detach - ends being a satellite. The segment is unmapped: no pointer into it may be used any more, by no thread. What the satellite
 * held counts as a dead program's.
 *
 * Context: as tp_attach; no other thread may be in a call of libtp.
 * Return: 0; -EPERM: this is a program of the group; -ENOTCONN. Since 0.1.
 */
TP_API int tp_detach(void);

TP_END
#endif
