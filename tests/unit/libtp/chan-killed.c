/* SPDX-License-Identifier: MIT */
/*
 * One side of a channel is killed after each instruction of each call. Afterwards nothing is lost, nothing is invented, nobody is blocked:
 * what was sent arrives in order or arrives again with the same id, a new program takes the dead one's part.
 *
 * Calls that look up names and allocate take some thousand instructions: of these, every so many is a point. With the argument
 * `all`, each is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chan.h"
#include "chan-group.h"
#include "killstep.h"
#include <tp/heap.h>
#include <tp/name.h>

#define MARK(n) ((void *)(TP_HEAP_BASE + 0x100000 + (uint64_t)(n)))

enum { CAPACITY = 8 };

static bool all_points;

static struct {
	uint64_t consumer, producer; /* played by the test itself */
	struct tp_chan *chan;
	struct tp_lane *lane; /* the test's */
	struct tp_lane **victims; /* in the heap: the victim's lane */
	char name[32];
	unsigned runs;
	int before;		/* messages 1..before are sent before the call */
	int acked;		/* of them, acknowledged before the call */
} w;

static uint64_t stride(uint64_t n)
{
	return all_points ? 1 : n;
}

static int create(void)
{
	struct tp_chan_options o = {.size = sizeof(o), .capacity = CAPACITY, .lanes = 3, .flags = TP_CHAN_NO_SPIN};

	return tp_chan_create(w.name, "t", &o, &w.chan);
}

static void fresh_name(void *arg)
{
	(void)arg;
	snprintf(w.name, sizeof(w.name), "k%u", w.runs++);
	w.chan = NULL;
	w.lane = NULL;
}

/* The test is the consumer; what was there before is closed. */
static void with_consumer(void *arg)
{
	fresh_name(arg);
	as(w.consumer);
	if (create())
		abort();
	as(w.producer);
}

/* The test is the producer; a mortal consumer has made the channel and gone. */
static void with_producer(void *arg)
{
	uint64_t mortal = tpgroup_add("mortal");

	fresh_name(arg);
	as(mortal);
	if (create())
		abort();
	as(w.producer);
	if (tp_chan_open(w.name, "t", TP_NOWAIT, &w.lane))
		abort();
	for (int i = 1; i <= w.before; i++)
		if (tp_lane_send_lend(w.lane, MARK(i), TP_NOWAIT))
			abort();
	tpgroup_died(mortal);
}

static int open_victims_lane(void *arg)
{
	(void)arg;
	if (tp_chan_open(w.name, "t", TP_NOWAIT, w.victims))
		return 1;
	for (int i = 1; i <= w.before; i++)
		if (tp_lane_send_lend(*w.victims, MARK(i), TP_NOWAIT))
			return 2;
	return 0;
}

/* What the last receives() ended with. */
static int last_told;

/* Afterwards the consumer gets 1..at least, at most ...most, in order, then hears of the death (or of the end), and the channel is as good as new. */
static int receives(int least, int most, int end)
{
	struct tp_message m;
	uint64_t id = 0;
	int r, n = 0;

	as(w.consumer);
	while ((r = tp_chan_recv(w.chan, TP_NOWAIT, &m)) == 0) {
		if (m.ptr != MARK(++n))
			return 1;
		if (n > 1 && m.id != id + 1)
			return 2;
		id = m.id;
		if (tp_chan_ack(w.chan, &m))
			return 3;
	}
	last_told = r;
	if (n < least || n > most)
		return 10 + n;
	if (end && r != end)
		return 4;
	return 0;
}

/* All lanes can be had, used and given back. */
static int works_as_new(void)
{
	struct tp_lane *l[3];
	struct tp_message m;
	int r = 0;

	for (int round = 0; round < 2; round++) {
		as(w.producer);
		for (int i = 0; i < 3; i++)
			if ((r = tp_chan_open(w.name, "t", TP_SECOND, &l[i])))
				return 50 + i;
		for (int i = 0; i < 3 * CAPACITY; i++)
			if (tp_lane_send_lend(l[i % 3], MARK(7), TP_NOWAIT))
				return 53;
		for (int i = 0; i < 3; i++)
			tp_lane_close(l[i]);
		as(w.consumer);
		for (int i = 0; i < 3 * CAPACITY; i++)
			if (tp_chan_recv(w.chan, TP_NOWAIT, &m) || m.ptr != MARK(7) || tp_chan_ack(w.chan, &m))
				return 54;
		if (tp_chan_recv(w.chan, TP_NOWAIT, &m) != -EPIPE)
			return 55;
	}
	w.chan = tp_chan_destroy(w.chan);
	return w.runs % 16 == 0 && tp_heap_check() ? 56 : 0;
}

static int send_one(void *arg)
{
	(void)arg;
	return -tp_lane_send_lend(*w.victims, MARK(w.before + 1), TP_NOWAIT);
}

static int check_send(void *arg, const struct killstep_point *at)
{
	int r = receives(w.before + (at->finished && !at->result), w.before + 1, -EOWNERDEAD);

	(void)arg;
	return r ? r : works_as_new();
}

static void a_sender_dies(void **state)
{
	struct killstep k = {.prepare = with_consumer, .setup = open_victims_lane, .call = send_one, .check = check_send};

	(void)state;
	for (w.before = 0; w.before < 3; w.before++)
		assert_true(killstep(&k, NULL) > 20);
}

static int send_one_to_a_sleeper(void *arg)
{
	(void)arg;
	return -tp_lane_send_lend(*w.victims, MARK(w.before + 1), TP_NOWAIT);
}

static void with_sleeping_consumer(void *arg)
{
	with_consumer(arg);
	__atomic_fetch_or(&w.chan->attention, TP_CHAN_ASLEEP, __ATOMIC_SEQ_CST);
}

static void a_sender_dies_waking(void **state)
{
	struct killstep k = {.prepare = with_sleeping_consumer, .setup = open_victims_lane, .call = send_one_to_a_sleeper,
		.check = check_send};

	(void)state;
	w.before = 0;
	assert_true(killstep(&k, NULL) > 30);
}

static int send_batch(void *arg)
{
	void *ptrs[3] = {MARK(w.before + 1), MARK(w.before + 2), MARK(w.before + 3)};
	int r = tp_lane_send_batch_lend(*w.victims, ptrs, 3, TP_NOWAIT);

	(void)arg;
	return r == 3 ? 0 : 1;
}

static int check_batch(void *arg, const struct killstep_point *at)
{
	int r = receives(w.before + (at->finished ? 3 : 0), w.before + 3, -EOWNERDEAD);

	(void)arg;
	return r ? r : works_as_new();
}

static void a_sender_of_a_batch_dies(void **state)
{
	struct killstep k = {.prepare = with_consumer, .setup = open_victims_lane, .call = send_batch, .check = check_batch};

	(void)state;
	w.before = 2;
	assert_true(killstep(&k, NULL) > 30);
}

static int send_waiting(void *arg)
{
	(void)arg;
	return -tp_lane_send_lend(*w.victims, MARK(w.before + 1), 10 * TP_SECOND);
}

static void take_one(void *arg)
{
	struct tp_message m;

	(void)arg;
	as(w.consumer);
	if (tp_chan_recv(w.chan, TP_NOWAIT, &m) == 0)
		tp_chan_ack(w.chan, &m);
	w.acked++;
}

static int check_waiting(void *arg, const struct killstep_point *at)
{
	struct tp_message m;
	int n = w.acked, r;

	(void)arg;
	w.acked = 0;
	as(w.consumer);
	while ((r = tp_chan_recv(w.chan, TP_NOWAIT, &m)) == 0) {
		if (m.ptr != MARK(++n) || tp_chan_ack(w.chan, &m))
			return 1;
	}
	if (r != -EOWNERDEAD || n < w.before + (at->finished && !at->result) || n > w.before + 1)
		return 10 + n;
	return works_as_new();
}

static void a_sender_dies_waiting_for_room(void **state)
{
	struct killstep k = {.prepare = with_consumer, .setup = open_victims_lane, .call = send_waiting, .check = check_waiting,
		.asleep = take_one, .stride = stride(11)};

	(void)state;
	w.before = CAPACITY;
	w.acked = 0;
	assert_true(killstep(&k, NULL) > 5);
}

static int close_lane(void *arg)
{
	(void)arg;
	tp_lane_close(*w.victims);
	return 0;
}

/* An end is told in any case: of a closed lane, or of a dead program. */
static int check_close(void *arg, const struct killstep_point *at)
{
	struct tp_message m;
	int r = receives(w.before, w.before, at->finished ? -EPIPE : 0);

	(void)arg;
	if (!r && !at->finished) {
		r = tp_chan_recv(w.chan, TP_NOWAIT, &m);
		r = last_told == -EPIPE || last_told == -EOWNERDEAD ? r != -EAGAIN && r != -EPIPE : 5;
	}
	return r ? r : works_as_new();
}

static void a_closer_dies(void **state)
{
	struct killstep k = {.prepare = with_consumer, .setup = open_victims_lane, .call = close_lane, .check = check_close, .stride = stride(5)};

	(void)state;
	for (w.before = 0; w.before <= 3; w.before += 3)
		assert_true(killstep(&k, NULL) > 5);
}

/* The consumer has acknowledged what the victim sent, up to the last slot, to be cleared, or not. */
static int all_acknowledged(void *arg)
{
	struct tp_lane *l;
	int r = open_victims_lane(arg);

	if (r)
		return r;
	l = *w.victims;
	l->taken = l->acked = l->sent;
	memset(l->slot, 0, CAPACITY * sizeof(l->slot[0]));
	return 0;
}

static int check_close_acknowledged(void *arg, const struct killstep_point *at)
{
	int before = w.before, r;

	w.before = 0;
	r = check_close(arg, at);
	w.before = before;
	return r;
}

static void a_closer_of_an_emptied_lane_dies(void **state)
{
	struct killstep k = {.prepare = with_consumer, .setup = all_acknowledged, .call = close_lane, .check = check_close_acknowledged,
		.stride = stride(5)};

	(void)state;
	w.before = 5;
	assert_true(killstep(&k, NULL) > 5);
}

static int open_one(void *arg)
{
	(void)arg;
	return tp_chan_open(w.name, "t", TP_NOWAIT, w.victims) ? 1 : 0;
}

static int check_open(void *arg, const struct killstep_point *at)
{
	int r = receives(0, 0, 0);

	(void)arg;
	(void)at;
	return r ? r : works_as_new();
}

static void an_opener_dies(void **state)
{
	struct killstep k = {.prepare = with_consumer, .call = open_one, .check = check_open, .stride = stride(37)};

	(void)state;
	assert_true(killstep(&k, NULL) > 5);
}

/* As above, into a lane that has been used before. */
static void with_used_lane(void *arg)
{
	with_consumer(arg);
	if (tp_chan_open(w.name, "t", TP_NOWAIT, &w.lane) || tp_lane_send_lend(w.lane, MARK(1), TP_NOWAIT))
		abort();
	tp_lane_close(w.lane);
	if (receives(1, 1, -EPIPE))
		abort();
}

static void an_opener_of_a_used_lane_dies(void **state)
{
	struct killstep k = {.prepare = with_used_lane, .call = open_one, .check = check_open, .stride = stride(37)};

	(void)state;
	assert_true(killstep(&k, NULL) > 5);
}

/* Consumers from here on. The victim takes the mortal's channel over in its setup. */
static int victim_consumes(void *arg)
{
	struct tp_message m;

	(void)arg;
	if (create())
		return 1;
	for (int i = 0; i < w.acked; i++)
		if (tp_chan_recv(w.chan, TP_NOWAIT, &m))
			return 2;
	return w.acked ? -tp_chan_ack(w.chan, &m) : 0;
}

/* A successor gets first..before, where `least` <= first <= `most`; ids say which they are; what comes later is no repeat. */
static int successor_gets(int least, int most, int repeats)
{
	struct tp_message m;
	uint64_t id = 0;
	int r, n = 0;

	as(w.consumer);
	r = create();
	if (r)
		return 60 - r;
	while ((r = tp_chan_recv(w.chan, TP_NOWAIT, &m)) == 0) {
		int k = (int)((uint64_t)(uintptr_t)m.ptr - (uint64_t)(uintptr_t)MARK(0));

		if (!n && (k < least || k > most))
			return 100 + k;
		if (n && (k != n + 1 || m.id != id + 1))
			return 1;
		if (m.repeated && k > repeats)
			return 2;
		n = k;
		id = m.id;
		if ((m.id & 0xffff) != (uint64_t)(k - 1))
			return 3;
		if (tp_chan_ack(w.chan, &m))
			return 4;
	}
	if (r != -EAGAIN || (n != w.before && !(n == 0 && most > w.before)))
		return 30 + n;
	as(w.producer);
	for (int i = 0; i < CAPACITY; i++)
		if (tp_lane_send_lend(w.lane, MARK(9), TP_NOWAIT))
			return 5;
	if (tp_lane_send_lend(w.lane, MARK(9), TP_NOWAIT) != -EAGAIN)
		return 6;
	as(w.consumer);
	for (int i = 0; i < CAPACITY; i++)
		if (tp_chan_recv(w.chan, TP_NOWAIT, &m) || m.ptr != MARK(9) || m.repeated || tp_chan_ack(w.chan, &m))
			return 7;
	as(w.producer);
	tp_lane_close(w.lane);
	as(w.consumer);
	if (tp_chan_recv(w.chan, TP_NOWAIT, &m) != -EPIPE)
		return 8;
	return works_as_new();
}

static int recv_one(void *arg)
{
	struct tp_message m;

	(void)arg;
	return -tp_chan_recv(w.chan, TP_NOWAIT, &m);
}

/*
 * A consumer looks at a lane, and stands still; the lane's owner closes it, another program takes it, the first one dies. What the
 * consumer does then must not be meant for the second.
 */
static uint64_t first_owner;

static void with_first_owner(void *arg)
{
	uint64_t mortal = tpgroup_add("mortal");

	fresh_name(arg);
	as(mortal);
	if (create())
		abort();
	first_owner = tpgroup_add("first");
	as(first_owner);
	if (tp_chan_open(w.name, "t", TP_NOWAIT, &w.lane))
		abort();
	tpgroup_died(mortal);
}

static int change_hands(void *arg, const struct killstep_point *at)
{
	struct tp_lane *l;

	(void)arg;
	(void)at;
	as(first_owner);
	tp_lane_close(w.lane);
	as(w.producer);
	if (tp_chan_open(w.name, "t", TP_NOWAIT, &l))
		return 1;
	tpgroup_died(first_owner);
	return l == w.lane ? 0 : 2;
}

static int second_owner_has_it(void *arg, const struct killstep_point *at)
{
	struct tp_message m;

	(void)arg;
	if (at->result != EAGAIN && at->result != EPIPE)
		return 1;
	if (w.lane->owner != TP_TAG(w.producer) || w.lane->ending)
		return 2;
	as(w.producer);
	if (tp_lane_send_lend(w.lane, MARK(1), TP_NOWAIT))
		return 3;
	tp_lane_close(w.lane);
	tpgroup_died(at->id);
	as(w.consumer);
	if (create() || tp_chan_recv(w.chan, TP_NOWAIT, &m) || m.ptr != MARK(1) || tp_chan_ack(w.chan, &m))
		return 4;
	return tp_chan_recv(w.chan, TP_NOWAIT, &m) == -EPIPE ? works_as_new() : 5;
}

static void a_lane_changes_hands_under_the_consumer(void **state)
{
	struct killstep k = {.prepare = with_first_owner, .setup = victim_consumes, .call = recv_one, .check = change_hands,
		.after = second_owner_has_it, .pause = true, .silent = true, .dense = true};

	(void)state;
	w.before = w.acked = 0;
	assert_true(killstep(&k, NULL) > 30);
}

/*
 * A consumer looks at the lanes, and stands still somewhere; a program opens one that it has seen free, then the last other producer closes.
 * There is a producer at every moment, so no end is told.
 */
static struct tp_lane *other_lane;

static void with_a_free_lane(void *arg)
{
	uint64_t mortal = tpgroup_add("mortal");
	struct tp_lane *l;

	fresh_name(arg);
	as(mortal);
	if (create())
		abort();
	as(w.producer);
	if (tp_chan_open(w.name, "t", TP_NOWAIT, &l) || tp_chan_open(w.name, "t", TP_NOWAIT, &other_lane))
		abort();
	tp_lane_close(l);
	tpgroup_died(mortal);
}

static int hand_over(void *arg, const struct killstep_point *at)
{
	(void)arg;
	(void)at;
	as(w.producer);
	if (tp_chan_open(w.name, "t", TP_NOWAIT, &w.lane) || w.lane == other_lane)
		return 1;
	tp_lane_close(other_lane);
	return 0;
}

static int no_end_was_told(void *arg, const struct killstep_point *at)
{
	struct tp_message m;

	(void)arg;
	as(w.producer);
	tp_lane_close(w.lane);
	tpgroup_died(at->id);
	if (at->result != EAGAIN)
		return 1;
	as(w.consumer);
	if (create() || tp_chan_recv(w.chan, TP_NOWAIT, &m) != -EPIPE)
		return 2;
	return works_as_new();
}

static void a_hand_over_under_the_consumer_is_no_end(void **state)
{
	struct killstep k = {.prepare = with_a_free_lane, .setup = victim_consumes, .call = recv_one, .check = hand_over,
		.after = no_end_was_told, .pause = true, .silent = true, .dense = true};

	(void)state;
	w.before = w.acked = 0;
	assert_true(killstep(&k, NULL) > 30);
}

static int recv_batch(void *arg)
{
	struct tp_message m[4];

	(void)arg;
	return tp_chan_recv_batch(w.chan, TP_NOWAIT, m, 4) > 0 ? 0 : 1;
}

static int check_recv(void *arg, const struct killstep_point *at)
{
	(void)arg;
	(void)at;
	return successor_gets(w.acked + 1, w.acked + 1, w.before);
}

static void a_receiver_dies(void **state)
{
	struct killstep k = {.prepare = with_producer, .setup = victim_consumes, .call = recv_one, .check = check_recv};

	(void)state;
	w.before = 5;
	for (w.acked = 0; w.acked < 3; w.acked++)
		assert_true(killstep(&k, NULL) > 20);
	k.call = recv_batch;
	w.acked = 1;
	assert_true(killstep(&k, NULL) > 30);
	w.acked = 0;
}

/* Takes messages 2..4, acknowledges them by the last. */
static int takes_more(void *arg)
{
	int r = victim_consumes(arg);

	for (int i = 0; !r && i < 3; i++)
		r = recv_one(arg);
	return r;
}

static int ack_some(void *arg)
{
	struct tp_message m = {.id = 3};

	(void)arg;
	return -tp_chan_ack(w.chan, &m);
}

static int check_ack(void *arg, const struct killstep_point *at)
{
	(void)arg;
	return successor_gets(at->finished ? 5 : 2, 5, 4);
}

static void an_acknowledger_dies(void **state)
{
	struct killstep k = {.prepare = with_producer, .setup = takes_more, .call = ack_some, .check = check_ack};

	(void)state;
	w.acked = 1;
	for (w.before = 5; w.before <= CAPACITY; w.before++)
		assert_true(killstep(&k, NULL) > 30);
	w.acked = 0;
}

/* The producer goes on at once in whatever slots it finds free: these must not be taken for what the dead consumer has left. */
static int check_ack_refilled(void *arg, const struct killstep_point *at)
{
	int before = w.before, r;

	(void)arg;
	as(w.producer);
	while (tp_lane_send_lend(w.lane, MARK(w.before + 1), TP_NOWAIT) == 0)
		w.before++;
	r = successor_gets(at->finished ? 5 : 2, 5, 4);
	w.before = before;
	return r;
}

static void an_acknowledger_dies_and_the_lane_is_refilled(void **state)
{
	struct killstep k = {.prepare = with_producer, .setup = takes_more, .call = ack_some, .check = check_ack_refilled};

	(void)state;
	w.acked = 1;
	w.before = CAPACITY;
	assert_true(killstep(&k, NULL) > 30);
	w.acked = 0;
}

static int recv_waiting(void *arg)
{
	struct tp_message m;

	(void)arg;
	return -tp_chan_recv(w.chan, 10 * TP_SECOND, &m);
}

static void send_to_it(void *arg)
{
	(void)arg;
	as(w.producer);
	if (tp_lane_send_lend(w.lane, MARK(++w.before), TP_NOWAIT))
		abort();
}

static int check_recv_waiting(void *arg, const struct killstep_point *at)
{
	int r;

	/* One more, so that there is something to get. */
	send_to_it(arg);
	r = successor_gets(1, 1, at->asleep ? 0 : w.before - 1);
	w.before = 0;
	return r;
}

static void a_sleeping_receiver_dies(void **state)
{
	struct killstep k = {.prepare = with_producer, .setup = victim_consumes, .call = recv_waiting, .check = check_recv_waiting,
		.asleep = send_to_it, .stride = stride(11)};

	(void)state;
	w.before = 0;
	assert_true(killstep(&k, NULL) > 5);
}

static int create_it(void *arg)
{
	(void)arg;
	return create() ? 1 : 0;
}

static int check_create(void *arg, const struct killstep_point *at)
{
	(void)arg;
	(void)at;
	as(w.consumer);
	if (create())
		return 1;
	return works_as_new();
}

static void a_creator_dies(void **state)
{
	struct killstep k = {.prepare = fresh_name, .call = create_it, .check = check_create, .stride = stride(71)};

	(void)state;
	assert_true(killstep(&k, NULL) > 5);
}

/* 1..5 have been sent, 1 acknowledged, 2 and 3 shown to a consumer that died; the victim takes over. */
static void with_unacknowledged(void *arg)
{
	uint64_t mortal;
	struct tp_message m;

	with_producer(arg);
	mortal = tpgroup_add("mortal");
	as(mortal);
	if (create() || tp_chan_recv(w.chan, TP_NOWAIT, &m) || tp_chan_ack(w.chan, &m) ||
		tp_chan_recv(w.chan, TP_NOWAIT, &m) || tp_chan_recv(w.chan, TP_NOWAIT, &m))
		abort();
	tpgroup_died(mortal);
}

static int check_takeover(void *arg, const struct killstep_point *at)
{
	(void)arg;
	(void)at;
	return successor_gets(2, 2, 3);
}

static void a_successor_dies(void **state)
{
	struct killstep k = {.prepare = with_unacknowledged, .call = create_it, .check = check_takeover, .stride = stride(47)};

	(void)state;
	w.before = 5;
	assert_true(killstep(&k, NULL) > 5);
}

static int destroy_it(void *arg)
{
	(void)arg;
	tp_chan_destroy(w.chan);
	return 0;
}

static int check_destroy(void *arg, const struct killstep_point *at)
{
	int r = tp_lane_send_lend(w.lane, MARK(6), TP_NOWAIT);

	(void)arg;
	if (r != -EPIPE && (at->finished || r))
		return 1;
	tp_lane_close(w.lane);
	as(w.consumer);
	if (create())
		return 2;
	/* Either a new one, or what there was before it was closed. */
	while (tp_chan_recv(w.chan, TP_NOWAIT, &(struct tp_message){0}) == 0)
		;
	tp_chan_destroy(w.chan);
	if (create())
		return 3;
	return works_as_new();
}

static void a_destroyer_dies(void **state)
{
	struct killstep k = {.prepare = with_producer, .setup = victim_consumes, .call = destroy_it, .check = check_destroy, .stride = stride(73)};

	(void)state;
	w.before = 5;
	assert_true(killstep(&k, NULL) > 5);
}

static int open_group(void **state)
{
	void *p;

	(void)state;
	tpgroup_open(512 << 20);
	w.consumer = tpgroup_add("consumer");
	w.producer = tpgroup_add("producer");
	as(w.consumer);
	if (tp_alloc(64, 64, &p))
		return 1;
	w.victims = p;
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_dies),
		cmocka_unit_test(a_sender_dies_waking),
		cmocka_unit_test(a_sender_of_a_batch_dies),
		cmocka_unit_test(a_sender_dies_waiting_for_room),
		cmocka_unit_test(a_closer_dies),
		cmocka_unit_test(a_closer_of_an_emptied_lane_dies),
		cmocka_unit_test(an_opener_dies),
		cmocka_unit_test(an_opener_of_a_used_lane_dies),
		cmocka_unit_test(a_receiver_dies),
		cmocka_unit_test(a_lane_changes_hands_under_the_consumer),
		cmocka_unit_test(a_hand_over_under_the_consumer_is_no_end),
		cmocka_unit_test(an_acknowledger_dies),
		cmocka_unit_test(an_acknowledger_dies_and_the_lane_is_refilled),
		cmocka_unit_test(a_sleeping_receiver_dies),
		cmocka_unit_test(a_creator_dies),
		cmocka_unit_test(a_successor_dies),
		cmocka_unit_test(a_destroyer_dies),
	};

	all_points = argc > 1 && !strcmp(argv[1], "all");
	return cmocka_run_group_tests(tests, open_group, close_group);
}
