/* SPDX-License-Identifier: MIT */
/* Mutexes between programs: exclusion, time-outs, refusals, and what is left by those who die. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "counters.h"
#include "lock-group.h"

static void one_thread_locks_and_unlocks(void **state)
{
	struct tp_mutex *m = &room->m;

	(void)state;
	assert_int_equal(tp_mutex_unlock(m), -EPERM);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(tp_mutex_lock(m), 0);
		assert_int_equal(tp_mutex_trylock(m), -EBUSY);
		assert_int_equal(tp_mutex_lock(m), -EDEADLK);
		assert_int_equal(tp_mutex_timedlock(m, 1000), -EDEADLK);
		assert_int_equal(tp_mutex_consistent(m), -EINVAL);
		assert_int_equal(tp_mutex_unlock(m), 0);
	}
	assert_int_equal(tp_mutex_unlock(m), -EPERM);
	assert_int_equal(m->word, 0);
	memset(m, 0xa5, sizeof(*m));
	assert_int_equal(tp_mutex_init(m), 0);
	assert_int_equal(tp_mutex_trylock(m), 0);
	assert_int_equal(tp_mutex_unlock(m), 0);
}

static void a_lock_outside_the_segment_is_refused(void **state)
{
	struct tp_segment *s = tpi_self.segment;
	struct tp_mutex *here = tpgroup_private();
	uint32_t unit = TP_UNIT_OF(here);
	uint64_t owner = s->owner[unit];

	(void)state;
	assert_int_equal(tp_mutex_lock(here), -EFAULT);
	assert_non_null(strstr(tp_why(), "no memory of the group, not in the group segment"));
	assert_int_equal(tp_mutex_lock(NULL), -EFAULT);
	assert_int_equal(tp_mutex_init(here), -EFAULT);
	assert_int_equal(tp_mutex_unlock(here), -EFAULT);
	assert_int_equal(tp_mutex_lock((struct tp_mutex *)(TP_HEAP_BASE + s->areas[TP_AREA_HEAP].size - 8)), -EFAULT);
	assert_int_equal(tp_mutex_lock((struct tp_mutex *)(TP_HEAP_BASE + 4)), -EFAULT);
	assert_non_null(strstr(tp_why(), "not aligned"));
	s->owner[unit] = tpgroup_add("painter");
	assert_int_equal(tp_mutex_lock(here), -EFAULT);
	assert_non_null(strstr(tp_why(), "private memory of painter"));
	s->owner[unit] = owner;
}

enum { ROUNDS = 30000, PROGRAMS = 3, THREADS = 2 };

static void *count_up(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (tp_mutex_lock(&room->m) || room->inside)
			return (void *)1;
		room->inside = 1;
		room->count++;
		room->inside = 0;
		if (tp_mutex_unlock(&room->m))
			return (void *)2;
	}
	return arg;
}

static int count_up_in_threads(void *arg)
{
	pthread_t thread[THREADS];
	int bad = 0;

	(void)arg;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, count_up, NULL);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(thread[i], &result);
		bad |= result != NULL;
	}
	return bad;
}

static void threads_of_programs_exclude_each_other(void **state)
{
	uint64_t id[PROGRAMS];
	pid_t pid[PROGRAMS];

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		id[i] = tpgroup_add("counter");
		pid[i] = tpgroup_fork(id[i], count_up_in_threads, NULL);
	}
	for (int i = 0; i < PROGRAMS; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	assert_int_equal(room->count, PROGRAMS * THREADS * ROUNDS);
	assert_int_equal(TP_LOCK_TAG(room->m.word), 0);
}

static int hold(void *arg)
{
	if (tp_mutex_lock(&room->m))
		return 1;
	set(&room->ready, 1);
	while (!get(&room->go))
		usleep(500);
	(void)arg;
	return tp_mutex_unlock(&room->m) ? 2 : 0;
}

static void a_busy_one_is_waited_for(void **state)
{
	uint64_t id = tpgroup_add("holder");
	pid_t pid = tpgroup_fork(id, hold, NULL);
	int64_t start;

	(void)state;
	wait_until(&room->ready, 1);
	assert_int_equal(tp_mutex_trylock(&room->m), -EBUSY);
	assert_int_equal(tp_mutex_unlock(&room->m), -EPERM);
	start = tpi_now();
	assert_int_equal(tp_mutex_timedlock(&room->m, 30000000), -ETIMEDOUT);
	assert_true(tpi_now() - start >= 30000000);
	assert_int_equal(tp_mutex_timedlock(&room->m, TP_NOWAIT), -ETIMEDOUT);
	set(&room->go, 1);
	assert_int_equal(tp_mutex_timedlock(&room->m, LONG), 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
}

static int get_it_and_repair(void *arg)
{
	int r;

	add(&room->ready, 1);
	r = tp_mutex_timedlock(&room->m, LONG);
	if (r == -EOWNERDEAD) {
		add(&room->broken, 1);
		r = tp_mutex_consistent(&room->m);
	}
	(void)arg;
	return r || tp_mutex_unlock(&room->m) ? 1 : 0;
}

/* Of many who sleep, one is told; the others get it afterwards as if nothing had been. */
static void a_killed_holder_is_told_to_one(void **state)
{
	uint64_t holder = tpgroup_add("holder"), id[6];
	pid_t victim = tpgroup_fork(holder, hold, NULL), pid[6];

	(void)state;
	wait_until(&room->ready, 1);
	for (int i = 0; i < 6; i++) {
		id[i] = tpgroup_add("waiter");
		pid[i] = tpgroup_fork(id[i], get_it_and_repair, NULL);
	}
	for (int i = 0; i < 6; i++)
		wait_until_asleep(pid[i]);
	assert_int_equal(room->broken, 0);
	tpgroup_kill(victim, holder);
	for (int i = 0; i < 6; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	assert_int_equal(room->broken, 1);
}

static int hold_and_die(void *arg)
{
	(void)arg;
	if (tp_mutex_lock(&room->m) == 0)
		kill(getpid(), SIGKILL);
	return 1;
}

static void make_dead_holder(void)
{
	uint64_t id = tpgroup_add("holder");

	tpgroup_join(tpgroup_fork(id, hold_and_die, NULL), id);
}

static int wait_for_loss(void *arg)
{
	(void)arg;
	add(&room->ready, 1);
	return tp_mutex_timedlock(&room->m, LONG) == -ENOTRECOVERABLE ? 0 : 1;
}

static void an_unrepaired_one_is_lost_to_all(void **state)
{
	uint64_t id[4];
	pid_t pid[4];

	(void)state;
	make_dead_holder();
	assert_int_equal(tp_mutex_lock(&room->m), -EOWNERDEAD);
	for (int i = 0; i < 4; i++) {
		id[i] = tpgroup_add("waiter");
		pid[i] = tpgroup_fork(id[i], wait_for_loss, NULL);
		wait_until_asleep(pid[i]);
	}
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	assert_int_equal(tp_mutex_lock(&room->m), -ENOTRECOVERABLE);
	assert_int_equal(tp_mutex_trylock(&room->m), -ENOTRECOVERABLE);
	assert_int_equal(tp_mutex_unlock(&room->m), -EPERM);
	assert_int_equal(tp_mutex_consistent(&room->m), -EINVAL);
	assert_int_equal(tp_mutex_init(&room->m), 0);
	assert_int_equal(tp_mutex_lock(&room->m), 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
}

static void a_repaired_one_is_like_new(void **state)
{
	(void)state;
	make_dead_holder();
	assert_int_equal(tp_mutex_trylock(&room->m), -EOWNERDEAD);
	assert_int_equal(tp_mutex_lock(&room->m), -EDEADLK);
	assert_int_equal(tp_mutex_consistent(&room->m), 0);
	assert_int_equal(tp_mutex_consistent(&room->m), -EINVAL);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	assert_int_equal(tp_mutex_lock(&room->m), 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
}

/* What a death has cost can be read from outside. */
static void deaths_are_counted(void **state)
{
	const struct tp_counters *c = tpi_counters();
	uint64_t died = c->count[TP_COUNTER_OWNER_DIED], errors = c->errors[TP_CALL_LOCK].count;

	(void)state;
	make_dead_holder();
	assert_int_equal(tp_mutex_lock(&room->m), -EOWNERDEAD);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	assert_int_equal(tp_mutex_lock(&room->m), -ENOTRECOVERABLE);
	assert_int_equal(c->count[TP_COUNTER_OWNER_DIED], died + 1);
	assert_int_equal(c->errors[TP_CALL_LOCK].count, errors + 2);
	assert_int_equal(c->errors[TP_CALL_LOCK].last_error, -ENOTRECOVERABLE);
}

/* Locks may lie in any area; those outside the heap take the longer way. */
static void locks_may_lie_beside_the_heap(void **state)
{
	struct tp_mutex *m = (struct tp_mutex *)(TP_SEGMENT_BASE + tpi_self.segment->areas[TP_AREA_HEAP_META].off - sizeof(*m));
	struct tp_mutex *last = (struct tp_mutex *)(TP_HEAP_BASE + tpi_self.segment->areas[TP_AREA_HEAP].size) - 1;

	(void)state;
	assert_int_equal(tp_mutex_lock(m), 0);
	assert_int_equal(tp_mutex_unlock(m), 0);
	assert_int_equal(tp_mutex_lock(last), 0);
	assert_int_equal(tp_mutex_unlock(last), 0);
}

static int take_over_and_die(void *arg)
{
	(void)arg;
	if (tp_mutex_lock(&room->m) == -EOWNERDEAD)
		kill(getpid(), SIGKILL);
	return 1;
}

static void each_heir_that_dies_has_an_heir(void **state)
{
	(void)state;
	make_dead_holder();
	for (int i = 0; i < 5; i++) {
		uint64_t id = tpgroup_add("heir");

		assert_int_equal(WTERMSIG(tpgroup_join(tpgroup_fork(id, take_over_and_die, NULL), id)), SIGKILL);
	}
	assert_int_equal(tp_mutex_timedlock(&room->m, LONG), -EOWNERDEAD);
	assert_int_equal(tp_mutex_consistent(&room->m), 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
}

/* A program that is given the dead one's registry entry is not taken for it. */
static void a_successor_in_the_entry_is_not_the_holder(void **state)
{
	uint64_t holder = tpgroup_add("holder"), next;
	pid_t pid = tpgroup_fork(holder, hold_and_die, NULL);

	(void)state;
	tpgroup_join(pid, holder);
	do {
		next = tpgroup_add("successor");
		if (TP_ID_INDEX(next) != TP_ID_INDEX(holder))
			tpgroup_died(next);
	} while (TP_ID_INDEX(next) != TP_ID_INDEX(holder));
	assert_int_equal(tp_mutex_trylock(&room->m), -EOWNERDEAD);
	assert_int_equal(tp_mutex_consistent(&room->m), 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	tpgroup_died(next);
}

static void a_stopped_holder_is_not_dead(void **state)
{
	uint64_t id = tpgroup_add("holder");
	pid_t pid = tpgroup_fork(id, hold, NULL);

	(void)state;
	wait_until(&room->ready, 1);
	kill(pid, SIGSTOP);
	/* Somebody else's death makes all look again. */
	tpgroup_died(tpgroup_add("bystander"));
	assert_int_equal(tp_mutex_timedlock(&room->m, 2 * TP_SECOND), -ETIMEDOUT);
	assert_int_equal(tp_mutex_trylock(&room->m), -EBUSY);
	set(&room->go, 1);
	kill(pid, SIGCONT);
	assert_int_equal(tp_mutex_timedlock(&room->m, LONG), 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
}

/* Dead, though kill(pid, 0) says alive: it counts what the supervisor has announced. */
static void a_zombie_is_dead(void **state)
{
	uint64_t id = tpgroup_add("holder");
	pid_t pid = tpgroup_fork(id, hold_and_die, NULL);
	siginfo_t info;

	(void)state;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	tpgroup_died(id);
	assert_int_equal(kill(pid, 0), 0);
	assert_int_equal(tp_mutex_timedlock(&room->m, LONG), -EOWNERDEAD);
	assert_int_equal(tp_mutex_consistent(&room->m), 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
	waitpid(pid, NULL, 0);
}

static void a_forked_child_is_told_at_once(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(tp_mutex_lock(&room->m), 0);
	pid = fork();
	if (pid == 0)
		_exit(tp_mutex_lock(&room->m) == -ENOTCONN && tp_mutex_unlock(&room->m) == -ENOTCONN &&
				tp_mutex_trylock(&room->m) == -ENOTCONN && tp_sem_wait(&room->s) == -ENOTCONN &&
				tp_rwlock_rdlock(&room->l) == -ENOTCONN && tp_cond_signal(&room->c) == -ENOTCONN &&
				tp_barrier_wait(&room->b, TP_FOREVER) == -ENOTCONN ?
			0 :
			1);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(tp_mutex_unlock(&room->m), 0);
}

static int without_waitv(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 449, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int wait_without_waitv(void *arg)
{
	int r;

	(void)arg;
	if (without_waitv())
		return 77;
	set(&room->inside, 1);
	r = tp_mutex_timedlock(&room->m, LONG);
	return r == -EOWNERDEAD && tp_mutex_consistent(&room->m) == 0 && tp_mutex_unlock(&room->m) == 0 ? 0 : 1;
}

static void kernels_without_waitv_tell_within_a_second(void **state)
{
	uint64_t holder = tpgroup_add("holder"), id = tpgroup_add("waiter");
	pid_t victim = tpgroup_fork(holder, hold, NULL), pid;
	int64_t start;
	int status;

	(void)state;
	wait_until(&room->ready, 1);
	pid = tpgroup_fork(id, wait_without_waitv, NULL);
	wait_until_asleep(pid);
	start = tpi_now();
	tpgroup_kill(victim, holder);
	status = tpgroup_join(pid, id);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
	print_message("told after %ld ms\n", (long)((tpi_now() - start) / 1000000));
}

/* Whatever lies in the word: no hang, and no holder that is not there. */
static void a_damaged_word_locks_nobody_out(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		int r;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		room->m.word = (uint32_t)(seed >> 32);
		if (TP_LOCK_TAG(room->m.word) == tpi_self.tag || TP_LOCK_TAG(room->m.word) == 0)
			continue;
		room->m.state = (uint32_t)seed;
		r = tp_mutex_timedlock(&room->m, LONG);
		assert_true(r == -EOWNERDEAD || r == -ENOTRECOVERABLE);
		if (r == -EOWNERDEAD) {
			assert_int_equal(tp_mutex_consistent(&room->m), 0);
			assert_int_equal(tp_mutex_unlock(&room->m), 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_thread_locks_and_unlocks),
		TEST(a_lock_outside_the_segment_is_refused),
		TEST(threads_of_programs_exclude_each_other),
		TEST(a_busy_one_is_waited_for),
		TEST(a_killed_holder_is_told_to_one),
		TEST(an_unrepaired_one_is_lost_to_all),
		TEST(a_repaired_one_is_like_new),
		TEST(deaths_are_counted),
		TEST(locks_may_lie_beside_the_heap),
		TEST(each_heir_that_dies_has_an_heir),
		TEST(a_successor_in_the_entry_is_not_the_holder),
		TEST(a_stopped_holder_is_not_dead),
		TEST(a_zombie_is_dead),
		TEST(a_forked_child_is_told_at_once),
		TEST(kernels_without_waitv_tell_within_a_second),
		TEST(a_damaged_word_locks_nobody_out),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
