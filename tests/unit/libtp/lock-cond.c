/* SPDX-License-Identifier: MIT */
/* Conditions and semaphores between programs: nothing is lost, nothing is made up. */
#include "lock-group.h"

enum { ITEMS = 20000, USERS = 2 };

/* A queue of one: `count` items are there (0 or 1). */
static int produce(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		if (tp_mutex_lock(&room->m))
			return 1;
		while (room->count)
			if (tp_cond_wait(&room->c, &room->m))
				return 2;
		room->count = 1;
		tp_mutex_unlock(&room->m);
		tp_cond_broadcast(&room->c);
	}
	return 0;
}

static int consume(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		if (tp_mutex_lock(&room->m))
			return 1;
		while (!room->count)
			if (tp_cond_wait(&room->c, &room->m))
				return 2;
		room->count = 0;
		room->other++;
		tp_mutex_unlock(&room->m);
		tp_cond_broadcast(&room->c);
	}
	return 0;
}

static void run_pairs(int (*one)(void *arg), int (*two)(void *arg))
{
	uint64_t id[2 * USERS];
	pid_t pid[2 * USERS];

	for (int i = 0; i < 2 * USERS; i++) {
		id[i] = tpgroup_add("user");
		pid[i] = tpgroup_fork(id[i], i % 2 ? one : two, NULL);
	}
	for (int i = 0; i < 2 * USERS; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
}

static void each_item_passes_once(void **state)
{
	(void)state;
	run_pairs(produce, consume);
	assert_int_equal(room->count, 0);
	assert_int_equal(room->other, USERS * ITEMS);
	assert_int_equal(room->c.waiters, 0);
}

static void waiting_needs_the_mutex(void **state)
{
	(void)state;
	assert_int_equal(tp_cond_wait(&room->c, &room->m), -EPERM);
	assert_int_equal(tp_cond_wait((struct tp_cond *)state, &room->m), -EFAULT);
	assert_int_equal(tp_cond_wait(&room->c, (struct tp_mutex *)NULL), -EFAULT);
	assert_int_equal(tp_cond_signal(NULL), -EFAULT);
	assert_int_equal(tp_cond_signal(&room->c), 0);
	assert_int_equal(tp_cond_broadcast(&room->c), 0);
	assert_int_equal(room->c.seq, 0);
	assert_int_equal(tp_cond_init(&room->c), 0);
}

static void time_runs_out_with_the_mutex_held(void **state)
{
	int64_t start = tpi_now();

	(void)state;
	assert_int_equal(tp_mutex_lock(&room->m), 0);
	assert_int_equal(tp_cond_timedwait(&room->c, &room->m, 20000000), -ETIMEDOUT);
	assert_true(tpi_now() - start >= 20000000);
	assert_int_equal(tp_cond_timedwait(&room->c, &room->m, TP_NOWAIT), -ETIMEDOUT);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	assert_int_equal(room->c.waiters, 0);
}

static int die_with_mutex(void *arg)
{
	(void)arg;
	if (tp_mutex_lock(&room->m) == 0)
		kill(getpid(), SIGKILL);
	return 1;
}

static void an_unrepaired_mutex_is_not_given_up(void **state)
{
	uint64_t id = tpgroup_add("holder");

	(void)state;
	tpgroup_join(tpgroup_fork(id, die_with_mutex, NULL), id);
	assert_int_equal(tp_mutex_lock(&room->m), -EOWNERDEAD);
	assert_int_equal(tp_cond_wait(&room->c, &room->m), -EINVAL);
	assert_int_equal(tp_mutex_consistent(&room->m), 0);
	assert_int_equal(tp_cond_timedwait(&room->c, &room->m, 1000), -ETIMEDOUT);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
}

static int wait_and_be_told(void *arg)
{
	int r;

	(void)arg;
	if (tp_mutex_lock(&room->m))
		return 1;
	r = tp_cond_timedwait(&room->c, &room->m, LONG);
	if (r == -EOWNERDEAD) {
		add(&room->broken, 1);
		r = tp_mutex_consistent(&room->m);
	}
	return r || tp_mutex_unlock(&room->m) ? 2 : 0;
}

/* Who was to signal dies with the mutex: those who wait look again, and one of them is told. */
static void the_death_of_the_signaller_is_told(void **state)
{
	uint64_t id[3], holder = tpgroup_add("holder");
	pid_t pid[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		id[i] = tpgroup_add("waiter");
		pid[i] = tpgroup_fork(id[i], wait_and_be_told, NULL);
		wait_until_asleep(pid[i]);
	}
	tpgroup_join(tpgroup_fork(holder, die_with_mutex, NULL), holder);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	assert_int_equal(room->broken, 1);
}

static int ping(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		if (tp_sem_post(&room->s) || tp_sem_wait(&room->s2))
			return 1;
	return 0;
}

static int pong(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		if (tp_sem_wait(&room->s) || tp_sem_post(&room->s2))
			return 1;
	return 0;
}

static void permits_are_counted(void **state)
{
	(void)state;
	run_pairs(ping, pong);
	assert_int_equal(room->s.value + room->s2.value, 0);
	assert_int_equal(room->s.waiters + room->s2.waiters, 0);
}

static void a_semaphore_has_limits(void **state)
{
	struct tp_sem *s = &room->s;

	(void)state;
	assert_int_equal(tp_sem_trywait(s), -EAGAIN);
	assert_int_equal(tp_sem_timedwait(s, 1000000), -ETIMEDOUT);
	assert_int_equal(s->waiters, 0);
	assert_int_equal(tp_sem_init(s, 2), 0);
	assert_int_equal(tp_sem_wait(s), 0);
	assert_int_equal(tp_sem_trywait(s), 0);
	assert_int_equal(tp_sem_trywait(s), -EAGAIN);
	assert_int_equal(tp_sem_init(s, (uint32_t)TP_SEM_MAX + 1), -EINVAL);
	assert_int_equal(tp_sem_init(s, TP_SEM_MAX), 0);
	assert_int_equal(tp_sem_post(s), -EOVERFLOW);
	assert_int_equal(s->value, TP_SEM_MAX);
	assert_int_equal(tp_sem_post((struct tp_sem *)state), -EFAULT);
	assert_int_equal(tp_sem_wait(NULL), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_item_passes_once),
		TEST(waiting_needs_the_mutex),
		TEST(time_runs_out_with_the_mutex_held),
		TEST(an_unrepaired_mutex_is_not_given_up),
		TEST(the_death_of_the_signaller_is_told),
		TEST(permits_are_counted),
		TEST(a_semaphore_has_limits),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
