/* SPDX-License-Identifier: MIT */
/*
 * Channels: bounded queues of pointers, from many producers to one consumer, in the group's memory.
 *
 * A channel is found by its name and the type of what its pointers point to. Each producer has a lane of its own in it: messages of a lane
 * arrive in order, lanes do not wait for each other, and a program that dies leaves nothing half done.
 *
 *	consumer                                            producer
 *	tp_chan_create("orders", "order@1", NULL, &c);      tp_chan_open("orders", "order@1", TP_FOREVER, &l);
 *	while (tp_chan_recv(c, TP_FOREVER, &m) == 0) {      order = tp_malloc(sizeof(*order)); …
 *		use(m.ptr);                                 tp_lane_send_give(l, order, TP_FOREVER);
 *		tp_chan_ack(c, &m);                         …
 *		tp_free(m.ptr);                             tp_lane_close(l);
 *	}
 *
 * Whose is it? `give`: the receiver's, from the moment it is received: it frees it. `lend`: the sender's; the receiver may use it until it
 * acknowledges the message, and the sender learns of that by tp_lane_acknowledged.
 *
 * Nothing is lost: a message stays in its lane until it is acknowledged. If the consumer dies, the program that creates the channel of that
 * name again gets all that was not acknowledged, also what its predecessor had received; that is marked `repeated`, and the id of a
 * message is the same each time. Acknowledge first, then free what was given: the other way round, a death in between hands
 * the successor a freed block.
 *
 * Programs that are stopped (SIGSTOP) are alive.
 */
#ifndef TP_CHAN_H
#define TP_CHAN_H

#include <tp/base.h>

struct tp_chan; /* the consumer's end */
struct tp_lane; /* a producer's end */

#define TP_CHAN_NO_SPIN	0x1u	/* never look around before a sleep: for many idle channels on few processors */

/*
 * Grows with later versions, each member with a meaning of 0. `size` is what the program was compiled with. Smaller than what the library
 * knows: the rest is 0. Larger: what lies beyond must be 0, or it is -EINVAL, since it asks for something that this library cannot do.
 */
struct tp_chan_options {
	uint32_t size;		/* sizeof(struct tp_chan_options) */
	uint32_t capacity;	/* messages a lane, unacknowledged ones among them: a power of two up to 1,048,576; 0: 1,024 */
	uint32_t lanes;		/* producers at once, up to 1,024; 0: 64 */
	uint32_t flags;		/* TP_CHAN_NO_SPIN */
	uint64_t reserved[4];	/* 0 */
};

struct tp_message {
	void *ptr;
	uint64_t id;		/* never used twice in the life of the channel; lane in bits 63..48, its count in the others */
	uint32_t given;		/* 1: the receiver owns it now; 0: lent until it is acknowledged */
	uint32_t repeated;	/* 1: it may have been received before, by a consumer that died */
	tp_id sender;
};

TP_BEGIN

/*
 * tp_chan_create - makes this program the consumer of a channel.
 *
 * @name     1 to 63 bytes of UTF-8 without control characters
 * @type     of what is sent, as in tp_publish; at most 58 bytes. Channels of one name and different types stand side by side.
 * @options  NULL: the defaults. Of no effect where the channel is taken over: it keeps its own.
 * @ret_chan the consumer's end. It belongs to this program, and is used by one thread at a time.
 *
 * If there is a channel of that name and type whose consumer has died, this program takes it over, with its producers, its
 * messages and everything that was not acknowledged.
 *
 * Context: thread-safe; not async-signal-safe; in a forked child -ENOTCONN; may block for a few system calls; allocates (group's heap).
 *
 * Return: 0; -EINVAL: name, type or options; -EEXIST: it has a live consumer; -ENOSPC: the heap, or the table of names, is full;
 * -EUCLEAN: what the name stands for has been overwritten; -ENOMEM; -EAGAIN: this program has more threads than libtp can tell apart.
 * Since 0.1.
 */
TP_API int tp_chan_create(const char *name, const char *type, const struct tp_chan_options *options, struct tp_chan **ret_chan);

/*
 * tp_chan_recv - takes the next message.
 *
 * @c           of this program
 * @timeout     ns; TP_NOWAIT, TP_FOREVER
 * @ret_message ptr, id, given, repeated, sender
 *
 * Context: one thread at a time for each channel; not async-signal-safe; in a forked child -ENOTCONN; blocks up to the time-out; does not
 * allocate. While there are messages it makes no system call.
 *
 * Return: 0; -EAGAIN: there is none (TP_NOWAIT); -ETIMEDOUT; -EPIPE: the last producer has closed its lane, and all was received: said
 * once, a further call waits for new producers; -EOWNERDEAD: a producer has died, and all of its messages were received: said
 * once for each, ret_message->sender is who; -EFAULT: in a satellite: the message has been taken and *ret_message is filled in, but its
 * pointer lies in the memory of a program of the group, whom tp_why names; -EINVAL, -EBADF: c is NULL, or not this
 * program's channel. Since 0.1.
 */
TP_API int tp_chan_recv(struct tp_chan *c, int64_t timeout, struct tp_message *ret_message);

/*
 * tp_chan_recv_batch - takes up to `max` messages that are there; waits only while there is none.
 *
 * All of one call are of one lane, in order: acknowledging the last acknowledges all.
 *
 * Context and errors: as tp_chan_recv. Return: how many, at least 1. Since 0.1.
 */
TP_API int tp_chan_recv_batch(struct tp_chan *c, int64_t timeout, struct tp_message *ret_messages, size_t max);

/*
 * tp_chan_ack - acknowledges a message, and those of its lane before it: they are gone from the channel.
 *
 * @m  as it was received; only its id is looked at
 *
 * What was lent is not to be used any more. Acknowledging again changes nothing.
 *
 * Context: as tp_chan_recv; does not block; makes a system call only to wake a producer that waits for room, or to free a lane.
 *
 * Return: 0; -EINVAL: no message that this channel has handed out; -EBADF: not this program's channel. Since 0.1.
 */
TP_API int tp_chan_ack(struct tp_chan *c, const struct tp_message *m);

/*
 * tp_chan_fd - an eventfd for poll, select and epoll.
 *
 * It becomes readable when a message or other news has come since tp_chan_arm. The loop: tp_chan_recv (TP_NOWAIT) until -EAGAIN;
 * tp_chan_arm; if that says 0, wait. Do not read it; it is closed by tp_chan_destroy.
 *
 * Context: as tp_chan_recv; talks to the supervisor on the first call.
 *
 * Return: the descriptor, >= 0, the same each time; -EMFILE, -ENFILE: no descriptor is left; -ECONNREFUSED or another error of connect: the
 * supervisor cannot be reached; -EINVAL, -EBADF: not this program's channel. Since 0.1.
 */
TP_API int tp_chan_fd(struct tp_chan *c);

/*
 * tp_chan_arm - about to wait for the eventfd.
 *
 * Context: as tp_chan_recv; two system calls.
 *
 * Return: 0: armed: wait; 1: there is something already: call tp_chan_recv; -EINVAL: no tp_chan_fd before; -EBADF. Since 0.1.
 */
TP_API int tp_chan_arm(struct tp_chan *c);

/*
 * tp_chan_destroy - closes the channel: producers get -EPIPE, the name is gone.
 *
 * What was given and not received is freed, if it is a block of the group's heap. What was received stays the receiver's. Memory is
 * freed when the last producer has closed its lane, too.
 *
 * Context: thread-safe against producers, not against other calls on the same channel; not async-signal-safe; may wait some milliseconds
 * for programs that are just opening or closing; frees. Return: NULL, always; NULL is fine. Since 0.1.
 */
TP_API struct tp_chan *tp_chan_destroy(struct tp_chan *c);

/*
 * tp_chan_open - makes this program, or thread, a producer: waits for the channel and takes a lane in it.
 *
 * @name, @type  as its consumer has created it
 * @timeout      ns, for the channel to exist with a live consumer, and for a lane to be free
 * @ret_lane     this program's until tp_lane_close; one thread at a time. A program may have many.
 *
 * Context: thread-safe; not async-signal-safe; in a forked child -ENOTCONN; blocks up to the time-out; allocates (group's heap).
 *
 * Return: 0; -ETIMEDOUT; with TP_NOWAIT: -ENOENT: no such channel, -EPROTOTYPE: there is one of this name, but not of this type
 * (tp_why names both), -EOWNERDEAD: its consumer has died, -ENOSPC: all lanes are in use; -ENOSPC also: the heap is full; -EINVAL: name or
 * type; -EUCLEAN: what the name stands for has been overwritten; -ENOMEM; -EAGAIN: this program has more threads than libtp can tell
 * apart. Since 0.1.
 */
TP_API int tp_chan_open(const char *name, const char *type, int64_t timeout, struct tp_lane **ret_lane);

/*
 * tp_lane_send_give - sends a pointer; the block is the receiver's from now on.
 *
 * @l        of this program
 * @ptr      not NULL; below 2^48. Any alignment; into the heap, or into this program's own memory as long as that stays.
 * @timeout  ns to wait for room. TP_NOWAIT: not at all. A lane whose consumer has died takes messages until it is full: its
 *           successor gets them.
 *
 * On failure the block stays the caller's.
 *
 * Context: one thread at a time for each lane; not async-signal-safe; in a forked child -ENOTCONN; blocks up to the time-out; does not
 * allocate. Makes a system call only if the consumer sleeps.
 *
 * Return: 0; -EAGAIN: the lane is full (TP_NOWAIT): the consumer is slower than this producer; -ETIMEDOUT: still full; -EPIPE: the
 * consumer has closed the channel; -EOWNERDEAD: the lane is full and the consumer has died: see tp_lane_wait_consumer; -EFAULT: the pointer
 * lies in a program's own memory, and receiver or sender is a satellite; -EINVAL: NULL, or no sendable pointer; -EBADF: not this
 * program's lane. Since 0.1.
 */
TP_API int tp_lane_send_give(struct tp_lane *l, void *ptr, int64_t timeout);

/*
 * tp_lane_send_lend - sends a pointer; the block stays the sender's, and must stay unchanged until it is acknowledged.
 *
 * Arguments, context, return: as tp_lane_send_give. Since 0.1.
 */
TP_API int tp_lane_send_lend(struct tp_lane *l, const void *ptr, int64_t timeout);

/*
 * tp_lane_send_batch_give - as `count` calls of tp_lane_send_give, at a fraction of the time.
 *
 * @timeout  ns, each time that the lane is full
 *
 * Context: as tp_lane_send_give. Return: how many were sent, from the first on; fewer than `count` when time ran out, or the consumer
 * has closed or died meanwhile: the rest stays the caller's. If none was sent: the errors of tp_lane_send_give. Since 0.1.
 */
TP_API int tp_lane_send_batch_give(struct tp_lane *l, void *const *ptrs, size_t count, int64_t timeout);

/* tp_lane_send_batch_lend - the same for tp_lane_send_lend. Since 0.1. */
TP_API int tp_lane_send_batch_lend(struct tp_lane *l, void *const *ptrs, size_t count, int64_t timeout);

/*
 * tp_lane_acknowledged - how many of the messages sent through this lane since it was opened have been acknowledged: they are so in order.
 *
 * Context: as tp_lane_send_give; does not block. Return: 0; -EINVAL; -EBADF: not this program's lane. Since 0.1.
 */
TP_API int tp_lane_acknowledged(struct tp_lane *l, uint64_t *ret_count);

/*
 * tp_lane_wait_consumer - waits until the channel has a live consumer (again).
 *
 * Context: as tp_lane_send_give. Return: 0: it has one; -ETIMEDOUT; -EOWNERDEAD: it has none (TP_NOWAIT); -EPIPE: it was closed, and will
 * have none; -EINVAL, -EBADF: not this program's lane. Since 0.1.
 */
TP_API int tp_lane_wait_consumer(struct tp_lane *l, int64_t timeout);

/*
 * tp_lane_close - nothing more will come through this lane; what was sent stays sent.
 *
 * The lane can be opened again at once if all that was sent is acknowledged, else when the consumer has received and acknowledged it.
 * A producer that ends without this is reported to the consumer as dead. Context: as tp_chan_destroy. Return: NULL, always; NULL is fine.
 * Since 0.1.
 */
TP_API struct tp_lane *tp_lane_close(struct tp_lane *l);

TP_END
#endif
