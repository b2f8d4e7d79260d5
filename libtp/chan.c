/* SPDX-License-Identifier: MIT */
/*
 * The consumer's end: made, taken over, destroyed.
 *
 * A channel is a block of the group's heap, published under its name with KEEP, so that it outlives its consumer. Who creates a channel
 * whose consumer has died becomes its consumer by CAS of the dead tag to its own, then publishes the same block under its own ownership;
 * killed in between, it is the next one's turn in the same way.
 */
#include <limits.h>
#include <string.h>

#include "chan.h"
#include "counters.h"
#include <tp/heap.h>
#include <tp/name.h>

int tpi_chan_refuse(const struct tp_chan *c)
{
	int r = tpi_ready();

	if (r < 0)
		return r;
	if (!c)
		return tpi_fail(-EINVAL, "there is no channel (NULL)");
	if (!tpi_chan_plausible(c) || !tpi_in_segment(c, sizeof(*c)) || c->magic != TP_CHAN_MAGIC)
		return tpi_fail(-EBADF, "%x is no channel", (uint64_t)(uintptr_t)c);
	if (__atomic_load_n(&c->consumer, __ATOMIC_RELAXED) == tpi_self.tag)
		return 0;
	return tpi_fail(-EBADF, "this program is not the consumer of channel %s", c->name);
}

static uint32_t power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

enum { OPTIONS_MAX = 4096 };

/* What a later version asks for, and this one does not know. */
static bool asks_for_more(const struct tp_chan_options *given)
{
	const char *bytes = (const char *)given;

	for (size_t i = sizeof(*given); i < given->size; i++)
		if (bytes[i])
			return true;
	return false;
}

/* Members that a caller of an earlier version does not know are 0; those that this version does not know must be. */
static int read_options(const struct tp_chan_options *given, struct tp_chan_options *ret_options)
{
	struct tp_chan_options o = {0};

	if (given && (given->size < offsetof(struct tp_chan_options, reserved) || given->size > OPTIONS_MAX))
		return tpi_fail(-EINVAL, "tp_chan_options.size is %u: set it to sizeof(struct tp_chan_options)", (uint64_t)given->size);
	if (given && asks_for_more(given))
		return tpi_fail(-EINVAL, "tp_chan_options asks for something that this version does not know");
	if (given)
		memcpy(&o, given, given->size < sizeof(o) ? given->size : sizeof(o));
	if (!o.capacity)
		o.capacity = 1024;
	if (!o.lanes)
		o.lanes = 64;
	if (!power_of_two(o.capacity) || o.capacity > TP_CHAN_CAPACITY_MAX)
		return tpi_fail(-EINVAL, "capacity %u is not a power of two up to %u", (uint64_t)o.capacity,
			(uint64_t)TP_CHAN_CAPACITY_MAX);
	if (o.lanes > TP_CHAN_LANES_MAX)
		return tpi_fail(-EINVAL, "%u lanes are more than %u", (uint64_t)o.lanes, (uint64_t)TP_CHAN_LANES_MAX);
	if (o.flags & ~TP_CHAN_NO_SPIN || o.reserved[0] || o.reserved[1] || o.reserved[2] || o.reserved[3])
		return tpi_fail(-EINVAL, "tp_chan_options asks for something that this version does not know");
	*ret_options = o;
	return 0;
}

/* What a consumer brings with it. */
static void begin(struct tp_chan *c)
{
	uint32_t own = (tpi_self.satellite ? TP_CHAN_SATELLITE : 0) | (tpi_chan_can_heavy() ? 0 : TP_CHAN_FENCE);
	uint32_t keep = __atomic_load_n(&c->attention, __ATOMIC_RELAXED);

	c->consumer_id = tpi_self.id;
	c->fd = 0;
	c->fence = tpi_chan_light_needs_fence();
	c->spin = TPI_CHAN_SPIN;
	c->burst = c->current = c->to_tell = c->lanes = c->restless = 0;
	/* Neither can be what will be found: so all lanes are looked at. */
	c->changes_seen = __atomic_load_n(&c->changes, __ATOMIC_RELAXED) - 1;
	/* Senders change these bits, too, while a dead consumer seems to sleep. */
	while (!__atomic_compare_exchange_n(&c->attention, &keep, (keep & (TP_CHAN_CLOSED | ~UINT32_C(0xff))) | own, false,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

static int make(const char *name, const char *type, const struct tp_chan_options *o, struct tp_chan **ret_chan)
{
	size_t size = sizeof(struct tp_chan) + o->lanes * sizeof(uint64_t);
	struct tp_chan *c;
	void *p;
	int r = tp_alloc(size, 128, &p);

	if (r < 0)
		return r;
	c = memset(p, 0, size);
	c->version = 1;
	c->capacity = o->capacity;
	c->lanes_max = o->lanes;
	c->flags = o->flags;
	memcpy(c->name, name, strnlen(name, sizeof(c->name) - 1));
	memcpy(c->type, type, sizeof(c->type) - 1);
	c->consumer = tpi_self.tag;
	begin(c);
	c->magic = TP_CHAN_MAGIC;
	r = tp_publish(name, c, type, TP_PUBLISH_KEEP);
	if (r < 0)
		tp_free(c);
	else
		*ret_chan = c;
	return r;
}

/*
 * What the dead consumer left: slots that it had acknowledged but not yet set to 0 (they have the lap of a count below acked), and
 * messages that it may have shown to its program. Killed here, the next one does the same again.
 */
static void recover(struct tp_lane *l)
{
	uint64_t acked = l->acked, k = acked > l->capacity ? acked - l->capacity : 0;

	for (; k != acked; k++)
		if (tpi_message(l, k))
			__atomic_store_n(tpi_slot(l, k), 0, __ATOMIC_RELEASE);
	if (l->taken > acked && l->taken - acked <= l->capacity) {
		tpi_count_add(TP_COUNTER_REDELIVERED, l->taken - acked);
		__atomic_store_n(&l->redelivered, l->redelivered + l->taken - acked, __ATOMIC_RELAXED);
		if (l->taken > l->repeat_until)
			l->repeat_until = l->taken;
	}
	__atomic_store_n(&l->taken, acked, __ATOMIC_RELEASE);
	l->ending = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* partner: the heavy fence of a producer that waits for room */
	tpi_lane_room(l);
}

static void recover_all(struct tp_chan *c)
{
	for (uint32_t i = 0; i < c->lanes_max; i++) {
		struct tp_lane *l = tpi_lane(c, i);

		if (!l)
			break;
		recover(l);
	}
}

/*
 * Entered: the channel stays. 0: this program is the consumer now; -EEXIST: another has been faster; -ESTALE: look again.
 * The release of the CAS is met by who asks whether the consumer is alive; its acquire meets what the dead one stored, as did the
 * look at its state.
 */
static int become_consumer(struct tp_chan *c, const struct tp_name *n)
{
	uint32_t dead;

	if (tp_name_check(n) < 0)
		return -ESTALE;
	if (!tpi_chan_valid(c))
		return tpi_fail(-EUCLEAN, "channel %s at %x has been damaged", n->name, (uint64_t)(uintptr_t)c);
	dead = __atomic_load_n(&c->consumer, __ATOMIC_ACQUIRE);
	if (tpi_tag_alive(dead) || !__atomic_compare_exchange_n(&c->consumer, &dead, tpi_self.tag, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return tpi_fail(-EEXIST, "channel %s has a live consumer", n->name);
	return 0;
}

/* The dead consumer was destroying it: that is brought to its end. */
static int finish_destroy(struct tpi_chan_process *p, struct tp_chan *c)
{
	tpi_chan_drain(c);
	tpi_chan_enter(p, c);
	__atomic_store_n(&c->consumer, 0, __ATOMIC_SEQ_CST);
	tpi_chan_free_if_last(c);
	tpi_chan_leave(p);
	return -ENOENT;
}

/* -ENOENT: there is none to take over any more. */
static int take_over(struct tpi_chan_process *p, const struct tp_name *n, const char *type, struct tp_chan **ret_chan)
{
	struct tp_chan *c = n->ptr;
	int r;

	tpi_chan_enter(p, c);
	r = become_consumer(c, n);
	tpi_chan_leave(p);
	if (r < 0)
		return r;
	if (__atomic_load_n(&c->attention, __ATOMIC_ACQUIRE) & TP_CHAN_CLOSED)
		return finish_destroy(p, c);
	begin(c);
	recover_all(c);
	r = tp_publish(n->name, c, type, TP_PUBLISH_KEEP);
	if (r < 0) {
		__atomic_store_n(&c->consumer, 0, __ATOMIC_RELEASE);
		return r;
	}
	tpi_count(TP_COUNTER_OWNER_DIED);
	tpi_count_and_wake(&c->takeovers, INT_MAX);
	*ret_chan = c;
	return 0;
}

int tp_chan_create(const char *name, const char *type, const struct tp_chan_options *options, struct tp_chan **ret_chan)
{
	struct tp_chan_options o = {0};
	struct tpi_chan_process *p;
	struct tp_name n;
	char full[64];
	int r = tpi_ready();

	if (r < 0)
		return r;
	if (!name || !ret_chan)
		return tpi_fail(-EINVAL, "tp_chan_create: name or place for the result is NULL");
	r = read_options(options, &o);
	if (r == 0)
		r = tpi_chan_type(type, full);
	p = tpi_chan_process();
	if (r < 0 || !p)
		return r < 0 ? r : -ENOMEM;
	do {
		r = tp_lookup(name, full, &n);
		if (r == 0 && n.alive)
			r = tpi_fail(-EEXIST, "channel %s has a live consumer", name);
		else if (r == 0)
			r = take_over(p, &n, full, ret_chan);
		if (r == -ENOENT || r == -EPROTOTYPE || r == -EOWNERDEAD)
			r = make(name, full, &o, ret_chan);
	} while (r == -ESTALE);
	return r < 0 ? tpi_count_error(TP_CALL_CHANNEL, r) : r;
}

/* Both the destroyer and who frees may do it; each message is taken out once. Only the destroyer knows of a sender in the middle of a
 * send: it has executed the heavy fence before. */
void tpi_chan_drain(struct tp_chan *c)
{
	for (uint32_t i = 0; i < c->lanes_max; i++) {
		struct tp_lane *l = tpi_lane(c, i);

		if (!l)
			break;
		for (uint64_t k = l->acked, end = k + l->capacity; k != end; k++) {
			uint64_t word = __atomic_exchange_n(tpi_slot(l, k), 0, __ATOMIC_ACQ_REL);
			void *p = (void *)(uintptr_t)(word & TP_SLOT_POINTER);

			/* What was handed out is the receiver's; what lies in a slot ends with its program. */
			if (k >= l->taken && word & TP_SLOT_GIVEN && tpi_in_segment(p, 1))
				tp_free(p);
		}
	}
}

static void wake_producers(struct tp_chan *c)
{
	for (uint32_t i = 0; i < c->lanes_max; i++) {
		struct tp_lane *l = tpi_lane(c, i);

		if (!l)
			break;
		tpi_lane_room(l);
	}
	/* Changed: who has found no lane, and does not sleep yet, is not to do so. */
	tpi_count_and_wake(&c->freed, INT_MAX);
	tpi_count_and_wake(&c->takeovers, INT_MAX);
}

struct tp_chan *tp_chan_destroy(struct tp_chan *c)
{
	struct tpi_chan_process *p;

	if (!c || tpi_chan_mine(c) < 0 || !(p = tpi_chan_process()))
		return NULL;
	/* First the name, then CLOSED: who finds it closed cannot find it again. */
	tp_unpublish(c->name, c->type);
	tpi_chan_drop_fd(c);
	__atomic_fetch_or(&c->attention, TP_CHAN_CLOSED, __ATOMIC_SEQ_CST);
	tpi_chan_heavy_fence(); /* partner: the light fence in lane-send.c, and that of a producer that waits for room */
	wake_producers(c);
	tpi_chan_drain(c);
	tpi_chan_enter(p, c);
	__atomic_store_n(&c->consumer, 0, __ATOMIC_SEQ_CST);
	tpi_chan_free_if_last(c);
	tpi_chan_leave(p);
	return NULL;
}
