/* SPDX-License-Identifier: MIT */
/*
 * A program is stopped at each instruction of a call that lets another go on, which sleeps. As soon as the lock's own state says so, the sleeper
 * goes on: it does not need the stopped one for that.
 */
#include "lock-group.h"

enum { KEPT_WAITING = 20, CALL_FAILED };

/* What is tried: how the sleeper comes to sleep, and what says that it need not any more. */
struct halt {
	void (*prepare)(void);
	int (*sleeper)(void *arg);
	int (*setup)(void);
	int (*call)(void);
	bool (*let_go)(const struct killstep_point *at);
};

static void prepare(void *arg)
{
	const struct halt *h = arg;

	memset(room, 0, sizeof(*room));
	if (h->prepare)
		h->prepare();
	start_other(h->sleeper);
}

/* In the victim: the sleeper waits for `ready` before it goes to sleep. */
static int setup(void *arg)
{
	const struct halt *h = arg;
	int r = h->setup ? h->setup() : 0;

	set(&room->ready, 1);
	wait_until(&room->inside, 1);
	wait_until_asleep(other.pid);
	return r;
}

static int call(void *arg)
{
	return ((const struct halt *)arg)->call();
}

static int ended_well(void *arg, const struct killstep_point *at)
{
	int r = join_other();

	(void)arg;
	return r ? r : at->result ? CALL_FAILED : 0;
}

static int goes_on(void *arg, const struct killstep_point *at)
{
	const struct halt *h = arg;
	int64_t end = tpi_now() + 10 * TP_SECOND;

	if (at->finished)
		return ended_well(arg, at);
	while (h->let_go(at) && !other_has_ended()) {
		if (tpi_now() > end)
			return KEPT_WAITING;
		usleep(500);
	}
	return 0;
}

static void try_all(const struct halt *h, uint64_t least)
{
	struct halt copy = *h;
	struct killstep k = {.prepare = prepare, .setup = setup, .call = call, .check = goes_on, .after = ended_well, .pause = true};

	assert_true(killstep(&k, &copy) > least);
}

/* Sleepers say that they are about to. */
static void about_to_sleep(void)
{
	wait_until(&room->ready, 1);
	set(&room->inside, 1);
}

static int sleep_for_permit(void *arg)
{
	(void)arg;
	about_to_sleep();
	return tp_sem_timedwait(&room->s, LONG) ? 1 : 0;
}

static int post(void)
{
	return tp_sem_post(&room->s);
}

static bool permit_lies_there(const struct killstep_point *at)
{
	(void)at;
	return get(&room->s.value) != 0;
}

static void posting(void **state)
{
	const struct halt h = {.sleeper = sleep_for_permit, .call = post, .let_go = permit_lies_there};

	(void)state;
	try_all(&h, 10);
}

static int sleep_for_signal(void *arg)
{
	int r = tp_mutex_lock(&room->m);

	(void)arg;
	about_to_sleep();
	if (!r)
		r = tp_cond_timedwait(&room->c, &room->m, LONG);
	return r || tp_mutex_unlock(&room->m) ? 1 : 0;
}

static bool signal_was_given(const struct killstep_point *at)
{
	(void)at;
	return get(&room->c.seq) != 0;
}

static int signal_one(void)
{
	return tp_cond_signal(&room->c);
}

static int signal_all(void)
{
	return tp_cond_broadcast(&room->c);
}

static void signalling(void **state)
{
	struct halt h = {.sleeper = sleep_for_signal, .call = signal_one, .let_go = signal_was_given};

	(void)state;
	try_all(&h, 10);
	h.call = signal_all;
	try_all(&h, 10);
}

static void make_barrier(void)
{
	tp_barrier_init(&room->b, 2);
}

static int sleep_at_barrier(void *arg)
{
	(void)arg;
	about_to_sleep();
	return tp_barrier_wait(&room->b, LONG) < 0;
}

static int come_last(void)
{
	return tp_barrier_wait(&room->b, LONG) < 0;
}

static bool round_is_over(const struct killstep_point *at)
{
	(void)at;
	return TP_BARRIER_ROUND(__atomic_load_n(&room->b.state, __ATOMIC_ACQUIRE)) != TP_BARRIER_INIT_STEP;
}

static void ending_a_round(void **state)
{
	const struct halt h = {.prepare = make_barrier, .sleeper = sleep_at_barrier, .call = come_last, .let_go = round_is_over};

	(void)state;
	try_all(&h, 20);
}

static int sleep_to_write(void *arg)
{
	(void)arg;
	about_to_sleep();
	return tp_rwlock_timedwrlock(&room->l, LONG) || tp_rwlock_unlock(&room->l) ? 1 : 0;
}

static int sleep_to_read(void *arg)
{
	(void)arg;
	about_to_sleep();
	return tp_rwlock_timedrdlock(&room->l, LONG) || tp_rwlock_unlock(&room->l) ? 1 : 0;
}

static int read_first(void)
{
	return tp_rwlock_rdlock(&room->l);
}

static int write_first(void)
{
	return tp_rwlock_wrlock(&room->l);
}

static int leave(void)
{
	return tp_rwlock_unlock(&room->l);
}

static bool victim_has_left(const struct killstep_point *at)
{
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		if (TP_READER_TAG(__atomic_load_n(&room->l.reader[i], __ATOMIC_ACQUIRE)) == TP_TAG(at->id))
			return false;
	return TP_LOCK_TAG(get(&room->l.word)) != TP_TAG(at->id);
}

static void leaving_a_writer_asleep(void **state)
{
	struct halt h = {.sleeper = sleep_to_write, .setup = read_first, .call = leave, .let_go = victim_has_left};

	(void)state;
	try_all(&h, 15);
	h.setup = write_first;
	try_all(&h, 15);
}

static void leaving_a_reader_asleep(void **state)
{
	const struct halt h = {.sleeper = sleep_to_read, .setup = write_first, .call = leave, .let_go = victim_has_left};

	(void)state;
	try_all(&h, 15);
}

static int take_mutex(void *arg)
{
	(void)arg;
	return tp_mutex_lock(&room->m);
}

static int take_for_writing(void *arg)
{
	(void)arg;
	return tp_rwlock_wrlock(&room->l);
}

static void leave_dead_holder(void)
{
	start_other(take_mutex);
	join_other();
	start_other(take_for_writing);
	join_other();
}

static int take_over_mutex(void)
{
	return tp_mutex_lock(&room->m) == -EOWNERDEAD ? 0 : 1;
}

static int give_mutex_up(void)
{
	return tp_mutex_unlock(&room->m);
}

static int sleep_for_lost_mutex(void *arg)
{
	(void)arg;
	about_to_sleep();
	return tp_mutex_timedlock(&room->m, LONG) == -ENOTRECOVERABLE ? 0 : 1;
}

static bool mutex_is_lost(const struct killstep_point *at)
{
	return TP_LOCK_TAG(get(&room->m.word)) != TP_TAG(at->id);
}

static int take_over_for_writing(void)
{
	return tp_rwlock_rdlock(&room->l) == -EOWNERDEAD ? 0 : 1;
}

static int sleep_for_lost_rwlock(void *arg)
{
	(void)arg;
	about_to_sleep();
	return tp_rwlock_timedrdlock(&room->l, LONG) == -ENOTRECOVERABLE ? 0 : 1;
}

static void giving_up_what_is_broken(void **state)
{
	const struct halt mutex = {.prepare = leave_dead_holder, .sleeper = sleep_for_lost_mutex, .setup = take_over_mutex,
		.call = give_mutex_up, .let_go = mutex_is_lost};
	const struct halt rwlock = {.prepare = leave_dead_holder, .sleeper = sleep_for_lost_rwlock, .setup = take_over_for_writing,
		.call = leave, .let_go = victim_has_left};

	(void)state;
	try_all(&mutex, 10);
	try_all(&rwlock, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(posting),
		TEST(signalling),
		TEST(ending_a_round),
		TEST(leaving_a_writer_asleep),
		TEST(leaving_a_reader_asleep),
		TEST(giving_up_what_is_broken),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
