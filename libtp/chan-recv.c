/* SPDX-License-Identifier: MIT */
/*
 * Taking messages and acknowledging them. The orders are argued in chan.h.
 *
 * The consumer stays with a lane for a burst, then goes on to the next that has something: no lane starves another.
 */
#include "chan.h"
#include "counters.h"
#include "owner.h"
#include "probes.h"

static inline void fill(struct tp_message *m, const struct tp_lane *l, uint64_t count, uint64_t word)
{
	m->ptr = (void *)(uintptr_t)(word & TP_SLOT_POINTER);
	m->id = l->id_base | count;
	m->given = (uint32_t)(word >> 63);
	m->repeated = count < l->repeat_until;
	m->sender = l->producer;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * How many of the messages from `taken` on the ring can hold: when it is full of unacknowledged ones, none, and the slot of the next one
 * shows the first of them. Within that number a slot's word is its message or 0: what a dead consumer left was cleared at the
 * take-over, so the lap need not be looked at.
 */
static inline uint64_t window(const struct tp_lane *l, uint64_t taken)
{
	return l->capacity - (taken - l->acked);
}

/* Up to `max` messages of one lane. `taken` is stored before the caller sees any of them. */
static inline size_t take(struct tp_lane *l, struct tp_message *m, size_t max)
{
	uint64_t first = l->taken, n = first, end = n + least(max, window(l, n));

	for (uint64_t word; n != end && (word = __atomic_load_n(tpi_slot(l, n), __ATOMIC_ACQUIRE)); n++)
		fill(&m[n - first], l, n, word);
	if (n != first) {
		__atomic_store_n(&l->taken, n, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	}
	return (size_t)(n - first);
}

/* From the lane whose turn it is. */
static inline size_t take_current(struct tp_chan *c, struct tp_message *m, size_t max)
{
	size_t n;

	if (!c->burst)
		return 0;
	n = take(tpi_lane(c, c->current), m, least(max, c->burst));
	c->burst -= (uint32_t)n;
	return n;
}

/* Whoever is next and has something. */
static size_t take_next(struct tp_chan *c, struct tp_message *m, size_t max)
{
	bool full_burst = !c->burst && c->restless;

	for (uint32_t i = 1; i <= c->lanes; i++) {
		uint32_t at = (c->current + i) % c->lanes;
		struct tp_lane *l = tpi_lane(c, at);
		size_t n = take(l, m, max);

		if (!n)
			continue;
		if (full_burst)
			tpi_chan_busy(c);
		c->current = at;
		/* Never more than the window, which shrinks with each message as the burst does, and grows with acknowledgements. */
		c->burst = n < TPI_CHAN_BURST ? (uint32_t)least(TPI_CHAN_BURST - n, window(l, l->taken)) : 0;
		return n;
	}
	return 0;
}

static int tell(struct tp_message *m, int notice, tp_id dead)
{
	if (notice != -EOWNERDEAD)
		return tpi_say(notice, "the last producer has closed its lane, and all was received");
	*m = (struct tp_message){.sender = dead};
	return tpi_say(notice, "a producer has died, and all of its messages were received");
}

/* > 0: that many messages. */
static int wait_for_some(struct tp_chan *c, int64_t timeout, struct tp_message *m, size_t max)
{
	int64_t deadline = 0;
	bool waits = false;
	tp_id dead = 0;
	int late = 0;

	for (;;) {
		int notice = tpi_chan_notices(c, &dead);
		size_t n = notice ? 0 : take_next(c, m, max);

		if (notice)
			return tell(m, notice, dead);
		if (n)
			return (int)n;
		if (timeout == TP_NOWAIT)
			return tpi_say(-EAGAIN, "there is no message");
		if (late)
			return tpi_say(late, "no message came in time");
		if (!waits)
			deadline = tpi_chan_deadline(timeout);
		waits = true;
		late = tpi_chan_wait_news(c, deadline);
	}
}

/* A pointer into a slot may have been sent before a satellite became the consumer. */
static int reachable(const struct tp_message *m, int n)
{
	for (int i = 0; i < n; i++) {
		int r = tpi_pointer_ok(m[i].ptr);

		if (r < 0)
			return r;
	}
	return n;
}

static inline void probe(struct tp_chan *c, const struct tp_message *m, int n)
{
	for (int i = 0; i < n; i++)
		TPI_PROBE(receive, c, m[i].ptr, m[i].id);
	(void)c;
	(void)m;
}

/* For the caller's program: told to probes, and can a satellite follow it? */
static inline int hand_out(struct tp_chan *c, const struct tp_message *m, int n)
{
	if (n > 0)
		probe(c, m, n);
	return tpi_unlikely(tpi_self.satellite) ? reachable(m, n) : n;
}

/* The next message of this lane, if it is there: as take(), for one. The burst is not over, so it is within the window. */
static inline bool take_one(struct tp_chan *c, struct tp_lane *l, struct tp_message *m)
{
	uint64_t n = l->taken, word = __atomic_load_n(tpi_slot(l, n), __ATOMIC_ACQUIRE);

	if (tpi_unlikely(!word))
		return false;
	/* Two lines ahead, to be written: acknowledging would otherwise ask for each line a second time. */
	if (!(n & 7))
		__builtin_prefetch(tpi_slot(l, n + 16), 1);
	c->burst--;
	__atomic_store_n(&l->taken, n + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	fill(m, l, n, word);
	TPI_PROBE(receive, c, m->ptr, m->id);
	return true;
}

/* With one lane only, the first looks around are at nothing but its slot. */
static bool glance(struct tp_chan *c, struct tp_message *m)
{
	struct tp_lane *l = tpi_lane(c, c->current);

	if (c->lanes != 1 || !c->burst || c->spin < TPI_CHAN_SPIN_HARD || c->flags & TP_CHAN_NO_SPIN)
		return false;
	for (uint32_t i = 0; i < TPI_CHAN_SPIN_HARD; i++)
		if (take_one(c, l, m))
			return true;
	return false;
}

static __attribute__((noinline)) int recv_next(struct tp_chan *c, int64_t timeout, struct tp_message *ret_message)
{
	int n = tpi_chan_mine(c);

	if (n < 0)
		return n;
	if (!ret_message)
		return tpi_fail(-EINVAL, "tp_chan_recv: there is no place for the message");
	if (timeout != TP_NOWAIT && glance(c, ret_message))
		return tpi_pointer_ok(ret_message->ptr);
	n = hand_out(c, ret_message, wait_for_some(c, timeout, ret_message, 1));
	return n > 0 ? 0 : n;
}

/* The common case by itself: the lane whose turn it is has a message. (All else is a last call: nothing is saved for it.) */
int tp_chan_recv(struct tp_chan *c, int64_t timeout, struct tp_message *ret_message)
{
	if (tpi_unlikely(!tpi_chan_is_mine(c) || !c->burst || !ret_message || !take_one(c, tpi_lane(c, c->current), ret_message)))
		return recv_next(c, timeout, ret_message);
	return tpi_pointer_ok(ret_message->ptr);
}

int tp_chan_recv_batch(struct tp_chan *c, int64_t timeout, struct tp_message *ret_messages, size_t max)
{
	int n = tpi_chan_mine(c);

	if (tpi_unlikely(n < 0))
		return n;
	if (tpi_unlikely(!ret_messages || !max))
		return tpi_fail(-EINVAL, "tp_chan_recv_batch: there is no place for a message");
	max = least(max, 1u << 20);
	n = (int)take_current(c, ret_messages, max);
	if (tpi_unlikely(n == 0))
		n = wait_for_some(c, timeout, ret_messages, max);
	return hand_out(c, ret_messages, n);
}

/* acked first, then the slots: see chan.h. */
static inline void acknowledge(struct tp_lane *l, uint64_t from, uint64_t to, uint64_t mask)
{
	__atomic_store_n(&l->acked, to, __ATOMIC_RELEASE);
	do
		__atomic_store_n(&l->slot[from & mask], 0, __ATOMIC_RELEASE);
	while (tpi_unlikely(++from != to));
}

static __attribute__((noinline)) int not_handed_out(const struct tp_chan *c, uint64_t id)
{
	return tpi_fail(-EINVAL, "tp_chan_ack: message %x of channel %s has not been handed out", id, c->name);
}

static __attribute__((noinline)) int no_message(const struct tp_chan *c)
{
	int r = tpi_chan_mine(c);

	return r < 0 ? r : tpi_fail(-EINVAL, "tp_chan_ack: this is no message of channel %s", c->name);
}

static __attribute__((noinline)) int after_ack(struct tp_chan *c, struct tp_lane *l)
{
	tpi_lane_room(l);
	tpi_lane_retire(c, l);
	return 0;
}

int tp_chan_ack(struct tp_chan *c, const struct tp_message *m)
{
	struct tp_lane *l;
	uint64_t id, n, acked, mask;

	if (tpi_unlikely(!tpi_chan_is_mine(c) || !m))
		return no_message(c);
	/* As it was stored, a moment ago: a part of a word has to wait until the store is done. */
	id = __atomic_load_n(&m->id, __ATOMIC_RELAXED);
	if (tpi_unlikely(id >> TP_LANE_ID_SHIFT >= c->lanes))
		return no_message(c);
	l = tpi_lane(c, (uint32_t)(id >> TP_LANE_ID_SHIFT));
	n = id - l->id_base + 1;
	acked = l->acked;
	if (tpi_unlikely(n > l->taken))
		return not_handed_out(c, id);
	/* The bound is for a damaged count: no loop beyond the ring. */
	mask = l->capacity - 1;
	if (tpi_unlikely(n - acked - 1 > mask))
		return n <= acked ? 0 : not_handed_out(c, id);
	acknowledge(l, acked, n, mask);
	TPI_PROBE(acknowledge, c, id);
	tpi_chan_light_fence(c->fence); /* partner: the heavy fence in tpi_lane_wait_room */
	if (tpi_unlikely(__atomic_load_n(&l->room, __ATOMIC_RELAXED) | l->ending))
		return after_ack(c, l);
	return 0;
}
