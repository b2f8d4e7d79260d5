/* SPDX-License-Identifier: MIT */
/*
 * Channels from the inside: what chan*.c and lane*.c share.
 *
 *	chan.c        create, take over, destroy
 *	chan-recv.c   take and acknowledge
 *	chan-wait.c   sleep and wake, of both sides; ends of producers
 *	chan-fence.c  the fence that makes the other side's cheap
 *	chan-fd.c     eventfds
 *	chan-life.c   who may look at a channel, and who frees it
 *	lane.c        open and close
 *	lane-send.c   send
 *
 * THE LANE. Layout: abi/tp/abi/chan.h. Invariants, at every instruction of everybody:
 *
 *	slots hold messages acked..head-1, each with the lap bit of its count, and perhaps leftovers of acked-capacity..acked-1, with the
 *	other lap bit; acked <= taken <= head <= acked + capacity; sent is head, or lags while its producer is in a call
 *
 *	producer                                         consumer
 *	a: slot[head] == 0?              (acquire)       d: slot[taken], right lap?            (acquire)
 *	b: slot[head] = message          (release)       e: taken++                            (relaxed; before the caller sees it)
 *	c: sent = ++head                 (relaxed)       ...
 *	                                                 f: acked = n                          (release)
 *	                                                 g: slot[old acked .. n-1] = 0         (release)
 *
 * b is met by d: the receiver sees what the sender wrote. g is met by a: what was lent is not used any more, and f comes before g.
 *
 * Death of the producer: before b there is no message, from b on there is; its lane is empty when slot[taken] is none. Nobody writes a
 * slot of another producer, so nothing is half done. The successor of a lane starts with head = acked, when all is acknowledged.
 * Death of the consumer: all that counts is `acked`. What it left of g is told from new messages by the lap and cleared by its successor;
 * acked..taken-1 are handed out again and said to be repeats, since e comes before the caller sees the message.
 *
 * Known weakness: a consumer that is killed between acknowledging and freeing a block that it was given leaks that block; one that frees
 * before it acknowledges hands a freed block to its successor.
 */
#ifndef TPI_CHAN_H
#define TPI_CHAN_H

#include <errno.h>

#include "core.h"
#include "tp/abi/chan.h"
#include <tp/chan.h>

enum {
	TPI_CHAN_BURST = 64,		/* messages of one lane before the next one's turn */
	TPI_CHAN_SPIN = 400,		/* looks before a sleep */
	TPI_CHAN_SPIN_HARD = 100,	/* of these, how many without a pause */
	TPI_CHAN_SPIN_AGAIN = 64,	/* after so many sleeps looking around is tried again */
};

/* Of this process; wiped in a forked child. */
struct tpi_chan_process {
	uint32_t lock;		/* private spin lock around tp_program.chan_busy: a killed thread takes its process with it */
	uint32_t fd_lock;	/* around fds[] */
	uint32_t how;		/* enum in chan-fence.c */
	uint32_t fd_keys;
	uint32_t fd_next;
	struct {
		uint64_t owner, key;
		int fd;
	} fds[64];
};

/* Made on first use. NULL: no memory. */
struct tpi_chan_process *tpi_chan_process(void) TPI_HIDDEN;

/* chan-fence.c. All of what was stored before by this thread is seen by whoever has not looked yet, and the reverse. False: cannot be
 * had here; both sides are to execute a fence. */
bool tpi_chan_heavy_fence(void) TPI_HIDDEN;
/* Does this process have to execute fences, being outside the group's address space? Registers with membarrier on first use. */
bool tpi_chan_light_needs_fence(void) TPI_HIDDEN;
bool tpi_chan_can_heavy(void) TPI_HIDDEN;

/* The light side: between a store that a sleeper looks at and the look at whether somebody sleeps. `fence`: it cannot be light. */
static inline void tpi_chan_light_fence(bool fence)
{
	if (tpi_unlikely(fence))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline uint64_t tpi_lap(const struct tp_lane *l, uint64_t count)
{
	return count & l->capacity ? TP_SLOT_LAP : 0;
}

static inline uint64_t *tpi_slot(struct tp_lane *l, uint64_t count)
{
	return &l->slot[count & (l->capacity - 1)];
}

static inline struct tp_lane *tpi_lane(const struct tp_chan *c, uint32_t index)
{
	return (struct tp_lane *)(uintptr_t)__atomic_load_n(&c->lane[index], __ATOMIC_ACQUIRE);
}

/* The message `count`, or 0: it is not there (yet), or the slot still holds the one of a lap before. */
static inline uint64_t tpi_message(struct tp_lane *l, uint64_t count)
{
	uint64_t word = __atomic_load_n(tpi_slot(l, count), __ATOMIC_ACQUIRE);

	return word && (word & TP_SLOT_LAP) == tpi_lap(l, count) ? word : 0;
}

/* Could this be a handle at all? Keeps NULL and pointers of elsewhere from being followed. (Rotated: aligned AND near is one comparison.) */
static inline bool tpi_chan_plausible(const void *p)
{
	uint64_t distance = (uint64_t)(uintptr_t)p - TP_HEAP_BASE;

	return (distance >> 6 | distance << 58) < TP_HEAP_MAX >> 6;
}

/* The absolute end of a time-out; TP_NOWAIT and TP_FOREVER stay. */
static inline int64_t tpi_chan_deadline(int64_t timeout)
{
	return timeout == TP_NOWAIT ? TP_NOWAIT : tpi_deadline(timeout);
}

/*
 * One comparison for all: attached, in the heap, and aligned, as tpi_lock_near. False for a lane of few slots at the heap's very end, too:
 * that is left to tpi_lane_refuse.
 */
static inline bool tpi_chan_near(const void *p)
{
	uint64_t distance = (uint64_t)(uintptr_t)p - TP_HEAP_BASE;

	return (distance >> 6 | distance << 58) < tpi_self.lock_reach >> 3;
}

/* Is this program its consumer, its producer? (A pointer to something else in the heap hardly has this program's tag there.) */
static inline bool tpi_chan_is_mine(const struct tp_chan *c)
{
	return tpi_likely(tpi_chan_near(c)) && tpi_likely(__atomic_load_n(&c->consumer, __ATOMIC_RELAXED) == tpi_self.tag);
}

static inline bool tpi_lane_is_mine(const struct tp_lane *l)
{
	return tpi_likely(tpi_chan_near(l)) && tpi_likely(__atomic_load_n(&l->owner, __ATOMIC_RELAXED) == tpi_self.tag);
}

/* What is wrong with this handle? 0: nothing, after all. */
int tpi_chan_refuse(const struct tp_chan *c) TPI_HIDDEN __attribute__((cold));
int tpi_lane_refuse(const struct tp_lane *l) TPI_HIDDEN __attribute__((cold));

static inline int tpi_chan_mine(const struct tp_chan *c)
{
	return tpi_likely(tpi_chan_is_mine(c)) ? 0 : tpi_chan_refuse(c);
}

static inline int tpi_lane_mine(const struct tp_lane *l)
{
	return tpi_likely(tpi_lane_is_mine(l)) ? 0 : tpi_lane_refuse(l);
}

/* Does this memory hold a channel that this library can work with? With its lanes. */
bool tpi_chan_valid(const struct tp_chan *c) TPI_HIDDEN;

/* chan-wait.c */
/* Wakes the consumer, in whichever way it waits; `attention` is what was just read. */
void tpi_chan_ring(struct tp_chan *c, uint32_t attention) TPI_HIDDEN;
/* After a change that the consumer must notice. */
void tpi_chan_changed(struct tp_chan *c) TPI_HIDDEN;
/* Wakes a producer that waits for room, if one does. */
void tpi_lane_room(struct tp_lane *l) TPI_HIDDEN;
/* Sleeps until the lane has room, or there may be another reason not to. 0: look again; -ETIMEDOUT. */
int tpi_lane_wait_room(struct tp_lane *l, int64_t deadline) TPI_HIDDEN;
/* The consumer waits for a message or other news. 0: look again; -ETIMEDOUT. */
int tpi_chan_wait_news(struct tp_chan *c, int64_t deadline) TPI_HIDDEN;
/* The consumer has emptied a full burst without a sleep. */
void tpi_chan_busy(struct tp_chan *c) TPI_HIDDEN;
/* Is there a message or a notice? Looks at everything. */
bool tpi_chan_has_news(struct tp_chan *c) TPI_HIDDEN;
/*
 * Notices who has come, closed or died, and frees lanes. 0: nothing to tell; -EOWNERDEAD (*ret_dead: who) or -EPIPE, each once.
 * Only when no lane has a message.
 */
int tpi_chan_notices(struct tp_chan *c, tp_id *ret_dead) TPI_HIDDEN;
/* After a lane's owner has become 0: wakes who waits for one. */
void tpi_lane_freed(struct tp_chan *c) TPI_HIDDEN;
/* Frees the lane if its producer is gone and all is acknowledged. */
void tpi_lane_retire(struct tp_chan *c, struct tp_lane *l) TPI_HIDDEN;

/* chan-fd.c */
void tpi_chan_ring_fd(struct tp_chan *c, uint32_t attention) TPI_HIDDEN;
void tpi_chan_drop_fd(struct tp_chan *c) TPI_HIDDEN;
/* Of other programs' channels. */
void tpi_chan_close_fds(struct tpi_chan_process *p) TPI_HIDDEN;

/* chan-life.c */
/* Between these two nobody frees the channel. Not to be nested. */
void tpi_chan_enter(struct tpi_chan_process *p, struct tp_chan *c) TPI_HIDDEN;
void tpi_chan_leave(struct tpi_chan_process *p) TPI_HIDDEN;
/* Entered. Frees the channel if it is closed and nobody has it any more; it is not to be touched afterwards. */
void tpi_chan_free_if_last(struct tp_chan *c) TPI_HIDDEN;

/* chan.c. Empties all lanes for good: what was given and not handed out is freed. */
void tpi_chan_drain(struct tp_chan *c) TPI_HIDDEN;

/* "chan:" and the type. -EINVAL: too long. */
int tpi_chan_type(const char *type, char ret_type[64]) TPI_HIDDEN;

#endif
