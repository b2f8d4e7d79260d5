/* SPDX-License-Identifier: MIT */
/* Barriers between programs: nobody passes early, nobody waits for the dead. */
#include <pthread.h>

#include "lock-group.h"

enum { ROUNDS = 3000, PROGRAMS = 3 };

static void limits_are_told(void **state)
{
	struct tp_barrier *b = &room->b;

	(void)state;
	assert_int_equal(tp_barrier_wait(b, TP_NOWAIT), -EINVAL);
	assert_int_equal(tp_barrier_init(b, 0), -EINVAL);
	assert_int_equal(tp_barrier_init(b, TP_BARRIER_MAX + 1), -EINVAL);
	assert_int_equal(tp_barrier_init(NULL, 1), -EFAULT);
	assert_int_equal(tp_barrier_wait((struct tp_barrier *)state, TP_NOWAIT), -EFAULT);
	assert_int_equal(tp_barrier_init(b, 1), 0);
	assert_int_equal(tp_barrier_wait(b, TP_FOREVER), 1);
	assert_int_equal(tp_barrier_wait(b, TP_FOREVER), 1);
	assert_int_equal(tp_barrier_init(b, 2), 0);
	assert_int_equal(tp_barrier_wait(b, 1000000), -ETIMEDOUT);
	assert_int_equal(tp_barrier_wait(b, TP_NOWAIT), -ETIMEDOUT);
	assert_int_equal(TP_BARRIER_ARRIVED(b->state), 0);
}

static int meet(void *arg)
{
	uint32_t serial = 0;

	(void)arg;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		int r;

		add(&room->inside, 1);
		r = tp_barrier_wait(&room->b, LONG);
		if (r < 0 || get(&room->inside) < (i + 1) * PROGRAMS)
			return 1;
		serial += (uint32_t)r;
	}
	add(&room->ready, (int)serial);
	return 0;
}

static void nobody_passes_before_all_have_come(void **state)
{
	uint64_t id[PROGRAMS];
	pid_t pid[PROGRAMS];

	(void)state;
	assert_int_equal(tp_barrier_init(&room->b, PROGRAMS), 0);
	for (int i = 0; i < PROGRAMS; i++) {
		id[i] = tpgroup_add("party");
		pid[i] = tpgroup_fork(id[i], meet, NULL);
	}
	for (int i = 0; i < PROGRAMS; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	assert_int_equal(room->ready, ROUNDS);
}

static int come(void *arg)
{
	int r = tp_barrier_wait(&room->b, LONG);

	(void)arg;
	return r < 0 ? -r : r;
}

static void a_death_while_waiting_is_told_to_all(void **state)
{
	uint64_t id[3];
	pid_t pid[3];

	(void)state;
	assert_int_equal(tp_barrier_init(&room->b, 4), 0);
	for (int i = 0; i < 3; i++) {
		id[i] = tpgroup_add("party");
		pid[i] = tpgroup_fork(id[i], come, NULL);
	}
	for (int i = 0; i < 3; i++)
		wait_until_asleep(pid[i]);
	tpgroup_kill(pid[1], id[1]);
	assert_int_equal(WEXITSTATUS(tpgroup_join(pid[0], id[0])), EOWNERDEAD);
	assert_int_equal(WEXITSTATUS(tpgroup_join(pid[2], id[2])), EOWNERDEAD);
	assert_int_equal(tp_barrier_wait(&room->b, TP_FOREVER), -EOWNERDEAD);
	assert_int_equal(tp_barrier_init(&room->b, 1), 0);
	assert_int_equal(tp_barrier_wait(&room->b, TP_FOREVER), 1);
}

static int come_once_and_work(void *arg)
{
	(void)arg;
	if (tp_barrier_wait(&room->b, LONG) < 0)
		return 1;
	set(&room->ready, 1);
	pause();
	return 2;
}

static void a_death_between_rounds_is_told(void **state)
{
	uint64_t id = tpgroup_add("party");
	pid_t pid;

	(void)state;
	assert_int_equal(tp_barrier_init(&room->b, 2), 0);
	pid = tpgroup_fork(id, come_once_and_work, NULL);
	assert_true(tp_barrier_wait(&room->b, LONG) >= 0);
	wait_until(&room->ready, 1);
	tpgroup_kill(pid, id);
	assert_int_equal(tp_barrier_wait(&room->b, LONG), -EOWNERDEAD);
}

/* The last one looks for the dead, even if it need not wait for anybody. */
static void the_last_one_looks_for_the_dead(void **state)
{
	uint64_t id = tpgroup_add("party");
	pid_t pid;

	(void)state;
	assert_int_equal(tp_barrier_init(&room->b, 2), 0);
	pid = tpgroup_fork(id, come, NULL);
	wait_until_asleep(pid);
	tpgroup_kill(pid, id);
	assert_int_equal(TP_BARRIER_ARRIVED(room->b.state), 1);
	assert_int_equal(tp_barrier_wait(&room->b, LONG), -EOWNERDEAD);
}

static void who_gives_up_is_not_counted(void **state)
{
	uint64_t id = tpgroup_add("party");
	pid_t pid;

	(void)state;
	assert_int_equal(tp_barrier_init(&room->b, 2), 0);
	for (int i = 0; i < 20; i++)
		assert_int_equal(tp_barrier_wait(&room->b, 100000), -ETIMEDOUT);
	pid = tpgroup_fork(id, come, NULL);
	wait_until_asleep(pid);
	assert_int_equal(TP_BARRIER_ARRIVED(room->b.state), 1);
	assert_int_equal(tp_barrier_wait(&room->b, LONG), 1);
	assert_int_equal(tpgroup_join(pid, id), 0);
}

static void a_stranger_too_many_is_refused(void **state)
{
	(void)state;
	assert_int_equal(tp_barrier_init(&room->b, 2), 0);
	for (int i = 0; i < TP_BARRIER_PROGRAMS; i++)
		room->b.program[i] = TP_TAG(tpgroup_add("party"));
	assert_int_equal(tp_barrier_wait(&room->b, TP_FOREVER), -ENOSPC);
	assert_non_null(strstr(tp_why(), "60 other programs"));
}

static int leave(void *arg)
{
	(void)arg;
	return 0;
}

static int come_and_end(void *arg)
{
	(void)arg;
	return come(NULL) == 1 ? 1 : 0;
}

/* Programs that end after the last round do no harm to those who are still leaving it. */
static void ending_after_the_last_round_is_no_death_in_it(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++) {
		uint64_t id = tpgroup_add("party"), id2 = tpgroup_add("bystander");
		pid_t pid;

		assert_int_equal(tp_barrier_init(&room->b, 2), 0);
		pid = tpgroup_fork(id, come_and_end, NULL);
		tpgroup_join(tpgroup_fork(id2, leave, NULL), id2);
		assert_true(tp_barrier_wait(&room->b, LONG) >= 0);
		assert_true(WEXITSTATUS(tpgroup_join(pid, id)) <= 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(limits_are_told),
		TEST(nobody_passes_before_all_have_come),
		TEST(a_death_while_waiting_is_told_to_all),
		TEST(a_death_between_rounds_is_told),
		TEST(the_last_one_looks_for_the_dead),
		TEST(who_gives_up_is_not_counted),
		TEST(a_stranger_too_many_is_refused),
		TEST(ending_after_the_last_round_is_no_death_in_it),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
