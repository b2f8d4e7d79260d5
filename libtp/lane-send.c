/* SPDX-License-Identifier: MIT */
/*
 * Sending. A send is: one look at the channel's attention, one at the slot, a store to the slot, a store to the own counter, one more
 * look at the attention. The orders are argued in chan.h, what makes the last look reliable in chan-fence.c.
 *
 * Closing meets sending in the same way: the consumer sets CLOSED, executes the heavy fence, then empties the lanes with exchanges; the
 * sender stores, then looks. Whoever of the two changes the slot back from the message to 0 decides whether it was sent.
 */
#include "chan.h"
#include "counters.h"
#include "owner.h"
#include "probes.h"
#include "relax.h"

enum { NEEDS_LOOK = TP_CHAN_ASLEEP | TP_CHAN_AGAIN | TP_CHAN_FD | TP_CHAN_CLOSED | TP_CHAN_FENCE, ROOM_SPIN = 200, SLIP = 128 };

static inline struct tp_chan *chan_of(const struct tp_lane *l)
{
	return (struct tp_chan *)(uintptr_t)l->chan;
}

static int closed(const struct tp_chan *c)
{
	return tpi_fail(-EPIPE, "channel %s has been closed by its consumer", c->name);
}

/* Before anything is stored: closed? and can the receiver follow the pointer, where one of the two is a satellite? */
static int look_first(const struct tp_chan *c, const void *ptr, uint32_t attention)
{
	if (attention & TP_CHAN_CLOSED)
		return closed(c);
	if (!tpi_self.satellite && !(attention & TP_CHAN_SATELLITE))
		return 0;
	if (tpi_in_segment(ptr, 1))
		return 0;
	return tpi_count_error(TP_CALL_SEND, tpi_pointer_refuse(ptr));
}

/* Stored, and something is not ordinary. Return: how many of [from, to) have been sent. */
static uint64_t look_after(struct tp_chan *c, struct tp_lane *l, uint64_t from, uint64_t to, uint32_t attention)
{
	if (attention & TP_CHAN_FENCE) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the consumer's in tpi_chan_heavy_fence */
		attention = __atomic_load_n(&c->attention, __ATOMIC_RELAXED);
	}
	if (attention & TP_CHAN_CLOSED) {
		/* Downwards, as the consumer goes upwards: what it has emptied is a first part. */
		for (; to != from; to--) {
			uint64_t *slot = tpi_slot(l, to - 1), word = *slot;

			if (!word || !__atomic_compare_exchange_n(slot, &word, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
				break;
		}
		__atomic_store_n(&l->sent, to, __ATOMIC_RELAXED);
	}
	tpi_chan_ring(c, attention);
	return to - from;
}

/* What is before `to` is in its slots: sets the counter. Return: the attention as it was after that. */
static inline uint32_t stored(const struct tp_chan *c, struct tp_lane *l, uint64_t to)
{
	__atomic_store_n(&l->sent, to, __ATOMIC_RELAXED);
	tpi_chan_light_fence(l->fence); /* partner: the heavy fence in tpi_chan_wait_news, tp_chan_arm and tp_chan_destroy */
	return __atomic_load_n(&c->attention, __ATOMIC_RELAXED);
}

static bool has_room(struct tp_lane *l)
{
	return !__atomic_load_n(tpi_slot(l, l->sent), __ATOMIC_ACQUIRE);
}

static int no_room_because(const struct tp_chan *c)
{
	if (__atomic_load_n(&c->attention, __ATOMIC_ACQUIRE) & TP_CHAN_CLOSED)
		return closed(c);
	if (!tpi_tag_alive(__atomic_load_n(&c->consumer, __ATOMIC_ACQUIRE)))
		return tpi_count_error(TP_CALL_SEND, tpi_fail(-EOWNERDEAD,
			"the lane in channel %s is full, and the consumer has died: its successor gets all of it", c->name));
	return 0;
}

/*
 * Waits for more than one slot: a producer that follows right behind the acknowledgements takes the line of slots from the consumer for
 * each of them, and both wait. So it looks at a slot farther on, which becomes 0 after all before it, and leaves the lines
 * in between alone. A quarter of the ring at most: the consumer has something to do meanwhile. If it does not get that far in time,
 * what room there is will do.
 */
static bool look_for_room(const struct tp_chan *c, struct tp_lane *l)
{
	const uint64_t *far = tpi_slot(l, l->sent + (l->capacity / 4 < SLIP ? l->capacity / 4 : SLIP));

	for (int n = 0; !(c->flags & TP_CHAN_NO_SPIN) && n < ROOM_SPIN; n++) {
		if (!__atomic_load_n(far, __ATOMIC_ACQUIRE)) /* partner: the release of the acknowledgement */
			return true;
		arch_relax();
	}
	return has_room(l);
}

/* The lane is full. 0: it has room now. */
static int make_room(const struct tp_chan *c, struct tp_lane *l, int64_t timeout)
{
	int64_t deadline;
	int r, late = 0;

	__atomic_store_n(&l->backpressure, l->backpressure + 1, __ATOMIC_RELAXED);
	TPI_PROBE(backpressure, c, l);
	tpi_count(TP_COUNTER_BACKPRESSURE);
	if (timeout != TP_NOWAIT && look_for_room(c, l))
		return 0;
	deadline = tpi_chan_deadline(timeout);
	for (;;) {
		r = no_room_because(c);
		if (has_room(l))
			return 0;
		if (r < 0)
			return r;
		if (timeout == TP_NOWAIT)
			return tpi_say(-EAGAIN, "the lane is full: the consumer is slower than this producer");
		if (late)
			return tpi_say(late, "the lane was full until the time was over");
		late = tpi_lane_wait_room(l, deadline);
	}
}

/* False: NULL, or one with bits where the flags are. */
static inline bool sendable(const void *ptr)
{
	return (uint64_t)(uintptr_t)ptr - 1 < TP_SLOT_POINTER;
}

static int not_sendable(const void *ptr)
{
	return tpi_fail(-EINVAL, ptr ? "pointer %x cannot be sent: bits 48 and above are used" : "NULL cannot be sent",
		(uint64_t)(uintptr_t)ptr);
}

static __attribute__((noinline)) int one_after(struct tp_chan *c, struct tp_lane *l, uint64_t n, uint32_t attention)
{
	return look_after(c, l, n, n + 1, attention) ? 0 : closed(c);
}

/* Its slot is free. */
static inline int put_one(struct tp_chan *c, struct tp_lane *l, uint64_t n, uint64_t *slot, const void *ptr, uint64_t given)
{
	uint32_t attention;

	__atomic_store_n(slot, (uint64_t)(uintptr_t)ptr | given | tpi_lap(l, n), __ATOMIC_RELEASE);
	TPI_PROBE(send, c, l, ptr);
	attention = stored(c, l, n + 1);
	return tpi_unlikely(attention & NEEDS_LOOK) ? one_after(c, l, n, attention) : 0;
}

static __attribute__((noinline)) int send_slow(struct tp_lane *l, const void *ptr, uint64_t given, int64_t timeout)
{
	int r = tpi_lane_mine(l);
	struct tp_chan *c;

	if (r < 0)
		return r;
	if (!sendable(ptr))
		return not_sendable(ptr);
	c = chan_of(l);
	r = look_first(c, ptr, __atomic_load_n(&c->attention, __ATOMIC_RELAXED));
	if (r == 0 && !has_room(l))
		r = make_room(c, l, timeout);
	if (r < 0)
		return r;
	return put_one(c, l, l->sent, tpi_slot(l, l->sent), ptr, given);
}

/* The common case by itself. (All else is a last call: nothing is saved for it.) */
static inline int send_one(struct tp_lane *l, const void *ptr, uint64_t given, int64_t timeout)
{
	struct tp_chan *c;
	uint64_t n, *slot;

	if (tpi_unlikely(!tpi_lane_is_mine(l) || !sendable(ptr) || l->fence))
		return send_slow(l, ptr, given, timeout);
	c = chan_of(l);
	n = l->sent;
	slot = tpi_slot(l, n);
	if (tpi_unlikely(__atomic_load_n(&c->attention, __ATOMIC_RELAXED) & (TP_CHAN_CLOSED | TP_CHAN_SATELLITE) ||
		__atomic_load_n(slot, __ATOMIC_ACQUIRE)))
		return send_slow(l, ptr, given, timeout);
	return put_one(c, l, n, slot, ptr, given);
}

int tp_lane_send_give(struct tp_lane *l, void *ptr, int64_t timeout)
{
	return send_one(l, ptr, TP_SLOT_GIVEN, timeout);
}

int tp_lane_send_lend(struct tp_lane *l, const void *ptr, int64_t timeout)
{
	return send_one(l, ptr, 0, timeout);
}

static int check_all(const struct tp_chan *c, const struct tp_lane *l, void *const *ptrs, size_t count)
{
	uint32_t attention = __atomic_load_n(&c->attention, __ATOMIC_RELAXED);
	bool look = attention & (TP_CHAN_CLOSED | TP_CHAN_SATELLITE) || l->fence;

	for (size_t i = 0; i < count; i++) {
		int r = !sendable(ptrs[i]) ? not_sendable(ptrs[i]) : look ? look_first(c, ptrs[i], attention) : 0;

		if (tpi_unlikely(r < 0))
			return r;
	}
	return 0;
}

/* As many as there is room for. Return: how many are sent; fewer than were stored only when the channel was closed. */
static inline size_t send_some(struct tp_chan *c, struct tp_lane *l, void *const *ptrs, size_t count, uint64_t given, bool *ret_closed)
{
	uint64_t first = l->sent, n = first, sent;
	uint32_t attention;

	for (; n - first < count; n++) {
		uint64_t *slot = tpi_slot(l, n);

		if (__atomic_load_n(slot, __ATOMIC_ACQUIRE))
			break;
		__atomic_store_n(slot, (uint64_t)(uintptr_t)ptrs[n - first] | given | tpi_lap(l, n), __ATOMIC_RELEASE);
		TPI_PROBE(send, c, l, ptrs[n - first]);
	}
	attention = stored(c, l, n);
	sent = tpi_unlikely(attention & NEEDS_LOOK) ? look_after(c, l, first, n, attention) : n - first;
	*ret_closed = sent != n - first;
	return (size_t)sent;
}

static int send_batch(struct tp_lane *l, void *const *ptrs, size_t count, uint64_t given, int64_t timeout)
{
	int r = tpi_lane_mine(l);
	struct tp_chan *c;
	size_t sent = 0;
	bool shut = false;

	if (tpi_unlikely(r < 0))
		return r;
	if (tpi_unlikely(!ptrs || !count || count > INT32_MAX))
		return tpi_fail(-EINVAL, "a batch of %u messages cannot be sent", (uint64_t)count);
	c = chan_of(l);
	r = check_all(c, l, ptrs, count);
	if (tpi_unlikely(r < 0))
		return r;
	for (;;) {
		sent += send_some(c, l, ptrs + sent, count - sent, given, &shut);
		if (tpi_likely(sent == count))
			return (int)sent;
		r = shut ? closed(c) : make_room(c, l, timeout);
		if (r < 0)
			return sent ? (int)sent : r;
	}
}

int tp_lane_send_batch_give(struct tp_lane *l, void *const *ptrs, size_t count, int64_t timeout)
{
	return send_batch(l, ptrs, count, TP_SLOT_GIVEN, timeout);
}

int tp_lane_send_batch_lend(struct tp_lane *l, void *const *ptrs, size_t count, int64_t timeout)
{
	return send_batch(l, ptrs, count, 0, timeout);
}
