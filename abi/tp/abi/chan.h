/* SPDX-License-Identifier: MIT */
/*
 * A channel in the group's heap, and its lanes.
 *
 * A producer has a lane of its own: a ring of words in which a word that is not 0 IS the message. The producer stores it, the consumer
 * acknowledges it by storing 0; neither reads the other's counters to go on. The word's bits:
 *
 *	63     the receiver owns the block from now on (given), else it is lent
 *	62     the lap: (count & capacity) != 0. Tells message n from message n - capacity in the same slot
 *	47..0  the pointer
 *
 * Counts never start again, whoever has the lane: lane index << 48 | count names a message for the life of the channel.
 * All counters are written by one side only, with plain stores, and may be read from outside at any time: depth = sent - acked.
 */
#ifndef TP_ABI_CHAN_H
#define TP_ABI_CHAN_H

#include <stddef.h>
#include <stdint.h>

#define TP_CHAN_MAGIC		UINT64_C(0x316e616863507400)	/* the bytes "\0tPchan1" */
#define TP_CHAN_LANES_MAX	1024
#define TP_CHAN_CAPACITY_MAX	(1u << 20)
#define TP_CHAN_TYPE_PREFIX	"chan:"		/* a channel of type T is published with type "chan:T" */

#define TP_SLOT_GIVEN		(UINT64_C(1) << 63)
#define TP_SLOT_LAP		(UINT64_C(1) << 62)
#define TP_SLOT_POINTER		((UINT64_C(1) << 48) - 1)
#define TP_LANE_ID_SHIFT	48

/* tp_chan.attention: 0 while the consumer runs and all is ordinary. */
#define TP_CHAN_ASLEEP		0x1u	/* the consumer sleeps on this word: clear the bit, then wake */
#define TP_CHAN_FD		0x2u	/* it waits for its eventfd: write, then clear the bit if nothing else has changed */
#define TP_CHAN_CLOSED		0x4u	/* for good */
#define TP_CHAN_SATELLITE	0x8u	/* the consumer is a satellite: pointers into slots are not for it */
#define TP_CHAN_FENCE		0x10u	/* the consumer cannot use membarrier, or sleeps too often for it: senders fence themselves */
#define TP_CHAN_AGAIN		0x20u	/* set with ASLEEP; who finds it alone clears it and wakes, too: the one before may stand still */
#define TP_CHAN_ARMED_ONE	0x100u	/* bits 8..31: how often the eventfd was armed */

/* tp_lane.owner: 0: free; else TP_TAG of the producer, and */
#define TP_LANE_CLOSING		0x80000000u	/* the producer has closed it with messages in it: the consumer empties and frees it */

/* tp_lane.room */
#define TP_LANE_ASLEEP		0x1u	/* the producer sleeps on this word until the lane has room: clear the bit, then wake */
#define TP_LANE_FENCE		0x2u	/* it cannot use membarrier: the consumer fences */

struct tp_lane {
	/* Changes when the lane changes hands. */
	uint64_t chan;		/* address of its struct tp_chan */
	uint64_t id_base;	/* index << TP_LANE_ID_SHIFT */
	uint64_t producer;	/* program id; 0: a producer that has not got further than `owner` */
	uint64_t start;		/* count with which that producer began */
	uint32_t owner;
	uint32_t room;		/* futex */
	uint32_t capacity;	/* slots, a power of two */
	uint32_t fence;		/* the producer does not share the group's address space: it fences itself */
	uint64_t reserved0[10];
	/* The producer's. */
	uint64_t sent;		/* count of the next message; may lag by the batch in which a producer was killed */
	uint64_t backpressure;	/* sends that found no room */
	uint64_t room_waits;	/* of these, how many slept */
	uint64_t reserved1[13];
	/* The consumer's. */
	uint64_t taken;		/* handed out up to here */
	uint64_t acked;		/* acknowledged up to here: stored BEFORE the slots become 0 */
	uint64_t repeat_until;	/* messages below this may have been handed out to a consumer that died */
	uint64_t redelivered;
	uint32_t ending;	/* the producer is gone and that has been said; free the lane once all is acknowledged */
	uint32_t reserved2;
	uint64_t reserved3[11];
	uint64_t slot[];
};

struct tp_chan {
	/* Never changes. */
	uint64_t magic;
	uint32_t version;	/* 1 */
	uint32_t capacity;	/* slots of each lane */
	uint32_t lanes_max;	/* entries of lane[] */
	uint32_t flags;		/* TP_CHAN_* of <tp/chan.h> */
	char name[64];
	char type[64];		/* with its prefix */
	uint64_t reserved0[13];
	/* Read by every send and every receive, seldom written. */
	uint32_t attention;	/* futex */
	uint32_t consumer;	/* TP_TAG; 0: none */
	uint64_t consumer_id;
	uint64_t fd_key;	/* of the consumer's eventfd; 0: it has none */
	uint32_t takeovers;	/* futex: +1 and wake when another consumer has come */
	uint32_t reserved1;
	uint64_t reserved2[12];
	/* Written by producers that come and go. */
	uint32_t changes;	/* +1 when a lane was opened or closed */
	uint32_t freed;		/* futex: +1 and wake when a lane was freed */
	uint32_t leaving;	/* how many try to free the channel: the first of them does it for all */
	uint32_t closed;	/* +1 BEFORE a producer frees its lane itself, since nothing is left in it */
	uint64_t reserved4[14];
	/* The consumer's own. */
	uint32_t lanes;		/* known entries of lane[] */
	uint32_t current;	/* the lane that is being emptied */
	uint32_t burst;		/* for how many messages more; never more than its ring can still hand out */
	uint32_t changes_seen;
	uint32_t deaths_seen;
	uint32_t spin;		/* looks before it sleeps; halved when they were in vain */
	uint32_t sleeps;	/* how often it has slept */
	uint32_t fence;		/* as in struct tp_lane */
	uint32_t to_tell;	/* a producer has closed, and the end of the last one is yet to be told */
	uint32_t fd;		/* its eventfd + 1, a number of its own process; 0: none */
	uint32_t restless;	/* sleeps since the last full burst */
	uint32_t closed_seen;	/* of closed; outlives a consumer */
	uint64_t reserved6[10];
	uint64_t lane[];	/* addresses; never 0 before one that is not; each is freed with the channel only */
};

_Static_assert(sizeof(struct tp_lane) == 384 && offsetof(struct tp_lane, sent) == 128 && offsetof(struct tp_lane, taken) == 256 &&
		offsetof(struct tp_lane, slot) == 384, "each side's counters have cache lines of their own");
_Static_assert(sizeof(struct tp_chan) == 640 && offsetof(struct tp_chan, attention) == 256 && offsetof(struct tp_chan, changes) == 384 &&
		offsetof(struct tp_chan, lanes) == 512 && offsetof(struct tp_chan, lane) == 640, "tp_chan is frozen");

#endif
