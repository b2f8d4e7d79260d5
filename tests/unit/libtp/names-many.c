/* SPDX-License-Identifier: MIT */
/* Names among many programs: races, restarts, waiters, a table that fills up. */
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
#include <sys/prctl.h>
#include <unistd.h>

#include "core.h"
#include "names-audit.h"
#include "names.h"
#include "tpgroup.h"

/* At the heap's beginning; nobody allocates here. */
struct shared {
	uint32_t round, stop, ready;
	uint32_t won, refused;
	uint64_t looked, found;
};
static struct shared *const shared = (struct shared *)TP_HEAP_BASE;
static uint64_t me;

#define GET(x)	  __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define SET(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELEASE)
#define ADD(x, v) __atomic_fetch_add(&(x), (v), __ATOMIC_ACQ_REL)

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(256 << 20);
	me = tpgroup_add("me");
	tpgroup_be(me);
	memset(shared, 0, sizeof(*shared));
	return 0;
}

static int close_group(void **state)
{
	struct names_audit a;

	(void)state;
	names_audit_sweep();
	a = names_audit();
	if (a.bad || a.lost)
		fprintf(stderr, "table: %u bad, %u lost\n", a.bad, a.lost);
	tpgroup_close();
	return a.bad || a.lost ? -1 : 0;
}

/* A test that fails leaves nobody behind. */
static void end_with_the_test(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* A pointer that says whose it is, and how manieth. */
static void *mark_of(tp_id owner, uint32_t n)
{
	return (void *)(TP_HEAP_BASE + 4096 + (owner >> TP_ID_INDEX_BITS & 0xfff) * 4096 + n % 4096);
}

static bool is_mark_of(const void *ptr, tp_id owner)
{
	return ((uint64_t)ptr - TP_HEAP_BASE - 4096) / 4096 == (owner >> TP_ID_INDEX_BITS & 0xfff);
}

static unsigned live_entries(const char *name)
{
	struct tp_name_cursor c = {.at = 0};
	struct tp_name n;
	unsigned live = 0;

	while (tp_name_next(&c, &n) == 1)
		live += !strcmp(n.name, name) && n.alive;
	return live;
}

/* Publishes, and replaces what it has published, until it is killed. */
static int serve(void *arg)
{
	(void)arg;
	end_with_the_test();
	if (tp_publish("service", mark_of(tpi_self.id, 0), "t", 0))
		_exit(1);
	ADD(shared->ready, 1);
	for (uint32_t i = 1;; i++)
		if (tp_publish("service", mark_of(tpi_self.id, i), "t", TP_PUBLISH_REPLACE))
			_exit(2);
}

/* What is found belongs together: the owner's name, the owner's pointer. And generations never go back. */
static int read_all_the_time(void *arg)
{
	uint64_t last = 0;

	(void)arg;
	end_with_the_test();
	while (!GET(shared->stop)) {
		uint32_t ready = GET(shared->ready);
		struct tp_name n;
		int r = tp_lookup("service", "t", &n);

		ADD(shared->looked, 1);
		if (r == -ENOENT && !ready)
			continue;
		if (r && r != -EOWNERDEAD)
			return 1;
		if (!is_mark_of(n.ptr, n.owner))
			return 2;
		if (n.generation < last)
			return 3;
		last = n.generation;
	}
	return 0;
}

/* 200 times kill -9 and immediate restart under one name: one live entry, no stale pointer. */
static void killed_and_restarted_under_one_name(void **state)
{
	uint64_t reader = tpgroup_add("reader");
	pid_t reader_pid;

	(void)state;
	memset(shared, 0, sizeof(*shared));
	reader_pid = tpgroup_fork(reader, read_all_the_time, NULL);
	for (uint32_t i = 1; i <= 200; i++) {
		uint64_t id = tpgroup_add("server");
		pid_t pid = tpgroup_fork(id, serve, NULL);
		struct tp_name n;

		while (GET(shared->ready) < i)
			assert_int_equal(kill(pid, 0), 0);
		usleep((useconds_t)(rand() % 800));
		assert_int_equal(tp_wait("service", "t", 5 * TP_SECOND, &n), 0);
		assert_true(n.owner == id && is_mark_of(n.ptr, id));
		if (i % 20 == 0)
			assert_int_equal(live_entries("service"), 1);
		tpgroup_kill(pid, id);
		assert_int_equal(tp_lookup("service", "t", &n), -EOWNERDEAD);
		assert_true(n.owner == id && is_mark_of(n.ptr, id));
	}
	SET(shared->stop, 1);
	assert_int_equal(tpgroup_join(reader_pid, reader), 0);
	assert_true(shared->looked > 1000);
	assert_int_equal(tp_unpublish("service", NULL), 0);
}

static int race(void *arg)
{
	(void)arg;
	end_with_the_test();
	for (uint32_t round = 1; round <= 20000; round++) {
		char name[16];
		int r;

		while (GET(shared->round) < round)
			;
		snprintf(name, sizeof(name), "race.%u", round);
		r = tp_publish(name, mark_of(tpi_self.id, round), "t", 0);
		if (r == 0)
			ADD(shared->won, 1);
		else if (r == -EEXIST)
			ADD(shared->refused, 1);
		else
			return 1;
		ADD(shared->ready, 1);
	}
	return 0;
}

/* Two publish one name at the same moment: it is either's, and the other is told. */
static void two_race_for_a_name(void **state)
{
	uint64_t a = tpgroup_add("a"), b = tpgroup_add("b");
	pid_t pa, pb;
	uint32_t rounds = 2000;

	(void)state;
	memset(shared, 0, sizeof(*shared));
	pa = tpgroup_fork(a, race, NULL);
	pb = tpgroup_fork(b, race, NULL);
	for (uint32_t round = 1; round <= rounds; round++) {
		char name[16];
		struct tp_name n;

		SET(shared->round, round);
		while (GET(shared->ready) < 2 * round)
			usleep(0);
		snprintf(name, sizeof(name), "race.%u", round);
		assert_int_equal(tp_lookup(name, "t", &n), 0);
		assert_true(is_mark_of(n.ptr, n.owner));
		assert_int_equal(shared->won, round);
		assert_int_equal(shared->refused, round);
	}
	tpgroup_kill(pa, a);
	tpgroup_kill(pb, b);
	for (uint32_t round = 1; round <= rounds; round++) {
		char name[16];

		snprintf(name, sizeof(name), "race.%u", round);
		assert_int_equal(tp_unpublish(name, NULL), 0);
	}
}

/* Three programs publish and unpublish types of the same few names: chains are copied all the time. */
static int churn_as(unsigned who)
{
	unsigned seed = (unsigned)tpi_self.id + who;
	char type[24];

	while (!GET(shared->stop)) {
		char name[8] = {'c', (char)('0' + rand_r(&seed) % 3)};
		struct tp_name n;
		int r;

		snprintf(type, sizeof(type), "%u.%u.%d", tpi_self.index, who, rand_r(&seed) % 4);
		r = tp_publish(name, mark_of(tpi_self.id, 1), type, TP_PUBLISH_REPLACE);
		if (r)
			return 1;
		r = tp_lookup(name, type, &n);
		if (r || n.owner != tpi_self.id || !is_mark_of(n.ptr, n.owner) || tp_name_check(&n))
			return 2;
		if (rand_r(&seed) % 2 && (tp_unpublish(name, type) || tp_name_check(&n) != -ESTALE))
			return 3;
		ADD(shared->looked, 1);
	}
	return 0;
}

static int churn(void *arg)
{
	(void)arg;
	end_with_the_test();
	return churn_as(0);
}

static void *churn_thread(void *arg)
{
	return (void *)(intptr_t)churn_as((unsigned)(uintptr_t)arg);
}

/* The same by threads of one program, where a race detector can look on. */
static void threads_share_the_table(void **state)
{
	pthread_t thread[3];

	(void)state;
	memset(shared, 0, sizeof(*shared));
	names_audit_sweep(); /* what others have left that were killed */
	assert_int_equal(names_audit().lost, 0);
	for (uintptr_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, churn_thread, (void *)(i + 1)), 0);
	while (GET(shared->looked) < 20000)
		usleep(1000);
	SET(shared->stop, 1);
	for (int i = 0; i < 3; i++) {
		void *result;

		pthread_join(thread[i], &result);
		assert_null(result);
	}
	for (int i = 0; i < 3; i++)
		tp_unpublish((char[]){'c', (char)('0' + i), 0}, NULL);
	assert_int_equal(names_audit().reached, 0);
	assert_int_equal(names_audit().lost, 0);
	assert_int_equal(names_audit().bad, 0);
}

/* Of those that change nothing are listed all, once each, whatever others do. */
static void lists_are_whole_while_others_change(void **state)
{
	uint64_t id[3];
	pid_t pid[3];

	(void)state;
	memset(shared, 0, sizeof(*shared));
	for (int i = 0; i < 3; i++) {
		char name[8] = {'c', (char)('0' + i)};

		assert_int_equal(tp_publish(name, mark_of(me, 0), "still", 0), 0);
	}
	for (int i = 0; i < 3; i++)
		pid[i] = tpgroup_fork(id[i] = tpgroup_add("churn"), churn, NULL);
	for (int k = 0; k < 100; k++) {
		struct tp_name_cursor c = {.at = 0};
		unsigned still = 0;
		struct tp_name n;

		while (tp_name_next(&c, &n) == 1) {
			assert_true(is_mark_of(n.ptr, n.owner));
			still += !strcmp(n.type, "still");
		}
		assert_int_equal(still, 3);
	}
	while (GET(shared->looked) < 30000)
		usleep(1000);
	SET(shared->stop, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tp_unpublish((char[]){'c', (char)('0' + i), 0}, NULL), 0);
	names_audit_sweep();
	assert_int_equal(names_audit().reached, 0);
	assert_int_equal(names_audit().lost, 0);
}

/* As above, but they are killed at any moment, and others take their place. */
static void nothing_is_lost_by_killing_changers(void **state)
{
	uint64_t id[2];
	pid_t pid[2];

	(void)state;
	memset(shared, 0, sizeof(*shared));
	for (int i = 0; i < 2; i++)
		pid[i] = tpgroup_fork(id[i] = tpgroup_add("churn"), churn, NULL);
	for (int k = 0; k < 300; k++) {
		usleep((useconds_t)(rand() % 1500));
		tpgroup_kill(pid[k & 1], id[k & 1]);
		pid[k & 1] = tpgroup_fork(id[k & 1] = tpgroup_add("churn"), churn, NULL);
	}
	for (int i = 0; i < 2; i++)
		tpgroup_kill(pid[i], id[i]);
	assert_int_equal(names_audit().bad, 0);
	names_audit_sweep();
	assert_int_equal(names_audit().bad, 0);
	assert_int_equal(names_audit().lost, 0);
	assert_int_equal(names_audit().reached, 0);
}

static int wait_for_each(void *arg)
{
	(void)arg;
	end_with_the_test();
	for (uint32_t round = 1; round <= 500; round++) {
		struct tp_name n;
		char name[16];

		snprintf(name, sizeof(name), "w.%u", round);
		if (tp_wait(name, "t", 20 * TP_SECOND, &n) || n.ptr != mark_of(me, round))
			return 1;
		ADD(shared->found, 1);
	}
	return 0;
}

/* Four sleepers, 500 names, published at any moment around their falling asleep. */
static void no_publication_is_missed(void **state)
{
	uint64_t id[4];
	pid_t pid[4];

	(void)state;
	memset(shared, 0, sizeof(*shared));
	for (int i = 0; i < 4; i++)
		pid[i] = tpgroup_fork(id[i] = tpgroup_add("waiter"), wait_for_each, NULL);
	for (uint32_t round = 1; round <= 500; round++) {
		char name[16];

		snprintf(name, sizeof(name), "w.%u", round);
		assert_int_equal(tp_publish(name, mark_of(me, round), "t", 0), 0);
		while (GET(shared->found) < 4 * (uint64_t)round)
			usleep(0);
		for (int spin = rand() % 20000; spin > 0; spin--)
			__asm__ volatile("");
	}
	for (int i = 0; i < 4; i++)
		assert_int_equal(tpgroup_join(pid[i], id[i]), 0);
	for (uint32_t round = 1; round <= 500; round++) {
		char name[16];

		snprintf(name, sizeof(name), "w.%u", round);
		assert_int_equal(tp_unpublish(name, "t"), 0);
	}
}

static int wait_for_late(void *arg)
{
	struct tp_name n;

	(void)arg;
	end_with_the_test();
	ADD(shared->ready, 1);
	return tp_wait("late", "t", 20 * TP_SECOND, &n) || n.ptr != mark_of(me, 7);
}

/* A publisher that was stopped between counting and waking: the next one wakes whom it has left asleep. */
static void a_stopped_publisher_leaves_nobody_asleep(void **state)
{
	uint64_t id = tpgroup_add("waiter");
	struct tp_names *t = tpi_names();
	pid_t pid;

	(void)state;
	memset(shared, 0, sizeof(*shared));
	pid = tpgroup_fork(id, wait_for_late, NULL);
	while (!GET(t->waiting))
		usleep(100);
	usleep(20000);
	/* As far as such a one comes. */
	ADD(t->changes, 1);
	assert_int_equal(tp_publish("late", mark_of(me, 7), "t", 0), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
	assert_int_equal(tp_unpublish("late", "t"), 0);
}

/* One that was stopped before it could wake anybody, and no other publishes. */
static void who_waits_looks_again_by_itself(void **state)
{
	uint64_t id = tpgroup_add("waiter");
	struct tp_names *t = tpi_names();
	pid_t pid;

	(void)state;
	memset(shared, 0, sizeof(*shared));
	pid = tpgroup_fork(id, wait_for_late, NULL);
	while (!GET(t->waiting))
		usleep(100);
	usleep(20000);
	__atomic_store_n(&t->waiting, 0, __ATOMIC_SEQ_CST);
	assert_int_equal(tp_publish("late", mark_of(me, 7), "t", 0), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
	assert_int_equal(tp_unpublish("late", "t"), 0);
}

static void publish_many(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		char name[24];

		snprintf(name, sizeof(name), "many.%u", i);
		assert_int_equal(tp_publish(name, mark_of(me, i), "t", 0), 0);
	}
}

static void unpublish_many(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		char name[24];

		snprintf(name, sizeof(name), "many.%u", i);
		assert_int_equal(tp_unpublish(name, "t"), 0);
	}
}

static void a_hundred_thousand_names(void **state)
{
	struct tp_name_cursor c = {.at = 0};
	struct tp_name n;
	uint32_t listed = 0;

	(void)state;
	publish_many(0, 100000);
	for (uint32_t i = 0; i < 100000; i++) {
		char name[24];

		snprintf(name, sizeof(name), "many.%u", i);
		assert_int_equal(tp_lookup(name, "t", &n), 0);
		assert_ptr_equal(n.ptr, mark_of(me, i));
	}
	while (tp_name_next(&c, &n) == 1)
		listed++;
	assert_int_equal(listed, 100000);
	unpublish_many(0, 50000);
	publish_many(0, 50000);
	unpublish_many(0, 100000);
	assert_int_equal(names_audit().reached, 0);
	assert_int_equal(names_audit().lost, 0);
}

/* Full is told; all can be taken out again, and the room is there again. */
static void a_full_table_says_so(void **state)
{
	const uint32_t all = TP_NAMES_ENTRIES - TP_NAMES_RESERVE - 1;
	struct tp_name n;

	(void)state;
	publish_many(0, all);
	assert_int_equal(tp_publish("one too many", shared, "t", 0), -ENOSPC);
	assert_non_null(strstr(tp_why(), "full"));
	assert_int_equal(tp_lookup("many.77", "t", &n), 0);
	unpublish_many(77, 78);
	assert_int_equal(tp_publish("one too many", shared, "t", 0), 0);
	/* Neighbours in its chain may have moved to the reserve and made room for as many. */
	for (uint32_t more = 0;; more++) {
		char name[24];

		snprintf(name, sizeof(name), "more.%u", more);
		if (tp_publish(name, shared, "t", 0) == -ENOSPC)
			break;
		assert_true(more < TP_NAMES_CHAIN_MAX);
	}
	for (uint32_t more = 0; more < TP_NAMES_CHAIN_MAX; more++) {
		char name[24];

		snprintf(name, sizeof(name), "more.%u", more);
		tp_unpublish(name, "t");
	}
	assert_int_equal(tp_unpublish("one too many", "t"), 0);
	publish_many(77, 78);
	unpublish_many(0, all);
	assert_int_equal(names_audit().reached, 0);
	assert_int_equal(names_audit().lost, 0);
}

/* The names of a program that has died make room when it is needed; kept ones stay. */
static int fill_the_table(void *arg)
{
	(void)arg;
	end_with_the_test();
	for (uint32_t i = 0;; i++) {
		char name[24];
		int r;

		snprintf(name, sizeof(name), "many.%u", i);
		r = tp_publish(name, mark_of(tpi_self.id, i), "t", i % 1000 ? 0 : TP_PUBLISH_KEEP);
		if (r)
			return r == -ENOSPC ? 0 : 1;
	}
}

static void the_dead_make_room(void **state)
{
	uint64_t id = tpgroup_add("filler");
	struct tp_name n;

	(void)state;
	assert_int_equal(tpgroup_join(tpgroup_fork(id, fill_the_table, NULL), id), 0);
	assert_int_equal(tp_lookup("many.1", "t", &n), -EOWNERDEAD);
	assert_int_equal(tp_publish("mine", shared, "t", 0), 0);
	assert_int_equal(tp_lookup("mine", "t", &n), 0);
	assert_int_equal(tp_lookup("many.1", "t", &n), -ENOENT);
	assert_int_equal(tp_lookup("many.2000", "t", &n), 0);
	assert_true(!n.alive && is_mark_of(n.ptr, id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_and_restarted_under_one_name),
		cmocka_unit_test(two_race_for_a_name),
		cmocka_unit_test(threads_share_the_table),
		cmocka_unit_test(lists_are_whole_while_others_change),
		cmocka_unit_test(nothing_is_lost_by_killing_changers),
		cmocka_unit_test(no_publication_is_missed),
		cmocka_unit_test(a_stopped_publisher_leaves_nobody_asleep),
		cmocka_unit_test(who_waits_looks_again_by_itself),
		cmocka_unit_test(a_hundred_thousand_names),
		cmocka_unit_test(a_full_table_says_so),
		cmocka_unit_test(the_dead_make_room),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
