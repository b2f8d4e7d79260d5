/* SPDX-License-Identifier: MIT */
/* tp_why has words of its own for each everyday failure of each public call, not those of an older one. One process plays all programs. */
#include "answer.h"

#include <pthread.h>
#include <sys/time.h>

#include "chan-group.h"
#include "fixture.h"
#include <tp/tp.h>

static uint64_t me, other;

static int begin(void **state)
{
	other = tpgroup_add("other");
	me = tpgroup_add("me");
	as(me);
	return answers_begin(state);
}

static int finish(void **state)
{
	(void)state;
	tpgroup_died(other);
	tpgroup_died(me);
	return 0;
}

/* The last holder of what `take` takes is dead. */
static void die_with(int (*take)(void *lock), void *lock)
{
	uint64_t dead = tpgroup_add("dead");

	as(dead);
	take(lock);
	tpgroup_died(dead);
	as(me);
}

static int lock_mutex(void *m)
{
	return tp_mutex_lock(m);
}

static int lock_for_writing(void *l)
{
	return tp_rwlock_wrlock(l);
}

static void of_mutexes(void **state)
{
	struct tp_mutex *m = tp_calloc(1, sizeof(*m));

	(void)state;
	ANSWERS(-EPERM, tp_mutex_unlock(m));
	ANSWERS(-EINVAL, tp_mutex_consistent(m));
	ANSWERS(0, tp_mutex_lock(m));
	ANSWERS(-EBUSY, tp_mutex_trylock(m));
	ANSWERS(-EDEADLK, tp_mutex_lock(m));
	ANSWERS(-EDEADLK, tp_mutex_timedlock(m, 1000));
	as(other);
	ANSWERS(-ETIMEDOUT, tp_mutex_timedlock(m, 1000));
	ANSWERS(-EPERM, tp_mutex_unlock(m));
	as(me);
	ANSWERS(0, tp_mutex_unlock(m));
	die_with(lock_mutex, m);
	ANSWERS(-EOWNERDEAD, tp_mutex_lock(m));
	ANSWERS(0, tp_mutex_consistent(m));
	ANSWERS(0, tp_mutex_unlock(m));
	die_with(lock_mutex, m);
	ANSWERS(-EOWNERDEAD, tp_mutex_trylock(m));
	ANSWERS(0, tp_mutex_unlock(m));
	ANSWERS(-ENOTRECOVERABLE, tp_mutex_trylock(m));
	ANSWERS(-ENOTRECOVERABLE, tp_mutex_timedlock(m, 1000));
	assert_int_equal(tp_free(m), 0);
	assert_int_equal(answers_wrong, 0);
}

static void of_conditions_semaphores_barriers(void **state)
{
	struct tp_mutex *m = tp_calloc(1, sizeof(*m));
	struct tp_cond *c = tp_calloc(1, sizeof(*c));
	struct tp_sem *s = tp_calloc(1, sizeof(*s));
	struct tp_barrier *b = tp_calloc(1, sizeof(*b));

	(void)state;
	ANSWERS(-EPERM, tp_cond_wait(c, m));
	ANSWERS(0, tp_mutex_lock(m));
	ANSWERS(-ETIMEDOUT, tp_cond_timedwait(c, m, 1000));
	ANSWERS(0, tp_mutex_unlock(m));
	die_with(lock_mutex, m);
	ANSWERS(-EOWNERDEAD, tp_mutex_lock(m));
	ANSWERS(-EINVAL, tp_cond_timedwait(c, m, 1000));
	ANSWERS(-EINVAL, tp_sem_init(s, UINT32_MAX));
	ANSWERS(-EAGAIN, tp_sem_trywait(s));
	ANSWERS(-ETIMEDOUT, tp_sem_timedwait(s, 1000));
	ANSWERS(0, tp_sem_init(s, TP_SEM_MAX));
	ANSWERS(-EOVERFLOW, tp_sem_post(s));
	ANSWERS(-EINVAL, tp_barrier_init(b, 0));
	ANSWERS(-EINVAL, tp_barrier_wait(b, 1000));
	ANSWERS(0, tp_barrier_init(b, 2));
	ANSWERS(-ETIMEDOUT, tp_barrier_wait(b, 1000));
	as(other);
	ANSWERS(-ETIMEDOUT, tp_barrier_wait(b, 1000));
	tpgroup_died(other);
	as(me);
	ANSWERS(-EOWNERDEAD, tp_barrier_wait(b, TP_FOREVER));
	ANSWERS(-EOWNERDEAD, tp_barrier_wait(b, TP_FOREVER));
	assert_int_equal(answers_wrong, 0);
}

static void of_read_write_locks(void **state)
{
	struct tp_rwlock *l = tp_calloc(1, sizeof(*l));

	(void)state;
	ANSWERS(-EPERM, tp_rwlock_unlock(l));
	ANSWERS(-EINVAL, tp_rwlock_consistent(l));
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		assert_int_equal(tp_rwlock_rdlock(l), 0);
	ANSWERS(-EAGAIN, tp_rwlock_tryrdlock(l));
	ANSWERS(-ETIMEDOUT, tp_rwlock_timedrdlock(l, 1000));
	ANSWERS(-EBUSY, tp_rwlock_trywrlock(l));
	ANSWERS(-EDEADLK, tp_rwlock_wrlock(l));
	as(other);
	ANSWERS(-ETIMEDOUT, tp_rwlock_timedwrlock(l, 1000));
	ANSWERS(-EPERM, tp_rwlock_unlock(l));
	as(me);
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		assert_int_equal(tp_rwlock_unlock(l), 0);
	ANSWERS(0, tp_rwlock_wrlock(l));
	ANSWERS(-EDEADLK, tp_rwlock_rdlock(l));
	ANSWERS(-EDEADLK, tp_rwlock_wrlock(l));
	ANSWERS(-EBUSY, tp_rwlock_tryrdlock(l));
	as(other);
	ANSWERS(-ETIMEDOUT, tp_rwlock_timedrdlock(l, 1000));
	ANSWERS(-EBUSY, tp_rwlock_trywrlock(l));
	as(me);
	ANSWERS(0, tp_rwlock_unlock(l));
	die_with(lock_for_writing, l);
	ANSWERS(-EOWNERDEAD, tp_rwlock_rdlock(l));
	ANSWERS(0, tp_rwlock_consistent(l));
	ANSWERS(0, tp_rwlock_unlock(l));
	die_with(lock_for_writing, l);
	ANSWERS(-EOWNERDEAD, tp_rwlock_tryrdlock(l));
	ANSWERS(0, tp_rwlock_unlock(l));
	ANSWERS(-ENOTRECOVERABLE, tp_rwlock_rdlock(l));
	ANSWERS(-ENOTRECOVERABLE, tp_rwlock_tryrdlock(l));
	ANSWERS(-ENOTRECOVERABLE, tp_rwlock_wrlock(l));
	ANSWERS(-ENOTRECOVERABLE, tp_rwlock_trywrlock(l));
	assert_int_equal(tp_free(l), 0);
	assert_int_equal(answers_wrong, 0);
}

static void of_names(void **state)
{
	struct tp_name n = {0};
	int *own = tpgroup_private();

	(void)state;
	as(other);
	tpi_self.segment->owner[TP_UNIT_OF(own)] = other;
	ANSWERS(0, tp_publish("book", own, "book@1", 0));
	as(me);
	ANSWERS(-EINVAL, tp_publish("", own, "book@1", 0));
	ANSWERS(-EINVAL, tp_publish("book", own, "book@1", 0x80));
	ANSWERS(-EEXIST, tp_publish("book", own, "book@1", 0));
	ANSWERS(-EFAULT, tp_publish("shelf", (void *)0x10, "book@1", 0));
	ANSWERS(-EFAULT, tp_publish("shelf", own, "book@1", TP_PUBLISH_KEEP));
	ANSWERS(-ENOENT, tp_lookup("shelf", NULL, &n));
	ANSWERS(-EPROTOTYPE, tp_lookup("book", "book@2", &n));
	ANSWERS(-ETIMEDOUT, tp_wait("shelf", NULL, TP_NOWAIT, &n));
	ANSWERS(-ETIMEDOUT, tp_wait("shelf", NULL, 1000, &n));
	ANSWERS(-ETIMEDOUT, tp_wait("book", "book@2", 1000, &n));
	ANSWERS(-EPERM, tp_unpublish("book", NULL));
	ANSWERS(-ENOENT, tp_unpublish("shelf", NULL));
	ANSWERS(-EINVAL, tp_name_check(&n));
	ANSWERS(0, tp_lookup("book", "book@1", &n));
	tpi_self.satellite = 1;
	ANSWERS(-EFAULT, tp_lookup("book", "book@1", &n));
	tpi_self.satellite = 0;
	tpgroup_died(other);
	ANSWERS(-EOWNERDEAD, tp_lookup("book", "book@1", &n));
	ANSWERS(-EOWNERDEAD, tp_name_check(&n));
	ANSWERS(-ETIMEDOUT, tp_wait("book", "book@1", 1000, &n));
	ANSWERS(0, tp_unpublish("book", NULL));
	ANSWERS(-ESTALE, tp_name_check(&n));
	tpi_self.segment->owner[TP_UNIT_OF(own)] = 0;
	assert_int_equal(answers_wrong, 0);
}

/* What a compiler would warn of, if it saw it. */
static size_t hidden(size_t n)
{
	__asm__("" : "+r"(n));
	return n;
}

static void of_the_heap(void **state)
{
	char own[64], *p = tp_malloc(100);
	void *block;
	struct tp_arena *a;
	size_t huge = (size_t)1 << 30;

	(void)state;
	REFUSES(tp_malloc(huge));
	REFUSES(tp_malloc(hidden(SIZE_MAX / 2 + 1)));
	REFUSES(tp_calloc(huge, hidden(huge * huge)));
	REFUSES(tp_realloc(p, huge));
	REFUSES(tp_realloc(own, 10));
	REFUSES(tp_aligned_alloc(24, 10));
	ANSWERS(-ENOSPC, tp_alloc(huge, 16, &block));
	ANSWERS(-EINVAL, tp_alloc(10, 24, &block));
	ANSWERS(-EINVAL, tp_alloc(SIZE_MAX, 1, &block));
	ANSWERS(-EFAULT, tp_free(own));
	ANSWERS(-EFAULT, tp_free(p + 16));
	ANSWERS(0, tp_free(p));
	ANSWERS(-EALREADY, tp_free(p));
	ANSWERS(0, tp_arena_create(&a));
	REFUSES(tp_arena_alloc(a, huge, 16));
	REFUSES(tp_arena_alloc(a, 16, 24));
	REFUSES(tp_arena_alloc((struct tp_arena *)own, 16, 16));
	ANSWERS(-EFAULT, tp_arena_give((struct tp_arena *)own, other));
	ANSWERS(-ESRCH, tp_arena_give(a, 12345));
	ANSWERS(0, tp_arena_give(a, other));
	ANSWERS(-EPERM, tp_arena_give(a, other));
	REFUSES(tp_arena_alloc(a, 16, 16));
	assert_int_equal(answers_wrong, 0);
}

static void of_strings_and_vectors(void **state)
{
	struct tp_str s, copy;
	struct tp_vec v = {0}, wrong = {.end = &s};
	size_t huge = (size_t)1 << 30;
	int value = 1;

	(void)state;
	tp_str_init(&s);
	memcpy(&copy, &s, sizeof(copy));
	ANSWERS(-EFAULT, tp_str_set(&copy, "text"));
	ANSWERS(-EFAULT, tp_str_check(&copy));
	ANSWERS(-EFAULT, tp_str_move(&s, &copy));
	ANSWERS(-EOVERFLOW, tp_str_set_n(&s, "", SIZE_MAX));
	ANSWERS(-EOVERFLOW, tp_str_append_n(&s, "", SIZE_MAX));
	ANSWERS(-EOVERFLOW, tp_str_reserve(&s, SIZE_MAX));
	ANSWERS(-ENOSPC, tp_str_reserve(&s, huge));
	ANSWERS(-EINVAL, tp_vec_push(&v, 0, &value));
	ANSWERS(-EINVAL, tp_vec_check(&v, 0));
	ANSWERS(-EFAULT, tp_vec_check(&wrong, 4));
	ANSWERS(-EFAULT, tp_vec_push(&wrong, 4, &value));
	ANSWERS(-EOVERFLOW, tp_vec_append(&v, 4, &value, SIZE_MAX));
	ANSWERS(-EOVERFLOW, tp_vec_resize(&v, 4, SIZE_MAX));
	ANSWERS(-ENOSPC, tp_vec_resize(&v, 4, huge));
	ANSWERS(-ENOSPC, tp_vec_reserve(&v, 4, huge));
	v = (struct tp_vec){&s, &s + 1, &s + 1};
	ANSWERS(-EFAULT, tp_vec_move(&v, &(struct tp_vec){0}));
	assert_int_equal(answers_wrong, 0);
}

static struct tp_chan *make_channel(struct tp_lane **ret_lane)
{
	struct tp_chan_options o = {.size = sizeof(o), .capacity = 2, .lanes = 1};
	struct tp_chan *c = NULL;

	as(me);
	ANSWERS(0, tp_chan_create("c", "yy", &o, &c));
	as(other);
	ANSWERS(0, tp_chan_open("c", "yy", TP_NOWAIT, ret_lane));
	as(me);
	return c;
}

static void of_a_consumer(void **state)
{
	struct tp_lane *l = NULL;
	struct tp_chan_options o = {.size = sizeof(o), .capacity = 3};
	struct tp_chan *c = make_channel(&l), *again;
	struct tp_message m = {0};

	(void)state;
	ANSWERS(-EINVAL, tp_chan_create("", "yy", NULL, &again));
	ANSWERS(-EINVAL, tp_chan_create("d", "yy", &o, &again));
	ANSWERS(-EEXIST, tp_chan_create("c", "yy", NULL, &again));
	ANSWERS(-EAGAIN, tp_chan_recv(c, TP_NOWAIT, &m));
	ANSWERS(-ETIMEDOUT, tp_chan_recv(c, 1000, &m));
	ANSWERS(-EAGAIN, tp_chan_recv_batch(c, TP_NOWAIT, &m, 1));
	ANSWERS(-ETIMEDOUT, tp_chan_recv_batch(c, 1000, &m, 1));
	ANSWERS(-EINVAL, tp_chan_ack(c, &m));
	ANSWERS(-EINVAL, tp_chan_arm(c));
	as(other);
	ANSWERS(-EBADF, tp_chan_recv(c, TP_NOWAIT, &m));
	ANSWERS(-EBADF, tp_chan_recv_batch(c, TP_NOWAIT, &m, 1));
	ANSWERS(-EBADF, tp_chan_ack(c, &m));
	ANSWERS(-EBADF, tp_chan_fd(c));
	ANSWERS(-EBADF, tp_chan_arm(c));
	tpgroup_died(other);
	as(me);
	ANSWERS(-EOWNERDEAD, tp_chan_recv(c, TP_NOWAIT, &m));
	other = tpgroup_add("other");
	as(other);
	ANSWERS(0, tp_chan_open("c", "yy", TP_NOWAIT, &l));
	tp_lane_close(l);
	as(me);
	ANSWERS(-EPIPE, tp_chan_recv(c, TP_NOWAIT, &m));
	tp_chan_destroy(c);
	assert_int_equal(answers_wrong, 0);
}

static void of_producers(void **state)
{
	struct tp_lane *l = NULL, *more;
	struct tp_chan *c = make_channel(&l);
	void *ptrs[2] = {tp_malloc(16), tp_malloc(16)};
	uint64_t count;

	(void)state;
	ANSWERS(-EBADF, tp_lane_send_give(l, ptrs[0], TP_NOWAIT));
	ANSWERS(-EBADF, tp_lane_send_batch_give(l, ptrs, 2, TP_NOWAIT));
	ANSWERS(-EBADF, tp_lane_acknowledged(l, &count));
	ANSWERS(-EBADF, tp_lane_wait_consumer(l, TP_NOWAIT));
	as(other);
	ANSWERS(-EINVAL, tp_chan_open("c", "", TP_NOWAIT, &more));
	ANSWERS(-ENOENT, tp_chan_open("b", "yy", TP_NOWAIT, &more));
	ANSWERS(-ETIMEDOUT, tp_chan_open("b", "yy", 1000, &more));
	ANSWERS(-EPROTOTYPE, tp_chan_open("c", "zz", TP_NOWAIT, &more));
	ANSWERS(-ETIMEDOUT, tp_chan_open("c", "zz", 1000, &more));
	ANSWERS(-ENOSPC, tp_chan_open("c", "yy", TP_NOWAIT, &more));
	ANSWERS(-ETIMEDOUT, tp_chan_open("c", "yy", 1000, &more));
	ANSWERS(-EINVAL, tp_lane_send_give(l, (void *)(uintptr_t)INT64_MIN, TP_NOWAIT));
	ANSWERS(2, tp_lane_send_batch_lend(l, ptrs, 2, TP_NOWAIT));
	ANSWERS(-EAGAIN, tp_lane_send_lend(l, ptrs[0], TP_NOWAIT));
	ANSWERS(-EAGAIN, tp_lane_send_give(l, ptrs[0], TP_NOWAIT));
	ANSWERS(-EAGAIN, tp_lane_send_batch_lend(l, ptrs, 2, TP_NOWAIT));
	ANSWERS(-ETIMEDOUT, tp_lane_send_lend(l, ptrs[0], 1000));
	ANSWERS(-ETIMEDOUT, tp_lane_send_batch_give(l, ptrs, 2, 1000));
	tpgroup_died(me);
	ANSWERS(-EOWNERDEAD, tp_lane_send_lend(l, ptrs[0], TP_NOWAIT));
	ANSWERS(-EOWNERDEAD, tp_lane_send_batch_lend(l, ptrs, 2, 1000));
	ANSWERS(-EOWNERDEAD, tp_lane_wait_consumer(l, TP_NOWAIT));
	ANSWERS(-ETIMEDOUT, tp_lane_wait_consumer(l, 1000));
	ANSWERS(-EOWNERDEAD, tp_chan_open("c", "yy", TP_NOWAIT, &more));
	ANSWERS(-ETIMEDOUT, tp_chan_open("c", "yy", 1000, &more));
	me = tpgroup_add("me");
	as(me);
	ANSWERS(0, tp_chan_create("c", "yy", NULL, &c));
	tp_chan_destroy(c);
	as(other);
	ANSWERS(-EPIPE, tp_lane_send_give(l, ptrs[0], TP_NOWAIT));
	ANSWERS(-EPIPE, tp_lane_send_batch_give(l, ptrs, 2, TP_NOWAIT));
	ANSWERS(-EPIPE, tp_lane_wait_consumer(l, TP_NOWAIT));
	tp_lane_close(l);
	assert_int_equal(answers_wrong, 0);
}

static void of_programs(void **state)
{
	struct tp_peer_info peer;
	struct tp_owner owner;
	tp_id id = tpgroup_add("gone");

	(void)state;
	ANSWERS(-EINVAL, tp_peer("", &peer));
	ANSWERS(-ENOENT, tp_peer("nobody", &peer));
	ANSWERS(-ENOENT, tp_peer_by_id(id + ((uint64_t)1 << 40), &peer));
	ANSWERS(-EFAULT, tp_owner_of((void *)0x10, &owner));
	ANSWERS(-EISCONN, tp_attach("group"));
	ANSWERS(-EPERM, tp_detach());
	tpgroup_died(id);
	assert_int_equal(answers_wrong, 0);
}

/* A thread's words are its own. */
static void *fail_otherwise(void *arg)
{
	struct tp_peer_info peer;

	return !tp_why()[0] && tp_peer("nobody", &peer) == -ENOENT && strstr(tp_why(), "nobody") ? arg : NULL;
}

static void of_another_thread(void **state)
{
	struct tp_sem *s = tp_calloc(1, sizeof(*s));
	pthread_t thread;
	void *right = NULL;

	(void)state;
	ANSWERS(-EAGAIN, tp_sem_trywait(s));
	pthread_create(&thread, NULL, fail_otherwise, s);
	pthread_join(thread, &right);
	assert_ptr_equal(right, s);
	assert_non_null(strstr(tp_why(), "permit"));
	assert_int_equal(tp_free(s), 0);
}

/* Timer signals strike threads that just begin to use libtp, with calls that a handler may make. */
static struct tp_sem *empty;
static volatile int handled, wrong_in_handler;

static void call_in_handler(int sig)
{
	struct tp_peer_info peer;

	(void)sig;
	if (tp_sem_trywait(empty) != -EAGAIN || tp_peer_by_id((tp_id)1 << 60, &peer) != -ENOENT)
		wrong_in_handler = 1;
	handled++;
}

static void *begin_and_end(void *arg)
{
	sigset_t alarm;
	void *p;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	for (int i = 0; i < 20; i++) {
		int r = tp_sem_trywait(empty);
		const char *why = tp_why();

		p = tp_malloc(32);
		if (r != -EAGAIN || !why[0] || strlen(why) > 200 || !p || tp_free(p))
			return arg;
	}
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	return NULL;
}

static void of_signal_handlers(void **state)
{
	struct sigaction act = {.sa_handler = call_in_handler, .sa_flags = SA_RESTART}, old;
	struct itimerval often = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
	int64_t end = tpi_now() + 20 * TP_SECOND;
	sigset_t alarm;

	(void)state;
	empty = tp_calloc(1, sizeof(*empty));
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; (i < 100 || handled < 50) && tpi_now() < end; i++) {
		pthread_t thread;
		void *bad = NULL;

		assert_int_equal(pthread_create(&thread, NULL, begin_and_end, &bad), 0);
		pthread_join(thread, &bad);
		assert_null(bad);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	assert_true(handled > 0);
	assert_false(wrong_in_handler);
	assert_int_equal(tp_heap_check(), 0);
	assert_int_equal(tp_free(empty), 0);
	sigaction(SIGALRM, &old, NULL);
}

#define NOBODY(call) ANSWERS(-ENOTCONN, call)

static void of_who_is_in_no_group(void **state)
{
	static struct tp_mutex m;
	static struct tp_cond c;
	static struct tp_sem s;
	static struct tp_barrier b;
	static struct tp_rwlock l;
	struct tp_peer_info peer;
	struct tp_owner owner;
	struct tp_name name;
	struct tp_name_cursor cursor = {0};
	struct tp_watch *watch;
	struct tp_heap_usage usage;
	struct tp_arena *arena;
	struct tp_chan *chan;
	struct tp_lane *lane;
	tp_id id;
	void *p;

	(void)state;
	tpi_disconnect();
	ANSWERS(-ENOENT, tp_attach("/no/such/place"));
	NOBODY(tp_connected());
	NOBODY(tp_self(&id));
	NOBODY(tp_peer("me", &peer));
	NOBODY(tp_peer_by_id(1, &peer));
	NOBODY(tp_peers(&peer, 1));
	NOBODY(tp_owner_of(&p, &owner));
	NOBODY(tp_watch_create(&watch));
	NOBODY(tp_detach());
	NOBODY(tp_publish("n", &p, "t", 0));
	NOBODY(tp_lookup("n", "t", &name));
	NOBODY(tp_wait("n", "t", TP_NOWAIT, &name));
	NOBODY(tp_unpublish("n", "t"));
	NOBODY(tp_name_check(&name));
	NOBODY(tp_name_next(&cursor, &name));
	REFUSES(tp_malloc(1));
	REFUSES(tp_calloc(1, 1));
	REFUSES(tp_realloc(NULL, 1));
	REFUSES(tp_aligned_alloc(16, 1));
	NOBODY(tp_free(&p));
	NOBODY(tp_alloc(1, 1, &p));
	NOBODY(tp_heap_check());
	NOBODY(tp_heap_stats(0, &usage));
	NOBODY(tp_arena_create(&arena));
	NOBODY(tp_chan_create("c", "t", NULL, &chan));
	NOBODY(tp_chan_open("c", "t", TP_NOWAIT, &lane));
	NOBODY(tp_mutex_init(&m));
	NOBODY(tp_mutex_lock(&m));
	NOBODY(tp_mutex_unlock(&m));
	NOBODY(tp_cond_signal(&c));
	NOBODY(tp_cond_timedwait(&c, &m, 1));
	NOBODY(tp_sem_post(&s));
	NOBODY(tp_barrier_wait(&b, 1));
	NOBODY(tp_rwlock_rdlock(&l));
	NOBODY(tp_rwlock_unlock(&l));
	assert_int_equal(answers_wrong, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_mutexes), TEST(of_conditions_semaphores_barriers), TEST(of_read_write_locks), TEST(of_names), TEST(of_the_heap),
		TEST(of_strings_and_vectors), TEST(of_a_consumer), TEST(of_producers), TEST(of_programs), TEST(of_another_thread), TEST(of_signal_handlers),
		TEST(of_who_is_in_no_group),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
