/* SPDX-License-Identifier: MIT */
/* Channels: bounded queues of pointers from many producers (a lane each) to one consumer. */
#ifndef TP_CHAN_H
#define TP_CHAN_H

#include <tp/base.h>

struct tp_chan;		/* the consumer's end */
struct tp_lane;		/* a producer's end */

struct tp_chan_options {
	uint32_t size;		/* sizeof(struct tp_chan_options) */
	uint32_t capacity;	/* messages a lane, a power of two; 0: 1,024 */
	uint32_t lanes;		/* producers at once; 0: 64 */
	uint32_t flags;
	uint64_t reserved[4];
};

struct tp_message {
	void *ptr;
	uint64_t id;		/* lane and count: a repeat after a consumer's death has the id of the first */
	uint32_t given;		/* 1: the receiver owns it now; 0: lent until it is acknowledged */
	uint32_t repeated;	/* 1: it may have been delivered before */
	tp_id sender;
};

TP_BEGIN

/* Consumer. Creates the channel and publishes it, or, where its consumer has died, takes it over with everything unacknowledged.
 * -EEXIST: it has a live consumer; -EPROTOTYPE: other type. */
TP_API int tp_chan_create(const char *name, const char *type, const struct tp_chan_options *options, struct tp_chan **ret_chan);
TP_API int tp_chan_recv(struct tp_chan *c, int64_t timeout, struct tp_message *ret_message);	/* -EAGAIN (TP_NOWAIT), -ETIMEDOUT, -EPIPE, -EOWNERDEAD */
TP_API int tp_chan_recv_batch(struct tp_chan *c, int64_t timeout, struct tp_message *ret_messages, size_t max);	/* how many */
TP_API int tp_chan_ack(struct tp_chan *c, const struct tp_message *m);	/* this one and those of its lane before it */
TP_API int tp_chan_fd(struct tp_chan *c);	/* an eventfd for poll: arm with tp_chan_arm before waiting */
TP_API int tp_chan_arm(struct tp_chan *c);	/* 0: armed; 1: there is a message already, do not wait */
TP_API struct tp_chan *tp_chan_destroy(struct tp_chan *c);	/* closes: producers get -EPIPE; what lies in it is freed if given */

/* Producer. */
TP_API int tp_chan_open(const char *name, const char *type, int64_t timeout, struct tp_lane **ret_lane);
TP_API int tp_lane_send_give(struct tp_lane *l, void *ptr, int64_t timeout);	/* -EAGAIN, -ETIMEDOUT, -EPIPE (closed), -EOWNERDEAD (consumer died) */
TP_API int tp_lane_send_lend(struct tp_lane *l, void *ptr, int64_t timeout);
TP_API int tp_lane_send_batch_give(struct tp_lane *l, void *const *ptrs, size_t count, int64_t timeout);	/* how many */
TP_API int tp_lane_acknowledged(struct tp_lane *l, uint64_t *ret_count);	/* messages of this lane that were acknowledged */
TP_API struct tp_lane *tp_lane_close(struct tp_lane *l);

TP_END
#endif
