/* SPDX-License-Identifier: MIT */
/* Read-write locks between programs. */
#include <pthread.h>

#include "lock-group.h"

enum { ROUNDS = 10000, PROGRAMS = 3 };

static void one_thread_reads_and_writes(void **state)
{
	struct tp_rwlock *l = &room->l;

	(void)state;
	assert_int_equal(tp_rwlock_unlock(l), -EPERM);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(tp_rwlock_rdlock(l), 0);
		assert_int_equal(tp_rwlock_rdlock(l), 0);
		assert_int_equal(tp_rwlock_tryrdlock(l), 0);
		assert_int_equal(tp_rwlock_wrlock(l), -EDEADLK);
		assert_int_equal(tp_rwlock_trywrlock(l), -EBUSY);
		assert_int_equal(tp_rwlock_unlock(l), 0);
		assert_int_equal(tp_rwlock_unlock(l), 0);
		assert_int_equal(tp_rwlock_unlock(l), 0);
		assert_int_equal(tp_rwlock_unlock(l), -EPERM);
		assert_int_equal(tp_rwlock_wrlock(l), 0);
		assert_int_equal(tp_rwlock_rdlock(l), -EDEADLK);
		assert_int_equal(tp_rwlock_wrlock(l), -EDEADLK);
		assert_int_equal(tp_rwlock_tryrdlock(l), -EBUSY);
		assert_int_equal(tp_rwlock_trywrlock(l), -EBUSY);
		assert_int_equal(tp_rwlock_consistent(l), -EINVAL);
		assert_int_equal(tp_rwlock_unlock(l), 0);
	}
	assert_int_equal(l->word, 0);
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		assert_int_equal(l->reader[i], 0);
	assert_int_equal(tp_rwlock_rdlock(NULL), -EFAULT);
	memset(l, 0x77, sizeof(*l));
	assert_int_equal(tp_rwlock_init(l), 0);
	assert_int_equal(tp_rwlock_trywrlock(l), 0);
	assert_int_equal(tp_rwlock_unlock(l), 0);
}

/* `count` and `other` are equal whenever nobody writes. */
static void *read_and_write(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		bool write = i % 5 == 0;

		if (write ? tp_rwlock_wrlock(&room->l) : tp_rwlock_rdlock(&room->l))
			return (void *)1;
		if (__atomic_load_n(&room->count, __ATOMIC_RELAXED) != __atomic_load_n(&room->other, __ATOMIC_RELAXED))
			return (void *)2;
		if (write) {
			room->count++;
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
			room->other++;
		}
		if (tp_rwlock_unlock(&room->l))
			return (void *)3;
	}
	return arg;
}

static int in_two_threads(void *arg)
{
	pthread_t thread;
	void *one, *two;

	pthread_create(&thread, NULL, read_and_write, NULL);
	one = read_and_write(NULL);
	pthread_join(thread, &two);
	(void)arg;
	return one || two;
}

static void readers_never_see_a_writer_at_work(void **state)
{
	uint64_t id[PROGRAMS];
	pid_t pid[PROGRAMS];

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		id[i] = tpgroup_add("user");
		pid[i] = tpgroup_fork(id[i], in_two_threads, NULL);
	}
	for (int i = 0; i < PROGRAMS; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	assert_int_equal(room->count, PROGRAMS * 2 * ROUNDS / 5);
}

static int read_until_go(void *arg)
{
	if (tp_rwlock_rdlock(&room->l))
		return 1;
	add(&room->ready, 1);
	while (!get(&room->go))
		usleep(500);
	(void)arg;
	return tp_rwlock_unlock(&room->l) ? 2 : 0;
}

static int write_until_go(void *arg)
{
	if (tp_rwlock_wrlock(&room->l))
		return 1;
	room->count++;
	add(&room->ready, 1);
	while (!get(&room->go))
		usleep(500);
	(void)arg;
	return tp_rwlock_unlock(&room->l) ? 2 : 0;
}

static int write_at_last(void *arg)
{
	(void)arg;
	return tp_rwlock_timedwrlock(&room->l, LONG) || tp_rwlock_unlock(&room->l);
}

static void readers_share_and_keep_writers_out(void **state)
{
	uint64_t id = tpgroup_add("reader"), writer = tpgroup_add("writer");
	pid_t pid = tpgroup_fork(id, read_until_go, NULL), wpid;

	(void)state;
	wait_until(&room->ready, 1);
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
	assert_int_equal(tp_rwlock_trywrlock(&room->l), -EBUSY);
	assert_int_equal(tp_rwlock_timedwrlock(&room->l, 10000000), -ETIMEDOUT);
	assert_int_equal(tp_rwlock_timedrdlock(&room->l, 10000000), 0);
	/* A writer waits: new readers do, too, but one that reads goes on. */
	wpid = tpgroup_fork(writer, write_at_last, NULL);
	wait_until_asleep(wpid);
	assert_int_equal(tp_rwlock_rdlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), -EBUSY);
	assert_int_equal(tp_rwlock_timedrdlock(&room->l, 10000000), -ETIMEDOUT);
	set(&room->go, 1);
	assert_int_equal(tpgroup_join(pid, id), 0);
	assert_int_equal(tpgroup_join(wpid, writer), 0);
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
}

static void a_dead_reader_has_left(void **state)
{
	uint64_t id = tpgroup_add("reader"), writer = tpgroup_add("writer");
	pid_t pid = tpgroup_fork(id, read_until_go, NULL), wpid;

	(void)state;
	wait_until(&room->ready, 1);
	wpid = tpgroup_fork(writer, write_at_last, NULL);
	wait_until_asleep(wpid);
	tpgroup_kill(pid, id);
	assert_int_equal(tpgroup_join(wpid, writer), 0);
}

static int use_it_repairing(void *arg)
{
	int r = *(bool *)arg ? tp_rwlock_timedwrlock(&room->l, LONG) : tp_rwlock_timedrdlock(&room->l, LONG);

	if (r == -EOWNERDEAD) {
		add(&room->broken, 1);
		r = tp_rwlock_consistent(&room->l);
	}
	return r || tp_rwlock_unlock(&room->l);
}

static void a_dead_writer_is_told_to_one(void **state)
{
	uint64_t id[5], victim = tpgroup_add("writer");
	pid_t pid[5], vpid = tpgroup_fork(victim, write_until_go, NULL);

	(void)state;
	wait_until(&room->ready, 1);
	for (int i = 0; i < 5; i++) {
		bool write = i == 3;

		id[i] = tpgroup_add("waiter");
		pid[i] = tpgroup_fork(id[i], use_it_repairing, &write);
	}
	for (int i = 0; i < 5; i++)
		wait_until_asleep(pid[i]);
	tpgroup_kill(vpid, victim);
	for (int i = 0; i < 5; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	assert_int_equal(room->broken, 1);
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
}

static void an_unrepaired_one_is_lost(void **state)
{
	uint64_t victim = tpgroup_add("writer");
	pid_t vpid = tpgroup_fork(victim, write_until_go, NULL);

	(void)state;
	wait_until(&room->ready, 1);
	tpgroup_kill(vpid, victim);
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), -EOWNERDEAD);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
	assert_int_equal(tp_rwlock_rdlock(&room->l), -ENOTRECOVERABLE);
	assert_int_equal(tp_rwlock_wrlock(&room->l), -ENOTRECOVERABLE);
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), -ENOTRECOVERABLE);
	assert_int_equal(tp_rwlock_trywrlock(&room->l), -ENOTRECOVERABLE);
	assert_int_equal(tp_rwlock_unlock(&room->l), -EPERM);
}

static int read_at_last(void *arg)
{
	(void)arg;
	return tp_rwlock_timedrdlock(&room->l, LONG) || tp_rwlock_unlock(&room->l);
}

static void a_reader_too_many_waits(void **state)
{
	uint64_t id = tpgroup_add("reader");
	pid_t pid;

	(void)state;
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		assert_int_equal(tp_rwlock_rdlock(&room->l), 0);
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), -EAGAIN);
	assert_int_equal(tp_rwlock_timedrdlock(&room->l, 10000000), -ETIMEDOUT);
	pid = tpgroup_fork(id, read_at_last, NULL);
	wait_until_asleep(pid);
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		assert_int_equal(tp_rwlock_unlock(&room->l), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
	assert_int_equal(tp_rwlock_wrlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
}

static void slots_of_the_dead_are_used_again(void **state)
{
	uint64_t dead = tpgroup_add("dead");

	(void)state;
	tpgroup_died(dead);
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		room->l.reader[i] = (uint64_t)TP_TAG(dead) << 32 | (uint32_t)i;
	assert_int_equal(tp_rwlock_tryrdlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		room->l.reader[i] = (uint64_t)TP_TAG(dead) << 32 | (uint32_t)i;
	assert_int_equal(tp_rwlock_rdlock(&room->l), 0);
	assert_int_equal(tp_rwlock_unlock(&room->l), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_thread_reads_and_writes),
		TEST(readers_never_see_a_writer_at_work),
		TEST(readers_share_and_keep_writers_out),
		TEST(a_dead_reader_has_left),
		TEST(a_dead_writer_is_told_to_one),
		TEST(an_unrepaired_one_is_lost),
		TEST(a_reader_too_many_waits),
		TEST(slots_of_the_dead_are_used_again),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
