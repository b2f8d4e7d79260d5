/* SPDX-License-Identifier: MIT */
/*
 * Channels under kill -9 and SIGSTOP of both sides at any moment: each message that a producer knows to be sent is received, one that is
 * received twice says so, and order holds. Then many producers, and conversations in which both sides sleep all the time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chan.h"
#include "tpgroup.h"
#include <tp/heap.h>

enum { STREAMS = 4, SEQS = 1 << 20, KILLS = 300, MANY = 64, EACH = 500, TRIPS = 3000, PARCELS = 5000 };

/* In the group's heap. */
struct board {
	uint32_t stop, wrong, repeated;
	uint32_t trying[STREAMS], sent[STREAMS]; /* by the producer of each stream */
	uint8_t seen[STREAMS][SEQS];
	uint8_t doubt[STREAMS][SEQS]; /* its producer was killed in the send: it may have been sent or not */
};

static struct board *board;

static void *letter(uint32_t stream, uint32_t seq)
{
	return (void *)((uint64_t)(stream + 1) << 32 | seq);
}

static int fail_with(uint32_t what)
{
	__atomic_store_n(&board->wrong, what, __ATOMIC_RELAXED);
	return 1;
}

static int produce(void *arg)
{
	uint32_t stream = (uint32_t)(uintptr_t)arg;
	struct tp_lane *l;

	if (board->trying[stream] != board->sent[stream])
		board->doubt[stream][board->trying[stream]] = 1;
	if (tp_chan_open("storm", "letter", 20 * TP_SECOND, &l))
		return fail_with(1);
	while (!__atomic_load_n(&board->stop, __ATOMIC_RELAXED) && board->trying[stream] < SEQS - 1) {
		uint32_t seq = ++board->trying[stream];
		int r;

		while ((r = tp_lane_send_lend(l, letter(stream, seq), 20 * TP_SECOND)) == -EOWNERDEAD)
			if (tp_lane_wait_consumer(l, 20 * TP_SECOND))
				return fail_with(2);
		if (r)
			return fail_with(3);
		__atomic_store_n(&board->sent[stream], seq, __ATOMIC_RELAXED);
	}
	tp_lane_close(l);
	return 0;
}

/* A lane keeps order; a producer that was started again has another lane, and may be heard before the last words of its predecessor. */
struct heard {
	tp_id sender;
	uint32_t seq;
};

static int note(const struct tp_message *m, struct heard *lanes)
{
	struct heard *lane = &lanes[m->id >> TP_LANE_ID_SHIFT];
	uint32_t stream = (uint32_t)((uint64_t)(uintptr_t)m->ptr >> 32) - 1, seq = (uint32_t)(uintptr_t)m->ptr;

	if (stream >= STREAMS || seq >= SEQS)
		return fail_with(10);
	if (lane->sender == m->sender && seq <= lane->seq)
		return fail_with(11);
	*lane = (struct heard){m->sender, seq};
	if (board->seen[stream][seq] && !m->repeated)
		return fail_with(12);
	board->seen[stream][seq] = 1;
	board->repeated += m->repeated;
	return 0;
}

/* Ends when it is told to stop and all producers have gone. */
static int consume(void *arg)
{
	struct tp_chan_options o = {.size = sizeof(o), .capacity = 32, .lanes = 16};
	struct heard lanes[16] = {{0, 0}};
	struct tp_message m[8];
	struct tp_chan *c;
	int n;

	(void)arg;
	if (tp_chan_create("storm", "letter", &o, &c))
		return fail_with(20);
	for (;;) {
		n = tp_chan_recv_batch(c, TP_SECOND / 10, m, 8);
		if (n == -ETIMEDOUT && __atomic_load_n(&board->stop, __ATOMIC_RELAXED) > 1)
			break;
		if (n < 0 && n != -ETIMEDOUT && n != -EPIPE && n != -EOWNERDEAD)
			return fail_with(21);
		for (int i = 0; i < n; i++)
			if (note(&m[i], lanes))
				return 1;
		if (n > 0 && tp_chan_ack(c, &m[n - 1]))
			return fail_with(22);
	}
	tp_chan_destroy(c);
	return 0;
}

struct program {
	pid_t pid;
	uint64_t id;
};

static void launch(struct program *p, int i)
{
	char name[16];

	snprintf(name, sizeof(name), "storm%d", i);
	p->id = tpgroup_add(name);
	p->pid = i < STREAMS ? tpgroup_fork(p->id, produce, (void *)(uintptr_t)i) : tpgroup_fork(p->id, consume, NULL);
}

static void nothing_is_lost_when_programs_are_killed(void **state)
{
	struct program p[STREAMS + 1];
	unsigned seed = 7, lost = 0, unsent = 0, total = 0;

	(void)state;
	memset(board, 0, sizeof(*board));
	for (int i = STREAMS; i >= 0; i--)
		launch(&p[i], i);
	for (int k = 0; k < KILLS; k++) {
		int i = rand_r(&seed) % 3 ? STREAMS : rand_r(&seed) % STREAMS;

		usleep((useconds_t)(rand_r(&seed) % 4000));
		if (rand_r(&seed) % 4 == 0) {
			kill(p[i].pid, SIGSTOP);
			usleep((useconds_t)(rand_r(&seed) % 4000));
			kill(p[i].pid, SIGCONT);
		}
		tpgroup_kill(p[i].pid, p[i].id);
		assert_int_equal(board->wrong, 0);
		launch(&p[i], i);
	}
	usleep(100000);
	__atomic_store_n(&board->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < STREAMS; i++)
		assert_int_equal(tpgroup_join(p[i].pid, p[i].id), 0);
	__atomic_store_n(&board->stop, 2, __ATOMIC_RELAXED);
	assert_int_equal(tpgroup_join(p[STREAMS].pid, p[STREAMS].id), 0);
	assert_int_equal(board->wrong, 0);
	for (int s = 0; s < STREAMS; s++) {
		for (uint32_t seq = 1; seq <= board->sent[s]; seq++, total++) {
			lost += !board->seen[s][seq] && !board->doubt[s][seq];
			unsent += !board->seen[s][seq];
		}
	}
	print_message("%u messages, %u lost, %u repeated, %u not sent by the dying, %d kills\n", total, lost, board->repeated,
		unsent, KILLS);
	assert_int_equal(lost, 0);
	assert_true(total > 1000);
}

/* The strict form: producers live, consumers die. Nothing at all is lost. */
static void consumers_come_and_go(void **state)
{
	struct program p[STREAMS + 1];
	unsigned seed = 9;
	uint32_t total = 0;

	(void)state;
	memset(board, 0, sizeof(*board));
	for (int i = STREAMS; i >= 0; i--)
		launch(&p[i], i);
	for (int k = 0; k < KILLS / 2; k++) {
		usleep((useconds_t)(rand_r(&seed) % 3000));
		tpgroup_kill(p[STREAMS].pid, p[STREAMS].id);
		launch(&p[STREAMS], STREAMS);
	}
	__atomic_store_n(&board->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < STREAMS; i++)
		assert_int_equal(tpgroup_join(p[i].pid, p[i].id), 0);
	__atomic_store_n(&board->stop, 2, __ATOMIC_RELAXED);
	assert_int_equal(tpgroup_join(p[STREAMS].pid, p[STREAMS].id), 0);
	assert_int_equal(board->wrong, 0);
	for (int s = 0; s < STREAMS; s++)
		for (uint32_t seq = 1; seq <= board->sent[s]; seq++, total++)
			assert_int_equal(board->seen[s][seq], 1);
	print_message("%u messages, %u repeated\n", total, board->repeated);
	assert_true(total > 1000);
}

static int send_many(void *arg)
{
	struct tp_lane *l;

	if (tp_chan_open("many", "letter", 20 * TP_SECOND, &l))
		return 1;
	for (uint32_t i = 1; i <= EACH; i++)
		if (tp_lane_send_lend(l, letter((uint32_t)(uintptr_t)arg, i), 60 * TP_SECOND))
			return 2;
	tp_lane_close(l);
	return 0;
}

static void sixty_four_producers(void **state)
{
	struct tp_chan_options o = {.size = sizeof(o), .capacity = 16, .lanes = MANY};
	struct program p[MANY];
	uint32_t last[MANY] = {0}, n = 0;
	struct tp_chan *c;
	struct tp_message m;
	int r;

	(void)state;
	assert_int_equal(tp_chan_create("many", "letter", &o, &c), 0);
	for (int i = 0; i < MANY; i++) {
		p[i].id = tpgroup_add("many");
		p[i].pid = tpgroup_fork(p[i].id, send_many, (void *)(uintptr_t)i);
	}
	while (n < MANY * EACH && (r = tp_chan_recv(c, 60 * TP_SECOND, &m)) != -ETIMEDOUT) {
		uint32_t stream = (uint32_t)((uint64_t)(uintptr_t)m.ptr >> 32) - 1;

		if (r == -EPIPE)
			continue;
		assert_int_equal(r, 0);
		assert_int_equal((uint32_t)(uintptr_t)m.ptr, ++last[stream]);
		assert_int_equal(tp_chan_ack(c, &m), 0);
		n++;
	}
	assert_int_equal(n, MANY * EACH);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(tpgroup_join(p[i].pid, p[i].id), 0);
	tp_chan_destroy(c);
}

/* One side of a conversation in which both sleep. */
static int talk(const char *in, const char *out, bool first)
{
	struct tp_chan_options o = {.size = sizeof(o), .capacity = 2, .flags = TP_CHAN_NO_SPIN};
	struct tp_message m;
	struct tp_chan *c;
	struct tp_lane *l;

	if (tp_chan_create(in, "letter", &o, &c) || tp_chan_open(out, "letter", 20 * TP_SECOND, &l))
		return 1;
	for (int i = 0; i < TRIPS; i++) {
		if (first && tp_lane_send_lend(l, letter(0, 1), 20 * TP_SECOND))
			return 2;
		if (tp_chan_recv(c, 20 * TP_SECOND, &m) || tp_chan_ack(c, &m))
			return 3;
		if (!first && tp_lane_send_lend(l, letter(0, 1), 20 * TP_SECOND))
			return 4;
	}
	tp_lane_close(l);
	return 0;
}

static int answer(void *arg)
{
	(void)arg;
	return talk("there", "back", false);
}

/* No wake is missed between programs with address spaces of their own: fences on both sides. */
static void sleepers_of_two_address_spaces(void **state)
{
	uint64_t id = tpgroup_add("answer");
	pid_t pid = tpgroup_fork(id, answer, NULL);

	(void)state;
	assert_int_equal(talk("back", "there", true), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
}

static void *answer_in_thread(void *arg)
{
	(void)arg;
	return (void *)(uintptr_t)talk("there2", "back2", false);
}

/* And in one address space, as in a real group: membarrier instead of the sender's fence. */
static void sleepers_of_one_address_space(void **state)
{
	enum { SHARED = 1 }; /* chan-fence.c */
	uint32_t was = tpi_chan_process()->how;
	pthread_t thread;
	void *result;

	(void)state;
	if (tpi_chan_can_heavy())
		tpi_chan_process()->how = SHARED;
	assert_int_equal(pthread_create(&thread, NULL, answer_in_thread, NULL), 0);
	assert_int_equal(talk("back2", "there2", true), 0);
	pthread_join(thread, &result);
	assert_null(result);
	tpi_chan_process()->how = was;
}

/* What a message points to is written and read without atomics: under TSan the channel alone must order that, there and back. */
struct parcel {
	uint32_t stream, seq, sum;
};

static void *lend_and_reuse(void *arg)
{
	uint32_t stream = (uint32_t)(uintptr_t)arg;
	struct parcel own[8];
	struct tp_lane *l;

	if (tp_chan_open("parcels", "parcel", 20 * TP_SECOND, &l))
		return (void *)1;
	for (uint32_t i = 0; i < PARCELS; i++) {
		struct parcel *p = &own[i % 8];
		uint64_t acked = 0;

		while (i >= 8 && acked < i - 7)
			if (tp_lane_acknowledged(l, &acked))
				return (void *)2;
		*p = (struct parcel){stream, i, stream + i};
		if (tp_lane_send_lend(l, p, 20 * TP_SECOND))
			return (void *)3;
	}
	for (uint64_t acked = 0; acked < PARCELS;)
		if (tp_lane_acknowledged(l, &acked))
			return (void *)4;
	tp_lane_close(l);
	return NULL;
}

static void the_channel_orders_what_is_lent(void **state)
{
	uint32_t next[STREAMS] = {0}, n = 0;
	pthread_t thread[STREAMS];
	struct tp_message m;
	struct tp_chan *c;

	(void)state;
	assert_int_equal(tp_chan_create("parcels", "parcel", NULL, &c), 0);
	for (uintptr_t i = 0; i < STREAMS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, lend_and_reuse, (void *)i), 0);
	while (n < STREAMS * PARCELS) {
		int r = tp_chan_recv(c, 20 * TP_SECOND, &m);
		struct parcel *p = m.ptr;

		if (r == -EPIPE)
			continue;
		assert_int_equal(r, 0);
		assert_in_range(p->stream, 0, STREAMS - 1);
		assert_int_equal(p->seq, next[p->stream]++);
		assert_int_equal(p->sum, p->stream + p->seq);
		p->sum = 0;
		assert_int_equal(tp_chan_ack(c, &m), 0);
		n++;
	}
	for (int i = 0; i < STREAMS; i++) {
		void *result;

		pthread_join(thread[i], &result);
		assert_null(result);
	}
	tp_chan_destroy(c);
}

static int stand_still(void *arg)
{
	struct tp_lane *l;

	(void)arg;
	if (tp_chan_open("still", "letter", 20 * TP_SECOND, &l) || tp_lane_send_lend(l, letter(0, 1), TP_NOWAIT))
		return 1;
	kill(getpid(), SIGSTOP);
	return tp_lane_send_lend(l, letter(0, 2), TP_NOWAIT) ? 2 : 0;
}

static void stopped_programs_are_alive(void **state)
{
	uint64_t id = tpgroup_add("still"), other = tpgroup_add("other");
	struct tp_message m;
	struct tp_chan *c;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(tp_chan_create("still", "letter", NULL, &c), 0);
	pid = tpgroup_fork(id, stand_still, NULL);
	waitpid(pid, &status, WUNTRACED);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(tp_chan_recv(c, TP_SECOND, &m), 0);
	tp_chan_ack(c, &m);
	tpgroup_died(other); /* makes everybody look */
	assert_int_equal(tp_chan_recv(c, TP_SECOND / 20, &m), -ETIMEDOUT);
	kill(pid, SIGCONT);
	assert_int_equal(tp_chan_recv(c, 20 * TP_SECOND, &m), 0);
	tp_chan_ack(c, &m);
	assert_int_equal(tpgroup_join(pid, id), 0);
	assert_int_equal(tp_chan_recv(c, 20 * TP_SECOND, &m), -EOWNERDEAD);
	assert_true(m.sender == id);
	tp_chan_destroy(c);
}

static int sleep_for_one(void *arg)
{
	struct tp_chan_options o = {.size = sizeof(o), .flags = TP_CHAN_NO_SPIN};
	struct tp_message m;
	struct tp_chan *c;

	(void)arg;
	if (tp_chan_create("asleep", "letter", &o, &c))
		return 1;
	return tp_chan_recv(c, 10 * TP_SECOND, &m) ? 2 : 0;
}

/* A sender is stopped after it has said that it wakes the consumer, and before it does. The next one's message gets through. */
static void a_sender_stopped_before_its_wake(void **state)
{
	uint64_t id = tpgroup_add("asleep");
	pid_t pid = tpgroup_fork(id, sleep_for_one, NULL);
	struct tp_chan *c;
	struct tp_lane *l;

	(void)state;
	assert_int_equal(tp_chan_open("asleep", "letter", 10 * TP_SECOND, &l), 0);
	c = (struct tp_chan *)(uintptr_t)l->chan;
	while (!(__atomic_load_n(&c->attention, __ATOMIC_ACQUIRE) & TP_CHAN_ASLEEP))
		usleep(1000);
	usleep(20000);
	__atomic_fetch_and(&c->attention, ~TP_CHAN_ASLEEP, __ATOMIC_SEQ_CST);
	assert_int_equal(tp_lane_send_lend(l, letter(0, 1), TP_NOWAIT), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
	tp_lane_close(l);
}

static int open_group(void **state)
{
	void *p;

	(void)state;
	tpgroup_open(256 << 20);
	tpgroup_be(tpgroup_add("storm"));
	if (tp_alloc(sizeof(*board), 64, &p))
		return 1;
	board = p;
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	assert_int_equal(tp_heap_check(), 0);
	tpgroup_close();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_stopped_before_its_wake),
		cmocka_unit_test(stopped_programs_are_alive),
		cmocka_unit_test(sleepers_of_two_address_spaces),
		cmocka_unit_test(sleepers_of_one_address_space),
		cmocka_unit_test(the_channel_orders_what_is_lent),
		cmocka_unit_test(sixty_four_producers),
		cmocka_unit_test(consumers_come_and_go),
		cmocka_unit_test(nothing_is_lost_when_programs_are_killed),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
