/* SPDX-License-Identifier: MIT */
/*
 * A producer's end: taken, given back, and asked about.
 *
 * A lane is taken by CAS of its owner from 0 to the producer's tag; or it is made, complete and with its owner, and put into the
 * channel's list by CAS. A producer killed in between has a lane in which there is nothing, or has lost one block.
 *
 * It is given back by its producer, if nothing is left in it; else it is marked, and the consumer frees it once all is acknowledged. While
 * the owner is a live program's tag, only that program changes it; the owner of a dead one, and a marked one, only the consumer.
 * A producer that frees its lane itself counts `closed` first, which is what the consumer is told by:
 *
 *	killed before             it is a dead producer with a lane
 *	after closed + 1          that, too, and an end by closing is told as well
 *	after producer = 0        only the end by closing
 *	after owner = 0           the death makes the consumer look, even without changes + 1
 */
#include <string.h>

#include "chan.h"
#include "names.h"
#include <tp/heap.h>
#include <tp/name.h>

int tpi_chan_type(const char *type, char ret_type[64])
{
	enum { PREFIX = sizeof(TP_CHAN_TYPE_PREFIX) - 1 };
	size_t n = type ? strnlen(type, 64) : 0;

	if (!n || n > TP_NAME_LENGTH_MAX - PREFIX)
		return tpi_fail(-EINVAL, "the type of a channel has 1 to %u bytes", (uint64_t)(TP_NAME_LENGTH_MAX - PREFIX));
	memset(ret_type, 0, 64);
	memcpy(ret_type, TP_CHAN_TYPE_PREFIX, PREFIX);
	memcpy(ret_type + PREFIX, type, n);
	return 0;
}

int tpi_lane_refuse(const struct tp_lane *l)
{
	int r = tpi_ready();
	uint32_t owner;

	if (r < 0)
		return r;
	if (!l)
		return tpi_fail(-EINVAL, "there is no lane (NULL)");
	if (!tpi_in_segment(l, sizeof(*l)) || !tpi_chan_plausible(l))
		return tpi_fail(-EBADF, "%x is no lane", (uint64_t)(uintptr_t)l);
	owner = __atomic_load_n(&l->owner, __ATOMIC_RELAXED);
	if (owner == tpi_self.tag)
		return 0;
	return tpi_fail(-EBADF, owner && !(owner & TP_LANE_CLOSING) ? "the lane at %x is another program's"
								    : "the lane at %x has been closed",
		(uint64_t)(uintptr_t)l);
}

static void begin(struct tp_lane *l)
{
	l->start = l->acked;
	l->room = 0;
	l->fence = tpi_chan_light_needs_fence();
	__atomic_store_n(&l->sent, l->acked, __ATOMIC_RELAXED);
	/* Last: from now on the consumer tells of this producer's death. Partner: the acquire in end_of. */
	__atomic_store_n(&l->producer, tpi_self.id, __ATOMIC_RELEASE);
}

static struct tp_lane *take(struct tp_chan *c, uint32_t i)
{
	struct tp_lane *l = tpi_lane(c, i);
	uint32_t free = 0;

	/* Partner: the release in tpi_lane_retire and in free_empty. All slots are 0 then. */
	if (__atomic_load_n(&l->owner, __ATOMIC_RELAXED) ||
		!__atomic_compare_exchange_n(&l->owner, &free, tpi_self.tag, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return NULL;
	begin(l);
	return l;
}

/* Not an errno: another producer was faster, or there is no free lane. */
enum { NO_LANE = 1 };

static int make(struct tp_chan *c, uint32_t i, struct tp_lane **ret_lane)
{
	size_t size = sizeof(struct tp_lane) + (size_t)c->capacity * sizeof(uint64_t);
	uint64_t none = 0;
	struct tp_lane *l;
	void *p;
	int r = tp_alloc(size, 128, &p);

	if (r < 0)
		return r;
	l = memset(p, 0, size);
	l->chan = (uint64_t)(uintptr_t)c;
	l->id_base = (uint64_t)i << TP_LANE_ID_SHIFT;
	l->capacity = c->capacity;
	l->owner = tpi_self.tag;
	begin(l);
	/* Partner: the acquire in tpi_lane. */
	if (__atomic_compare_exchange_n(&c->lane[i], &none, (uint64_t)(uintptr_t)l, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		*ret_lane = l;
		return 0;
	}
	tp_free(l);
	return NO_LANE;
}

/* NO_LANE: none is free. */
static int take_or_make(struct tp_chan *c, struct tp_lane **ret_lane)
{
	for (uint32_t i = 0; i < c->lanes_max; i++) {
		struct tp_lane *l = NULL;
		int r = tpi_lane(c, i) ? NO_LANE : make(c, i, ret_lane);

		if (r != NO_LANE)
			return r;
		l = take(c, i);
		if (l) {
			*ret_lane = l;
			return 0;
		}
	}
	return NO_LANE;
}

bool tpi_chan_valid(const struct tp_chan *c)
{
	if (!tpi_chan_plausible(c) || !tpi_in_segment(c, sizeof(*c)) || c->magic != TP_CHAN_MAGIC)
		return false;
	if (!c->lanes_max || c->lanes_max > TP_CHAN_LANES_MAX || c->capacity > TP_CHAN_CAPACITY_MAX ||
		!c->capacity || c->capacity & (c->capacity - 1))
		return false;
	for (uint32_t i = 0; i < c->lanes_max; i++) {
		const struct tp_lane *l = tpi_lane(c, i);

		if (!l)
			break;
		if (!tpi_chan_plausible(l) || !tpi_in_segment(l, sizeof(*l) + (size_t)c->capacity * 8) ||
			l->capacity != c->capacity || l->id_base != (uint64_t)i << TP_LANE_ID_SHIFT)
			return false;
	}
	return true;
}

static int not_valid(const struct tp_name *n)
{
	return tpi_fail(-EUCLEAN, "channel %s at %x has been damaged", n->name, (uint64_t)(uintptr_t)n->ptr);
}

/* What was read while the channel could not be freed. */
struct seen {
	uint32_t freed, lanes;
};

/* Inside: the channel stays. -ESTALE: the name stands for another one by now; NO_LANE: no free lane (*ret_seen is what to wait for). */
static int enter_lane(struct tp_chan *c, const struct tp_name *n, struct seen *ret_seen, struct tp_lane **ret_lane)
{
	int r = tp_name_check(n);

	if (r < 0)
		return -ESTALE;
	if (!tpi_chan_valid(c))
		return not_valid(n);
	*ret_seen = (struct seen){__atomic_load_n(&c->freed, __ATOMIC_SEQ_CST), c->lanes_max};
	r = take_or_make(c, ret_lane);
	if (r)
		return r;
	tpi_chan_changed(c);
	/* Closed meanwhile: it is given back as by tp_lane_close. */
	if (__atomic_load_n(&c->attention, __ATOMIC_SEQ_CST) & TP_CHAN_CLOSED) {
		__atomic_fetch_or(&(*ret_lane)->owner, TP_LANE_CLOSING, __ATOMIC_SEQ_CST);
		tpi_chan_free_if_last(c);
		return -ESTALE;
	}
	return 0;
}

static int find_now(const char *name, const char *type, struct tp_name *ret_name)
{
	int r = tp_lookup(name, type, ret_name);

	if (r == 0 && !ret_name->alive)
		return tpi_fail(-EOWNERDEAD, "the consumer of channel %s has died, and none has come since", name);
	return r;
}

static bool may_come(int r)
{
	return r == -ENOENT || r == -EPROTOTYPE || r == -EOWNERDEAD;
}

/* As tp_wait (names-wait.c has the argument), but a kept name whose owner has died is waited out, too. */
static int find(const char *name, const char *type, int64_t deadline, struct tp_name *ret_name)
{
	struct tp_names *t = tpi_names();
	int r = find_now(name, type, ret_name);

	while (may_come(r) && deadline != TP_NOWAIT) {
		uint32_t deaths = tpi_wait_begin(), changes = tpi_names_wait_mark(t);

		r = find_now(name, type, ret_name);
		if (may_come(r) && tpi_wait_a_while(&t->changes, changes, deaths, deadline) < 0)
			return -ETIMEDOUT;
	}
	return r;
}

#define NO_LANE_IN_TIME "all lanes of the channel were in use until the time was over"

/* Nothing keeps the channel any more, so its memory may be freed, and used anew, around the sleeper. Only the kernel looks. */
static int wait_for_lane(uint32_t *word, const char *name, struct seen seen, int64_t deadline)
{
	if (deadline == TP_NOWAIT)
		return tpi_fail(-ENOSPC, "channel %s has lanes for %u producers, and all are in use", name, (uint64_t)seen.lanes);
	return tpi_wait_a_while(word, seen.freed, tpi_wait_begin(), deadline) < 0 ? tpi_say(-ETIMEDOUT, NO_LANE_IN_TIME) : 0;
}

int tp_chan_open(const char *name, const char *type, int64_t timeout, struct tp_lane **ret_lane)
{
	struct tpi_chan_process *p;
	struct tp_name n;
	struct tp_lane *l = NULL;
	char full[64];
	int64_t deadline;
	struct seen seen = {0};
	uint32_t stale = 0;
	int r = tpi_ready();

	if (r < 0)
		return r;
	if (!name || !ret_lane)
		return tpi_fail(-EINVAL, "tp_chan_open: name or place for the result is NULL");
	r = tpi_chan_type(type, full);
	p = tpi_chan_process();
	if (r < 0 || !p)
		return r < 0 ? r : -ENOMEM;
	deadline = tpi_chan_deadline(timeout);
	for (;;) {
		r = find(name, full, deadline, &n);
		if (r < 0)
			return r;
		tpi_chan_enter(p, n.ptr);
		r = enter_lane(n.ptr, &n, &seen, &l);
		tpi_chan_leave(p);
		if (r == NO_LANE)
			r = wait_for_lane(&((struct tp_chan *)n.ptr)->freed, name, seen, deadline);
		if (r < 0 && r != -ESTALE)
			return r;
		if (l && r == 0) {
			*ret_lane = l;
			return 0;
		}
		l = NULL;
		/* Somebody destroys and makes it again all the time, or a destroyer stands still. */
		if (r == -ESTALE && deadline != TP_FOREVER && ++stale > 3 && tpi_now() >= deadline)
			return tpi_fail(-ENOENT, "channel %s is being closed", name);
	}
}

/* The last slot is the last to become 0: a consumer may be between acked and the slots, or have died there. */
static bool nothing_left(struct tp_lane *l)
{
	/* Partner: the release of acked in chan-recv.c. */
	return __atomic_load_n(&l->acked, __ATOMIC_ACQUIRE) == l->sent && !__atomic_load_n(tpi_slot(l, l->sent - 1), __ATOMIC_ACQUIRE);
}

/* Every order here is argued above. The lane may be another's as soon as the owner is 0. */
static void free_empty(struct tp_chan *c, struct tp_lane *l)
{
	__atomic_fetch_add(&c->closed, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&l->producer, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&l->owner, 0, __ATOMIC_RELEASE); /* partners: the CAS in take, the acquire in end_of */
	tpi_chan_changed(c);
	tpi_lane_freed(c);
}

static void mark(struct tp_chan *c, struct tp_lane *l)
{
	/* Partner: the acquire in end_of: whoever sees this sees all that was sent. */
	__atomic_store_n(&l->owner, tpi_self.tag | TP_LANE_CLOSING, __ATOMIC_SEQ_CST);
	tpi_chan_changed(c);
}

struct tp_lane *tp_lane_close(struct tp_lane *l)
{
	struct tpi_chan_process *p;
	struct tp_chan *c;

	if (!l || tpi_lane_mine(l) < 0 || !(p = tpi_chan_process()))
		return NULL;
	c = (struct tp_chan *)(uintptr_t)l->chan;
	tpi_chan_enter(p, c);
	if (nothing_left(l))
		free_empty(c, l);
	else
		mark(c, l);
	tpi_chan_free_if_last(c);
	tpi_chan_leave(p);
	return NULL;
}

int tp_lane_acknowledged(struct tp_lane *l, uint64_t *ret_count)
{
	int r = tpi_lane_mine(l);

	if (r < 0)
		return r;
	if (!ret_count)
		return tpi_fail(-EINVAL, "tp_lane_acknowledged: there is no place for the result");
	/* Partner: the release of acked in chan-recv.c: the consumer has read what was lent. */
	*ret_count = __atomic_load_n(&l->acked, __ATOMIC_ACQUIRE) - l->start;
	return 0;
}

int tp_lane_wait_consumer(struct tp_lane *l, int64_t timeout)
{
	int64_t deadline = tpi_chan_deadline(timeout);
	int r = tpi_lane_mine(l);

	while (r == 0) {
		struct tp_chan *c = (struct tp_chan *)(uintptr_t)l->chan;
		uint32_t deaths = tpi_wait_begin();
		uint32_t takeovers = __atomic_load_n(&c->takeovers, __ATOMIC_SEQ_CST);

		if (__atomic_load_n(&c->attention, __ATOMIC_ACQUIRE) & TP_CHAN_CLOSED)
			return tpi_fail(-EPIPE, "channel %s has been closed by its consumer", c->name);
		if (tpi_tag_alive(__atomic_load_n(&c->consumer, __ATOMIC_ACQUIRE)))
			return 0;
		if (timeout == TP_NOWAIT)
			return tpi_fail(-EOWNERDEAD, "the consumer of channel %s has died", c->name);
		r = tpi_wait(&c->takeovers, takeovers, deaths, deadline);
		if (r < 0)
			return tpi_say(r, "no program has taken the channel over in time");
	}
	return r;
}
