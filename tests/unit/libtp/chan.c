/* SPDX-License-Identifier: MIT */
/*
 * Channels, call by call. One process plays all programs of the group, see chan-group.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chan.h"
#include "chan-group.h"
#include "names.h"
#include <tp/heap.h>
#include <tp/name.h>

static uint64_t consumer, producer;
static struct tp_chan *chan;
static struct tp_lane *lane;

#define MARK(n) ((void *)(TP_HEAP_BASE + 0x100000 + (uint64_t)(n)))

static int start(void **state)
{
	struct tp_chan_options o = {.size = sizeof(o), .capacity = 8, .lanes = 3};

	(void)state;
	consumer = tpgroup_add("consumer");
	producer = tpgroup_add("producer");
	as(consumer);
	assert_int_equal(tp_chan_create("orders", "order@1", &o, &chan), 0);
	as(producer);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &lane), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	as(producer);
	tp_lane_close(lane);
	as(consumer);
	tp_chan_destroy(chan);
	tpgroup_died(producer);
	tpgroup_died(consumer);
	return 0;
}

static void send(int n)
{
	assert_int_equal(tp_lane_send_lend(lane, MARK(n), TP_NOWAIT), 0);
}

static struct tp_message recv_one(int n)
{
	struct tp_message m = {0};

	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), 0);
	assert_ptr_equal(m.ptr, MARK(n));
	return m;
}

static void recv_ack(int n)
{
	struct tp_message m = recv_one(n);

	assert_int_equal(tp_chan_ack(chan, &m), 0);
}

static void messages_arrive_in_order(void **state)
{
	struct tp_message m, first;
	uint64_t count = 9;

	(void)state;
	send(1);
	assert_int_equal(tp_lane_send_give(lane, MARK(3), TP_NOWAIT), 0);
	assert_int_equal(tp_lane_acknowledged(lane, &count), 0);
	assert_int_equal(count, 0);
	as(consumer);
	first = recv_one(1);
	assert_int_equal(first.given, 0);
	assert_int_equal(first.repeated, 0);
	assert_true(first.sender == producer);
	m = recv_one(3);
	assert_int_equal(m.given, 1);
	assert_true(m.id == first.id + 1);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
	assert_int_equal(tp_chan_recv(chan, 1000000, &m), -ETIMEDOUT);
	assert_int_equal(tp_chan_ack(chan, &m), 0);
	assert_int_equal(tp_chan_ack(chan, &first), 0);
	as(producer);
	assert_int_equal(tp_lane_acknowledged(lane, &count), 0);
	assert_int_equal(count, 2);
}

/* Odd addresses and the highest bits that there are. */
static void any_address_can_be_sent(void **state)
{
	void *ptrs[] = {(void *)1, (void *)7, (void *)0x7fffffffffff, (void *)0xffffffffffff};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct tp_message m;

		as(producer);
		assert_int_equal(tp_lane_send_give(lane, ptrs[i], TP_NOWAIT), 0);
		as(consumer);
		assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), 0);
		assert_ptr_equal(m.ptr, ptrs[i]);
		assert_int_equal(m.given, 1);
		tp_chan_ack(chan, &m);
	}
}

static void a_full_lane_pushes_back(void **state)
{
	struct tp_message m;

	(void)state;
	for (int i = 1; i <= 8; i++)
		send(i);
	assert_int_equal(tp_lane_send_lend(lane, MARK(9), TP_NOWAIT), -EAGAIN);
	assert_int_equal(tp_lane_send_lend(lane, MARK(9), 1000000), -ETIMEDOUT);
	assert_int_equal(lane->backpressure, 2);
	/* Taken is not enough: it may have to be delivered again. */
	as(consumer);
	for (int i = 1; i <= 8; i++)
		m = recv_one(i);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
	as(producer);
	assert_int_equal(tp_lane_send_lend(lane, MARK(9), TP_NOWAIT), -EAGAIN);
	as(consumer);
	m.id -= 7;
	assert_int_equal(tp_chan_ack(chan, &m), 0);
	as(producer);
	send(9);
	assert_int_equal(tp_lane_send_lend(lane, MARK(10), TP_NOWAIT), -EAGAIN);
	as(consumer);
	recv_ack(9);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
}

static int sends_a_ninth(void *unused)
{
	struct tp_lane *l;
	int r = tp_chan_open("orders", "order@1", TP_NOWAIT, &l);

	(void)unused;
	alarm(60);
	for (int i = 1; !r && i <= 8; i++)
		r = tp_lane_send_lend(l, MARK(i), TP_NOWAIT);
	return r || tp_lane_send_lend(l, MARK(9), TP_FOREVER) ? 1 : 0;
}

/* A producer waits until several slots are free, but not for long: one will do. */
static void one_free_slot_is_room(void **state)
{
	uint64_t sender = tpgroup_add("sender");
	pid_t pid = tpgroup_fork(sender, sends_a_ninth, NULL);
	struct tp_message m;

	(void)state;
	as(consumer);
	assert_int_equal(tp_chan_recv(chan, 10 * TP_SECOND, &m), 0);
	while (!__atomic_load_n(&((struct tp_lane *)(uintptr_t)chan->lane[1])->backpressure, __ATOMIC_RELAXED))
		usleep(100);
	assert_int_equal(tp_chan_ack(chan, &m), 0);
	assert_int_equal(tpgroup_join(pid, sender), 0);
	for (int i = 2; i <= 9; i++)
		recv_ack(i);
}

/* Counts go on beyond 32 bits and over many laps; each fill level of the ring is met at each place. */
static void counts_and_laps_go_round(void **state)
{
	uint64_t next = (UINT64_C(1) << 32) - 20;
	int sent = 0, got = 0;

	(void)state;
	lane->sent = lane->acked = lane->taken = lane->start = next;
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i <= round % 8; i++) {
			as(producer);
			send(++sent);
		}
		as(consumer);
		while (got < sent) {
			struct tp_message m = recv_one(++got);

			assert_true(m.id == next++);
			if (got % 3 == 0 || got == sent)
				tp_chan_ack(chan, &m);
		}
	}
}

static void batches(void **state)
{
	void *ptrs[20];
	struct tp_message m[20];

	(void)state;
	for (int i = 0; i < 20; i++)
		ptrs[i] = MARK(i + 1);
	assert_int_equal(tp_lane_send_batch_give(lane, ptrs, 5, TP_NOWAIT), 5);
	assert_int_equal(tp_lane_send_batch_lend(lane, ptrs + 5, 15, TP_NOWAIT), 3);
	assert_int_equal(tp_lane_send_batch_lend(lane, ptrs + 8, 12, TP_NOWAIT), -EAGAIN);
	assert_int_equal(tp_lane_send_batch_lend(lane, ptrs + 8, 12, 1000000), -ETIMEDOUT);
	as(consumer);
	assert_int_equal(tp_chan_recv_batch(chan, TP_NOWAIT, m, 3), 3);
	assert_int_equal(tp_chan_recv_batch(chan, TP_NOWAIT, m + 3, 17), 5);
	for (int i = 0; i < 8; i++) {
		assert_ptr_equal(m[i].ptr, ptrs[i]);
		assert_int_equal(m[i].given, i < 5);
		assert_true(m[i].id == m[0].id + (uint64_t)i);
	}
	assert_int_equal(tp_chan_recv_batch(chan, TP_NOWAIT, m, 3), -EAGAIN);
	assert_int_equal(tp_chan_ack(chan, &m[7]), 0);
	as(producer);
	assert_int_equal(tp_lane_send_batch_lend(lane, ptrs + 8, 12, TP_NOWAIT), 8);
	ptrs[1] = NULL;
	assert_int_equal(tp_lane_send_batch_lend(lane, ptrs, 2, TP_NOWAIT), -EINVAL);
}

static void the_end_of_producers_is_told_once(void **state)
{
	struct tp_message m;

	(void)state;
	send(1);
	lane = tp_lane_close(lane);
	assert_null(lane);
	as(consumer);
	recv_ack(1);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EPIPE);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
	as(producer);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &lane), 0);
	send(2);
	as(consumer);
	recv_ack(2);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
}

static void a_dead_producer_is_told_after_its_last_message(void **state)
{
	struct tp_message m;

	(void)state;
	send(1);
	send(2);
	tpgroup_died(producer);
	as(consumer);
	recv_ack(1);
	recv_ack(2);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EOWNERDEAD);
	assert_true(m.sender == producer);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
	assert_int_equal(lane->owner, 0);
	lane = NULL;
}

/* Its successor is another program, in the same lane; ids go on. */
static void a_lane_is_used_again(void **state)
{
	struct tp_message m, old;
	struct tp_lane *first = lane;

	(void)state;
	send(1);
	tpgroup_died(producer);
	as(consumer);
	old = recv_one(1);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EOWNERDEAD);
	/* Not before all is acknowledged: it might have to be sent again, in the dead one's name. */
	assert_int_not_equal(first->owner, 0);
	tp_chan_ack(chan, &old);
	producer = tpgroup_add("producer");
	as(producer);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &lane), 0);
	assert_ptr_equal(lane, first);
	send(2);
	as(consumer);
	m = recv_one(2);
	assert_true(m.sender == producer);
	assert_true(m.id == old.id + 1);
	assert_int_equal(tp_chan_ack(chan, &m), 0);
}

static void lanes_run_out_and_come_back(void **state)
{
	struct tp_lane *l[3];
	struct tp_message m;

	(void)state;
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l[1]), 0);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l[2]), 0);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l[0]), -ENOSPC);
	assert_non_null(strstr(tp_why(), "3 producers"));
	assert_int_equal(tp_chan_open("orders", "order@1", 1000000, &l[0]), -ETIMEDOUT);
	tp_lane_close(l[1]);
	as(consumer);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
	as(producer);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l[1]), 0);
	tp_lane_close(l[1]);
	tp_lane_close(l[2]);
}

/* Opened, closed and opened while the consumer is busy elsewhere: more often than there are lanes. It hears of an end, once. */
static void an_empty_lane_is_free_at_once(void **state)
{
	struct tp_lane *l, *first = NULL;
	struct tp_message m;

	(void)state;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l), 0);
		if (first)
			assert_ptr_equal(l, first);
		first = l;
		tp_lane_close(l);
	}
	send(1);
	as(consumer);
	recv_ack(1);
	as(producer);
	l = lane;
	lane = tp_lane_close(lane);
	assert_int_equal(l->owner, 0);
	as(consumer);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EPIPE);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
}

/* Until what was sent is acknowledged the lane is not free. */
static void a_lane_with_messages_is_kept_for_the_consumer(void **state)
{
	struct tp_lane *l = lane;
	struct tp_message m;

	(void)state;
	send(1);
	lane = tp_lane_close(lane);
	as(consumer);
	m = recv_one(1);
	assert_true(m.sender == producer);
	assert_int_equal(l->owner, TP_TAG(producer) | TP_LANE_CLOSING);
	assert_int_equal(tp_chan_ack(chan, &m), 0);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EPIPE);
	assert_int_equal(l->owner, 0);
}

/* Closed under a consumer that died before it could hear of it: its successor does. */
static void a_successor_hears_of_the_end(void **state)
{
	struct tp_message m;

	(void)state;
	lane = tp_lane_close(lane);
	tpgroup_died(consumer);
	consumer = tpgroup_add("consumer");
	as(consumer);
	assert_int_equal(tp_chan_create("orders", "order@1", NULL, &chan), 0);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EPIPE);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
}

/* A program whose threads are all taken: this one is not among them. */
static int opens_as_one_thread_too_many(void *unused)
{
	struct tp_lane *l;

	(void)unused;
	alarm(60);
	for (uintptr_t i = 1; tpi_threads_make(tpi_self.threads, i << 12); i++)
		;
	return tp_chan_open("orders", "order@1", TP_FOREVER, &l) == -EAGAIN ? 0 : 1;
}

/* Said, and not waited out as when there is no free lane. */
static void a_lane_that_cannot_be_made_is_not_waited_for(void **state)
{
	uint64_t crowded = tpgroup_add("crowded");

	(void)state;
	assert_int_equal(tpgroup_join(tpgroup_fork(crowded, opens_as_one_thread_too_many, NULL), crowded), 0);
}

static int opens_and_closes(void *unused)
{
	struct tp_lane *l;

	(void)unused;
	alarm(30);
	if (tp_chan_open("orders", "order@1", TP_FOREVER, &l) < 0)
		return 1;
	tp_lane_close(l);
	return 0;
}

/* The word that an opener sleeps on is not its own to keep: it looks again even when nobody wakes it. */
static void who_waits_for_a_lane_looks_again(void **state)
{
	uint64_t opener = tpgroup_add("opener");
	struct tp_lane *l[2];
	pid_t pid;

	(void)state;
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l[0]), 0);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l[1]), 0);
	pid = tpgroup_fork(opener, opens_and_closes, NULL);
	usleep(300000);
	/* A free lane without a wake. */
	l[1]->producer = 0;
	__atomic_store_n(&l[1]->owner, 0, __ATOMIC_SEQ_CST);
	assert_int_equal(tpgroup_join(pid, opener), 0);
	tp_lane_close(l[0]);
}

static void closing_changes_what_openers_sleep_on(void **state)
{
	uint32_t freed = chan->freed;

	(void)state;
	as(consumer);
	/* The producer's lane keeps its memory. */
	tp_chan_destroy(chan);
	assert_int_not_equal(chan->freed, freed);
	chan = NULL;
}

/* A publisher that has seen the mark of one who waited before cannot clear that of one who waits since. */
static void who_waits_for_a_channel_is_marked_by_the_count(void **state)
{
	struct tp_names *t = tpi_names();
	struct tp_lane *l;
	uint32_t seen;

	(void)state;
	assert_int_equal(tp_chan_open("nobody", "t", 1000000, &l), -ETIMEDOUT);
	seen = t->waiting;
	assert_int_not_equal(seen, 0);
	__atomic_fetch_add(&t->changes, 1, __ATOMIC_SEQ_CST);
	assert_int_equal(tp_chan_open("nobody", "t", 1000000, &l), -ETIMEDOUT);
	assert_int_not_equal(t->waiting, seen);
}

static void lanes_take_turns(void **state)
{
	struct tp_lane *other;
	int from_other = 0;

	(void)state;
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &other), 0);
	for (int i = 0; i < 8; i++) {
		send(1);
		assert_int_equal(tp_lane_send_lend(other, MARK(2), TP_NOWAIT), 0);
	}
	for (int i = 0; i < 200; i++) {
		struct tp_message m;

		as(consumer);
		assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), 0);
		tp_chan_ack(chan, &m);
		from_other += m.ptr == MARK(2);
		as(producer);
		assert_int_equal(tp_lane_send_lend(m.ptr == MARK(2) ? other : lane, m.ptr, TP_NOWAIT), 0);
	}
	assert_in_range(from_other, 60, 140);
	tp_lane_close(other);
}

static void restart_consumer(void)
{
	tpgroup_died(consumer);
	consumer = tpgroup_add("consumer");
	as(consumer);
	assert_int_equal(tp_chan_create("orders", "order@1", NULL, &chan), 0);
}

static void a_successor_gets_what_was_not_acknowledged(void **state)
{
	struct tp_chan *before = chan;
	struct tp_message m, second;

	(void)state;
	for (int i = 1; i <= 6; i++)
		send(i);
	as(consumer);
	recv_ack(1);
	second = recv_one(2);
	recv_one(3);
	restart_consumer();
	assert_ptr_equal(chan, before);
	m = recv_one(2);
	assert_int_equal(m.repeated, 1);
	assert_true(m.id == second.id);
	m = recv_one(3);
	assert_int_equal(m.repeated, 1);
	m = recv_one(4);
	assert_int_equal(m.repeated, 0);
	assert_int_equal(lane->redelivered, 2);
	/* And once more: 5 and 6 have not been shown to anybody. */
	restart_consumer();
	for (int i = 2; i <= 6; i++) {
		m = recv_one(i);
		assert_int_equal(m.repeated, i <= 4);
		tp_chan_ack(chan, &m);
	}
	as(producer);
	send(7);
	as(consumer);
	m = recv_one(7);
	assert_int_equal(m.repeated, 0);
	tp_chan_ack(chan, &m);
}

static void a_dead_consumer_is_told_when_the_lane_is_full(void **state)
{
	(void)state;
	as(consumer);
	tpgroup_died(consumer);
	as(producer);
	assert_int_equal(tp_lane_wait_consumer(lane, TP_NOWAIT), -EOWNERDEAD);
	assert_int_equal(tp_lane_wait_consumer(lane, 1000000), -ETIMEDOUT);
	for (int i = 1; i <= 8; i++)
		send(i);
	assert_int_equal(tp_lane_send_lend(lane, MARK(9), TP_NOWAIT), -EOWNERDEAD);
	assert_int_equal(tp_lane_send_lend(lane, MARK(9), TP_FOREVER), -EOWNERDEAD);
	consumer = tpgroup_add("consumer");
	as(consumer);
	assert_int_equal(tp_chan_create("orders", "order@1", NULL, &chan), 0);
	as(producer);
	assert_int_equal(tp_lane_wait_consumer(lane, TP_NOWAIT), 0);
	assert_int_equal(tp_lane_send_lend(lane, MARK(9), TP_NOWAIT), -EAGAIN);
	as(consumer);
	for (int i = 1; i <= 8; i++)
		recv_ack(i);
}

static void one_consumer_at_a_time(void **state)
{
	uint64_t rival = tpgroup_add("rival");
	struct tp_chan *c = NULL;
	struct tp_message m = {.id = 0};

	(void)state;
	as(rival);
	assert_int_equal(tp_chan_create("orders", "order@1", NULL, &c), -EEXIST);
	assert_non_null(strstr(tp_why(), "orders"));
	assert_null(c);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EBADF);
	assert_int_equal(tp_chan_ack(chan, &m), -EBADF);
	assert_int_equal(tp_lane_send_lend(lane, MARK(1), TP_NOWAIT), -EBADF);
	assert_null(tp_chan_destroy(chan));
	as(consumer);
	assert_int_equal(tp_chan_create("orders", "order@1", NULL, &c), -EEXIST);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EAGAIN);
	tpgroup_died(rival);
}

static void closing_tells_producers(void **state)
{
	uint64_t count;

	(void)state;
	send(1);
	as(consumer);
	chan = tp_chan_destroy(chan);
	assert_null(chan);
	as(producer);
	assert_int_equal(tp_lane_send_lend(lane, MARK(2), TP_NOWAIT), -EPIPE);
	assert_int_equal(tp_lane_send_batch_lend(lane, (void *[]){MARK(2)}, 1, TP_FOREVER), -EPIPE);
	assert_int_equal(tp_lane_wait_consumer(lane, TP_FOREVER), -EPIPE);
	assert_int_equal(tp_lane_acknowledged(lane, &count), 0);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &lane), -ENOENT);
}

static void what_was_given_is_freed_with_the_channel(void **state)
{
	struct tp_message m;
	void *block[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		block[i] = tp_malloc(100);
	assert_int_equal(tp_lane_send_give(lane, block[0], TP_NOWAIT), 0);
	assert_int_equal(tp_lane_send_give(lane, block[1], TP_NOWAIT), 0);
	assert_int_equal(tp_lane_send_lend(lane, block[2], TP_NOWAIT), 0);
	as(consumer);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), 0);
	chan = tp_chan_destroy(chan);
	assert_int_equal(tp_free(block[1]), -EALREADY);
	assert_int_equal(tp_free(block[0]), 0);
	assert_int_equal(tp_free(block[2]), 0);
}

static uint64_t blocks(void)
{
	struct tp_heap_usage s;

	assert_int_equal(tp_heap_stats(0, &s), 0);
	return s.blocks;
}

static struct tp_chan *throwaway(void)
{
	struct tp_chan *c;

	as(consumer);
	assert_int_equal(tp_chan_create("throwaway", "t", NULL, &c), 0);
	return c;
}

/* Whoever goes last frees; a dead one does not keep it. */
static void the_last_to_leave_frees_it(void **state)
{
	uint64_t before, mortal;
	struct tp_chan *c;
	struct tp_lane *l, *dead;

	(void)state;
	as(consumer);
	before = blocks();
	for (int order = 0; order < 3; order++) {
		c = throwaway();
		mortal = tpgroup_add("mortal");
		as(mortal);
		assert_int_equal(tp_chan_open("throwaway", "t", TP_NOWAIT, &dead), 0);
		as(producer);
		assert_int_equal(tp_chan_open("throwaway", "t", TP_NOWAIT, &l), 0);
		tpgroup_died(mortal);
		if (order == 1)
			tp_lane_close(l);
		as(consumer);
		assert_int_equal(blocks(), before + 3);
		tp_chan_destroy(c);
		as(producer);
		if (order != 1)
			tp_lane_close(l);
		assert_int_equal(blocks(), before);
	}
}

static void types_stand_side_by_side(void **state)
{
	struct tp_chan *other;
	struct tp_lane *l;

	(void)state;
	assert_int_equal(tp_chan_open("orders", "order@2", TP_NOWAIT, &l), -EPROTOTYPE);
	as(consumer);
	assert_int_equal(tp_chan_create("orders", "order@2", NULL, &other), 0);
	as(producer);
	assert_int_equal(tp_chan_open("orders", "order@2", TP_NOWAIT, &l), 0);
	assert_ptr_not_equal((void *)(uintptr_t)l->chan, chan);
	tp_lane_close(l);
	as(consumer);
	tp_chan_destroy(other);
}

static void bad_input_is_answered(void **state)
{
	struct tp_chan_options o = {.size = sizeof(o)};
	struct tp_chan *c;
	struct tp_lane *l;
	struct tp_message m = {.id = UINT64_MAX};
	char name[100];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[99] = '\0';
	assert_int_equal(tp_lane_send_give(lane, NULL, TP_NOWAIT), -EINVAL);
	assert_int_equal(tp_lane_send_give(lane, (void *)(UINT64_C(1) << 48), TP_NOWAIT), -EINVAL);
	assert_int_equal(tp_lane_send_give(NULL, MARK(1), TP_NOWAIT), -EINVAL);
	assert_int_equal(tp_lane_send_give((struct tp_lane *)&o, MARK(1), TP_NOWAIT), -EBADF);
	assert_int_equal(tp_lane_acknowledged(lane, NULL), -EINVAL);
	assert_int_equal(tp_chan_open(name, "t", TP_NOWAIT, &l), -EINVAL);
	assert_int_equal(tp_chan_open("orders", name, TP_NOWAIT, &l), -EINVAL);
	assert_int_equal(tp_chan_open("orders", "", TP_NOWAIT, &l), -EINVAL);
	assert_int_equal(tp_chan_open("orders", NULL, TP_NOWAIT, &l), -EINVAL);
	assert_int_equal(tp_chan_open(NULL, "t", TP_NOWAIT, &l), -EINVAL);
	assert_int_equal(tp_chan_open("nobody", "t", TP_NOWAIT, &l), -ENOENT);
	assert_int_equal(tp_chan_open("nobody", "t", 1000000, &l), -ETIMEDOUT);
	assert_null(tp_lane_close(NULL));
	as(consumer);
	assert_int_equal(tp_chan_recv(NULL, TP_NOWAIT, &m), -EINVAL);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, NULL), -EINVAL);
	assert_int_equal(tp_chan_recv((struct tp_chan *)&o, TP_NOWAIT, &m), -EBADF);
	assert_int_equal(tp_chan_recv((struct tp_chan *)lane, TP_NOWAIT, &m), -EBADF);
	assert_int_equal(tp_chan_recv_batch(chan, TP_NOWAIT, &m, 0), -EINVAL);
	assert_int_equal(tp_chan_ack(chan, &m), -EINVAL);
	assert_int_equal(tp_chan_ack(chan, NULL), -EINVAL);
	m.id = 5;
	assert_int_equal(tp_chan_ack(chan, &m), -EINVAL);
	assert_int_equal(tp_chan_arm(chan), -EINVAL);
	assert_null(tp_chan_destroy(NULL));
	assert_int_equal(tp_chan_create(name, "t", NULL, &c), -EINVAL);
	assert_int_equal(tp_chan_create("a\nb", "t", NULL, &c), -EINVAL);
	assert_int_equal(tp_chan_create("", "t", NULL, &c), -EINVAL);
	o.capacity = 1000;
	assert_int_equal(tp_chan_create("odd", "t", &o, &c), -EINVAL);
	o.capacity = 1u << 21;
	assert_int_equal(tp_chan_create("odd", "t", &o, &c), -EINVAL);
	o.capacity = 0;
	o.lanes = 1025;
	assert_int_equal(tp_chan_create("odd", "t", &o, &c), -EINVAL);
	o.lanes = 0;
	o.flags = 0x80;
	assert_int_equal(tp_chan_create("odd", "t", &o, &c), -EINVAL);
	o.flags = 0;
	o.size = 3;
	assert_int_equal(tp_chan_create("odd", "t", &o, &c), -EINVAL);
}

/* Of an earlier version: fewer members. Of a later one: more, which must not ask for anything. */
static void options_of_other_versions(void **state)
{
	struct {
		struct tp_chan_options o;
		uint64_t later[2];
	} grown = {.o = {.size = sizeof(grown), .capacity = 16}};
	struct tp_chan_options shrunk = {.size = offsetof(struct tp_chan_options, reserved), .capacity = 32, .reserved = {1}};
	struct tp_chan *c;

	(void)state;
	as(consumer);
	assert_int_equal(tp_chan_create("grown", "t", &grown.o, &c), 0);
	assert_int_equal(c->capacity, 16);
	tp_chan_destroy(c);
	grown.later[1] = UINT64_C(1) << 63;
	assert_int_equal(tp_chan_create("grown", "t", &grown.o, &c), -EINVAL);
	assert_non_null(strstr(tp_why(), "does not know"));
	assert_int_equal(tp_chan_create("shrunk", "t", &shrunk, &c), 0);
	assert_int_equal(c->capacity, 32);
	tp_chan_destroy(c);
	shrunk.size = UINT32_MAX;
	assert_int_equal(tp_chan_create("garbage", "t", &shrunk, &c), -EINVAL);
}

static int uses_channels_and_leaves(void *unused)
{
	struct tp_lane *l;
	void *kept;
	int r = tp_chan_open("orders", "order@1", TP_NOWAIT, &l);

	(void)unused;
	kept = tpi_self.part[TPI_PART_CHAN];
	if (r || !kept)
		return 1;
	tpi_disconnect();
	return msync(kept, 4096, MS_ASYNC) == -1 && errno == ENOMEM ? 0 : 2;
}

static void who_leaves_the_group_keeps_nothing_mapped(void **state)
{
	uint64_t leaver = tpgroup_add("leaver");

	(void)state;
	assert_int_equal(tpgroup_join(tpgroup_fork(leaver, uses_channels_and_leaves, NULL), leaver), 0);
}

/* A name of that type that is no channel, and a channel that was overwritten. */
static void damage_is_noticed(void **state)
{
	struct tp_lane *l;
	char *junk;

	(void)state;
	as(consumer);
	junk = tp_calloc(1, 4096);
	assert_int_equal(tp_publish("junk", junk, "chan:t", TP_PUBLISH_KEEP), 0);
	as(producer);
	assert_int_equal(tp_chan_open("junk", "t", TP_NOWAIT, &l), -EUCLEAN);
	chan->capacity = 12;
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l), -EUCLEAN);
	chan->capacity = 8;
	lane->id_base = 77;
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l), -EUCLEAN);
	lane->id_base = 0;
	as(consumer);
	tp_unpublish("junk", NULL);
	tp_free(junk);
}

static void a_forked_child_has_no_channels(void **state)
{
	struct tp_message m;
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(tp_lane_send_lend(lane, MARK(1), TP_NOWAIT) == -ENOTCONN && tp_chan_recv(chan, TP_NOWAIT, &m) == -ENOTCONN &&
				tp_chan_create("x", "t", NULL, &chan) == -ENOTCONN &&
				tp_chan_open("orders", "order@1", TP_NOWAIT, &lane) == -ENOTCONN
			? 0
			: 1);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	send(1);
	as(consumer);
	recv_ack(1);
}

static struct tp_program *entry(uint64_t id)
{
	return (struct tp_program *)(TP_SEGMENT_BASE + TP_SEGMENT_REGISTRY_OFF) + TP_ID_INDEX(id);
}

/* What only members can follow is refused before it is sent, and shown with an error where it was sent before. */
static void satellites_take_pointers_into_the_segment_only(void **state)
{
	uint64_t satellite = tpgroup_add("satellite");
	struct tp_message m;
	struct tp_lane *l;
	static int mine;

	(void)state;
	entry(satellite)->kind = TP_KIND_SATELLITE;
	as(satellite);
	assert_int_equal(tp_chan_open("orders", "order@1", TP_NOWAIT, &l), 0);
	assert_int_equal(tp_lane_send_lend(l, &mine, TP_NOWAIT), -EFAULT);
	assert_int_equal(tp_lane_send_lend(l, MARK(1), TP_NOWAIT), 0);
	tp_lane_close(l);
	as(consumer);
	recv_ack(1);
	as(producer);
	assert_int_equal(tp_lane_send_lend(lane, &mine, TP_NOWAIT), 0);
	tpgroup_died(consumer);
	as(satellite);
	assert_int_equal(tp_chan_create("orders", "order@1", NULL, &chan), 0);
	assert_int_equal(tp_chan_recv(chan, TP_NOWAIT, &m), -EFAULT);
	assert_ptr_equal(m.ptr, &mine);
	assert_int_equal(tp_chan_ack(chan, &m), 0);
	as(producer);
	assert_int_equal(tp_lane_send_lend(lane, &mine, TP_NOWAIT), -EFAULT);
	send(2);
	as(satellite);
	recv_ack(2);
	consumer = satellite;
}

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(64 << 20);
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(messages_arrive_in_order),
		T(any_address_can_be_sent),
		T(a_full_lane_pushes_back),
		T(one_free_slot_is_room),
		T(counts_and_laps_go_round),
		T(batches),
		T(the_end_of_producers_is_told_once),
		T(a_dead_producer_is_told_after_its_last_message),
		T(a_lane_is_used_again),
		T(lanes_run_out_and_come_back),
		T(an_empty_lane_is_free_at_once),
		T(a_lane_with_messages_is_kept_for_the_consumer),
		T(a_successor_hears_of_the_end),
		T(a_lane_that_cannot_be_made_is_not_waited_for),
		T(who_waits_for_a_lane_looks_again),
		T(closing_changes_what_openers_sleep_on),
		T(who_waits_for_a_channel_is_marked_by_the_count),
		T(lanes_take_turns),
		T(a_successor_gets_what_was_not_acknowledged),
		T(a_dead_consumer_is_told_when_the_lane_is_full),
		T(one_consumer_at_a_time),
		T(closing_tells_producers),
		T(what_was_given_is_freed_with_the_channel),
		T(the_last_to_leave_frees_it),
		T(types_stand_side_by_side),
		T(bad_input_is_answered),
		T(options_of_other_versions),
		T(who_leaves_the_group_keeps_nothing_mapped),
		T(damage_is_noticed),
		T(a_forked_child_has_no_channels),
		T(satellites_take_pointers_into_the_segment_only),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
