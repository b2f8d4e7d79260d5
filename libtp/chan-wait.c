/* SPDX-License-Identifier: MIT */
/*
 * Sleeping and waking, of both sides, and what a consumer is told besides messages.
 *
 * Sleepers set a bit in a word that the other side looks at after each send (attention) or acknowledgement (room), then execute the
 * heavy fence, then look once more: chan-fence.c has the argument. Who wakes clears the bit first, so that of many senders one makes the
 * system call; if it is killed between the two, the supervisor's announcement of that death wakes the sleeper (core.h, tpi_wait). If it
 * is stopped there, the next send of anybody finds AGAIN, which was set with ASLEEP, and wakes in its stead. (FUTEX_WAKE_OP, which clears
 * and wakes in one call, was tried: it makes a sleeping round trip 5 % slower.)
 *
 * Known weakness: two senders that are both stopped in these two instructions leave the consumer asleep until one goes on.
 *
 * A sleep is made cheap where there are many of them, each with a wake soon after: a consumer that has slept several times without a full
 * burst in between sets TP_CHAN_FENCE, once with the heavy fence. From then on senders, whose sends are few, fence themselves, and its
 * sleeps need no system call for that. A full burst takes it back. (A short sleep on the one word with a time-out, before the one on two
 * words, was tried: setting the timer takes longer than the second word.)
 *
 * Ends of producers are found by looking at all lanes, and only when `changes` (a lane was opened or closed) or the count of deaths
 * differs from what was last seen.
 */
#include <limits.h>

#include "chan.h"
#include "counters.h"
#include "relax.h"

enum { SLICE_NS = 20000000, RESTLESS = 8 };

static void clear_and_wake(uint32_t *word, uint32_t bit)
{
	if (__atomic_fetch_and(word, ~bit, __ATOMIC_ACQ_REL) & bit)
		tpi_wake(word, 1);
}

void tpi_chan_ring(struct tp_chan *c, uint32_t attention)
{
	if (attention & TP_CHAN_ASLEEP)
		clear_and_wake(&c->attention, TP_CHAN_ASLEEP);
	else if (attention & TP_CHAN_AGAIN)
		clear_and_wake(&c->attention, TP_CHAN_AGAIN);
	if (attention & TP_CHAN_FD)
		tpi_chan_ring_fd(c, attention);
}

void tpi_chan_changed(struct tp_chan *c)
{
	__atomic_fetch_add(&c->changes, 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the heavy fence of the sleeper */
	tpi_chan_ring(c, __atomic_load_n(&c->attention, __ATOMIC_RELAXED));
}

void tpi_lane_room(struct tp_lane *l)
{
	uint32_t room = __atomic_load_n(&l->room, __ATOMIC_RELAXED);

	if (room & TP_LANE_FENCE) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the producer's in tpi_chan_heavy_fence */
		room = __atomic_load_n(&l->room, __ATOMIC_RELAXED);
	}
	if (room & TP_LANE_ASLEEP)
		clear_and_wake(&l->room, TP_LANE_ASLEEP);
}

/* As tpi_wait; where no membarrier makes sure of the other side, for a slice only. */
static int sleep_on(uint32_t *word, uint32_t value, uint32_t deaths, int64_t deadline)
{
	int64_t slice;
	int r;

	if (tpi_chan_can_heavy())
		return tpi_wait(word, value, deaths, deadline);
	slice = tpi_now() + SLICE_NS;
	if (deadline != TP_FOREVER && deadline <= slice)
		return tpi_wait(word, value, deaths, deadline);
	r = tpi_wait(word, value, deaths, slice);
	return r == -ETIMEDOUT ? 0 : r;
}

static void clear(uint32_t *word, uint32_t bit)
{
	if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit)
		__atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
}

static bool producer_has_reason(struct tp_lane *l)
{
	const struct tp_chan *c = (const struct tp_chan *)(uintptr_t)l->chan;

	return !__atomic_load_n(tpi_slot(l, l->sent), __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&c->attention, __ATOMIC_ACQUIRE) & TP_CHAN_CLOSED ||
	       !tpi_tag_alive(__atomic_load_n(&c->consumer, __ATOMIC_ACQUIRE));
}

int tpi_lane_wait_room(struct tp_lane *l, int64_t deadline)
{
	uint32_t bits = TP_LANE_ASLEEP | (tpi_chan_can_heavy() ? 0 : TP_LANE_FENCE);
	uint32_t deaths = tpi_wait_begin();
	uint32_t room = __atomic_fetch_or(&l->room, bits, __ATOMIC_SEQ_CST) | bits;
	int r = 0;

	tpi_chan_heavy_fence(); /* partner: the light fence in tp_chan_ack */
	if (!producer_has_reason(l)) {
		__atomic_store_n(&l->room_waits, l->room_waits + 1, __ATOMIC_RELAXED);
		r = sleep_on(&l->room, room, deaths, deadline);
	}
	clear(&l->room, TP_LANE_ASLEEP);
	return r;
}

static uint32_t deaths_now(void)
{
	return __atomic_load_n(&tpi_self.segment->deaths[tpi_self.index % TP_DEATH_WORDS], __ATOMIC_SEQ_CST);
}

bool tpi_chan_has_news(struct tp_chan *c)
{
	if (__atomic_load_n(&c->changes, __ATOMIC_ACQUIRE) != c->changes_seen || deaths_now() != c->deaths_seen)
		return true;
	for (uint32_t i = 0; i < c->lanes; i++) {
		struct tp_lane *l = tpi_lane(c, i);

		if (tpi_message(l, l->taken))
			return true;
	}
	return false;
}

static bool look_around(struct tp_chan *c)
{
	for (uint32_t n = 0; n < c->spin; n++) {
		if (tpi_chan_has_news(c)) {
			c->spin = TPI_CHAN_SPIN;
			return true;
		}
		if (n >= TPI_CHAN_SPIN_HARD)
			arch_relax();
	}
	c->spin /= 2;
	return false;
}

/* Says that this consumer sleeps, and makes sure that senders see it, or that it sees what they have sent. */
static uint32_t arm(struct tp_chan *c)
{
	uint32_t bits = TP_CHAN_ASLEEP | TP_CHAN_AGAIN | (++c->restless > RESTLESS ? TP_CHAN_FENCE : 0);
	uint32_t before = __atomic_fetch_or(&c->attention, bits, __ATOMIC_SEQ_CST);

	if (before & TP_CHAN_FENCE)
		__atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the fence in look_after, lane-send.c */
	else
		tpi_chan_heavy_fence(); /* partner: the light fence in lane-send.c, the fence in tpi_chan_changed */
	return before | bits;
}

void tpi_chan_busy(struct tp_chan *c)
{
	c->restless = 0;
	if (tpi_chan_can_heavy())
		clear(&c->attention, TP_CHAN_FENCE);
}

int tpi_chan_wait_news(struct tp_chan *c, int64_t deadline)
{
	uint32_t deaths, attention;
	int r = 0;

	if (!(c->flags & TP_CHAN_NO_SPIN)) {
		if (look_around(c))
			return 0;
		if (c->sleeps % TPI_CHAN_SPIN_AGAIN == 0)
			c->spin = TPI_CHAN_SPIN;
	}
	deaths = tpi_wait_begin();
	attention = arm(c);
	if (!tpi_chan_has_news(c)) {
		c->sleeps++;
		r = sleep_on(&c->attention, attention, deaths, deadline);
	}
	clear(&c->attention, TP_CHAN_ASLEEP | TP_CHAN_AGAIN);
	return r;
}

void tpi_lane_freed(struct tp_chan *c)
{
	tpi_count_and_wake(&c->freed, INT_MAX);
}

void tpi_lane_retire(struct tp_chan *c, struct tp_lane *l)
{
	if (!l->ending || l->acked != l->taken)
		return;
	l->ending = 0;
	l->producer = 0;
	__atomic_store_n(&l->owner, 0, __ATOMIC_RELEASE); /* partner: the CAS in lane.c */
	tpi_lane_freed(c);
}

enum end { LIVES, NOT_EMPTY, CLOSED, DIED, DIED_EARLY, TOLD };

/* An owner that no other program changes any more: of a dead one, or marked. 0: it has a live one, or none (*ret_lives says which). */
static uint32_t last_owner(struct tp_lane *l, bool *ret_lives)
{
	uint32_t owner = __atomic_load_n(&l->owner, __ATOMIC_ACQUIRE), again;

	for (;; owner = again) {
		*ret_lives = owner && !(owner & TP_LANE_CLOSING) && tpi_tag_alive(owner);
		if (!owner || owner & TP_LANE_CLOSING || *ret_lives)
			return owner & TP_LANE_CLOSING ? owner : 0;
		/* It may have freed the lane before it died, which is somebody else's by now. */
		again = __atomic_load_n(&l->owner, __ATOMIC_ACQUIRE);
		if (again == owner)
			return owner;
	}
}

/* The owner first, then the slot: what the producer sent is seen by whoever sees its end. */
static enum end end_of(struct tp_lane *l)
{
	bool lives;
	uint32_t owner = last_owner(l, &lives);

	if (l->ending)
		return TOLD;
	if (!owner)
		return lives ? LIVES : TOLD;
	if (tpi_message(l, l->taken))
		return NOT_EMPTY;
	if (owner & TP_LANE_CLOSING)
		return CLOSED;
	return l->producer ? DIED : DIED_EARLY;
}

static uint32_t count_lanes(const struct tp_chan *c)
{
	uint32_t n = c->lanes;

	while (n < c->lanes_max && tpi_lane(c, n))
		n++;
	return n;
}

int tpi_chan_notices(struct tp_chan *c, tp_id *ret_dead)
{
	uint32_t changes = __atomic_load_n(&c->changes, __ATOMIC_ACQUIRE), deaths = deaths_now();
	uint32_t active = 0, full = 0, closed;

	if (tpi_likely(changes == c->changes_seen && deaths == c->deaths_seen))
		return 0;
	c->lanes = count_lanes(c);
	for (uint32_t i = 0; i < c->lanes; i++) {
		struct tp_lane *l = tpi_lane(c, i);
		enum end end = end_of(l);

		active += end == LIVES || end == NOT_EMPTY;
		full += end == NOT_EMPTY;
		if (end == LIVES || end == NOT_EMPTY || end == TOLD)
			continue;
		if (end == CLOSED)
			c->to_tell = 1;
		if (end == DIED)
			*ret_dead = l->producer;
		l->ending = 1;
		tpi_lane_retire(c, l);
		if (end == DIED) {
			tpi_count(TP_COUNTER_OWNER_DIED);
			return -EOWNERDEAD;
		}
	}
	/* After the lanes: who finds one free sees that it was closed. Partner: the release of the owner in free_empty. */
	closed = __atomic_load_n(&c->closed, __ATOMIC_ACQUIRE);
	if (closed != c->closed_seen)
		c->to_tell = 1;
	c->closed_seen = closed;
	if (!full) {
		c->changes_seen = changes;
		c->deaths_seen = deaths;
	}
	if (active || !c->to_tell)
		return 0;
	/*
	 * A lane that was free may have been opened before the last one was closed. Who sees that one's end sees the opener's count, too: then
	 * all are looked at again, since changes_seen is older. Partner: the release in tpi_chan_changed.
	 */
	if (__atomic_load_n(&c->changes, __ATOMIC_ACQUIRE) != changes)
		return 0;
	c->to_tell = 0;
	return -EPIPE;
}
