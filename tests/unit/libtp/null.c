/* SPDX-License-Identifier: MIT */
/* NULL for each pointer that a public call takes: it is refused with a number and words, or harmless where the header says so. */
#include "answer.h"
#include "fixture.h"
#include <tp/tp.h>

static void of_programs(void **state)
{
	struct tp_peer_info peer;
	struct tp_event event;

	(void)state;
	ANSWERS(-EINVAL, tp_self(NULL));
	ANSWERS(-EINVAL, tp_peer(NULL, &peer));
	ANSWERS(-EINVAL, tp_peer("me", NULL));
	ANSWERS(-EINVAL, tp_peer_by_id(tpi_self.id, NULL));
	ANSWERS(1, tp_peers(NULL, 0));
	ANSWERS(-EINVAL, tp_peers(NULL, 4));
	ANSWERS(-EINVAL, tp_owner_of(&peer, NULL));
	ANSWERS(-EINVAL, tp_owner_of(NULL, NULL));
	ANSWERS(-EINVAL, tp_watch_create(NULL));
	ANSWERS(-EINVAL, tp_watch_fd(NULL));
	ANSWERS(-EINVAL, tp_watch_next(NULL, &event));
	ANSWERS(-EINVAL, tp_watch_next((struct tp_watch *)&peer, NULL));
	ANSWERS(0, (uintptr_t)tp_watch_destroy(NULL));
	ANSWERS(-EISCONN, tp_attach(NULL));
	assert_int_equal(answers_wrong, 0);
}

static void of_names(void **state)
{
	struct tp_name_cursor cursor = {0};
	struct tp_name found;
	void *p = tp_malloc(16);

	(void)state;
	assert_int_equal(tp_publish("name", p, "type", 0), 0);
	ANSWERS(-EINVAL, tp_publish(NULL, p, "type", 0));
	ANSWERS(-EFAULT, tp_publish("other", NULL, "type", 0));
	ANSWERS(-EINVAL, tp_publish("other", p, NULL, 0));
	ANSWERS(-EINVAL, tp_lookup(NULL, "type", &found));
	ANSWERS(0, tp_lookup("name", NULL, &found));
	ANSWERS(-EINVAL, tp_lookup("name", "type", NULL));
	ANSWERS(-EINVAL, tp_wait(NULL, "type", TP_NOWAIT, &found));
	ANSWERS(0, tp_wait("name", NULL, TP_NOWAIT, &found));
	ANSWERS(-EINVAL, tp_wait("name", "type", TP_NOWAIT, NULL));
	ANSWERS(-EINVAL, tp_name_check(NULL));
	ANSWERS(-EINVAL, tp_name_next(NULL, &found));
	ANSWERS(-EINVAL, tp_name_next(&cursor, NULL));
	ANSWERS(-EINVAL, tp_unpublish(NULL, "type"));
	ANSWERS(0, tp_unpublish("name", NULL));
	assert_int_equal(tp_free(p), 0);
	assert_int_equal(answers_wrong, 0);
}

static void of_the_heap(void **state)
{
	void *p;

	(void)state;
	ANSWERS(0, tp_usable_size(NULL));
	ANSWERS(0, tp_free(NULL));
	ANSWERS(-EINVAL, tp_alloc(16, 0, NULL));
	ANSWERS(-EINVAL, tp_heap_stats(0, NULL));
	ANSWERS(-EINVAL, tp_arena_create(NULL));
	REFUSES(tp_arena_alloc(NULL, 16, 0));
	ANSWERS(-EFAULT, tp_arena_give(NULL, tpi_self.id));
	ANSWERS(0, (uintptr_t)tp_arena_destroy(NULL));
	p = tp_realloc(NULL, 16);
	assert_non_null(p);
	assert_int_equal(tp_free(p), 0);
	assert_int_equal(answers_wrong, 0);
}

static void of_channels(void **state)
{
	struct tp_message m;
	struct tp_chan *c;
	struct tp_lane *l;
	uint64_t count;
	void *none[1] = {NULL};

	(void)state;
	ANSWERS(-EINVAL, tp_chan_create(NULL, "type", NULL, &c));
	ANSWERS(-EINVAL, tp_chan_create("null", NULL, NULL, &c));
	ANSWERS(-EINVAL, tp_chan_create("null", "type", NULL, NULL));
	ANSWERS(0, tp_chan_create("null", "type", NULL, &c));
	ANSWERS(-EINVAL, tp_chan_open(NULL, "type", TP_NOWAIT, &l));
	ANSWERS(-EINVAL, tp_chan_open("null", NULL, TP_NOWAIT, &l));
	ANSWERS(-EINVAL, tp_chan_open("null", "type", TP_NOWAIT, NULL));
	ANSWERS(0, tp_chan_open("null", "type", TP_NOWAIT, &l));
	ANSWERS(-EINVAL, tp_chan_recv(NULL, TP_NOWAIT, &m));
	ANSWERS(-EINVAL, tp_chan_recv(c, TP_NOWAIT, NULL));
	ANSWERS(-EINVAL, tp_chan_recv_batch(NULL, TP_NOWAIT, &m, 1));
	ANSWERS(-EINVAL, tp_chan_recv_batch(c, TP_NOWAIT, NULL, 1));
	ANSWERS(-EINVAL, tp_chan_ack(NULL, &m));
	ANSWERS(-EINVAL, tp_chan_ack(c, NULL));
	ANSWERS(-EINVAL, tp_chan_fd(NULL));
	ANSWERS(-EINVAL, tp_chan_arm(NULL));
	ANSWERS(-EINVAL, tp_lane_send_give(NULL, &m, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_give(l, NULL, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_lend(NULL, &m, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_lend(l, NULL, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_batch_give(NULL, none, 1, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_batch_give(l, NULL, 1, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_batch_give(l, none, 1, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_batch_lend(NULL, none, 1, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_batch_lend(l, NULL, 1, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_send_batch_lend(l, none, 1, TP_NOWAIT));
	ANSWERS(-EINVAL, tp_lane_acknowledged(NULL, &count));
	ANSWERS(-EINVAL, tp_lane_acknowledged(l, NULL));
	ANSWERS(-EINVAL, tp_lane_wait_consumer(NULL, TP_NOWAIT));
	ANSWERS(0, (uintptr_t)tp_lane_close(NULL));
	ANSWERS(0, (uintptr_t)tp_chan_destroy(NULL));
	tp_lane_close(l);
	tp_chan_destroy(c);
	assert_int_equal(answers_wrong, 0);
}

/* A lock at NULL does not lie in the segment. */
static void of_locks(void **state)
{
	struct tp_mutex *m = tp_calloc(1, sizeof(*m));
	struct tp_cond *c = tp_calloc(1, sizeof(*c));

	(void)state;
	ANSWERS(-EFAULT, tp_mutex_init(NULL));
	ANSWERS(-EFAULT, tp_mutex_lock(NULL));
	ANSWERS(-EFAULT, tp_mutex_trylock(NULL));
	ANSWERS(-EFAULT, tp_mutex_timedlock(NULL, TP_NOWAIT));
	ANSWERS(-EFAULT, tp_mutex_unlock(NULL));
	ANSWERS(-EFAULT, tp_mutex_consistent(NULL));
	ANSWERS(-EFAULT, tp_cond_init(NULL));
	ANSWERS(-EFAULT, tp_cond_wait(NULL, m));
	ANSWERS(-EFAULT, tp_cond_wait(c, NULL));
	ANSWERS(-EFAULT, tp_cond_timedwait(NULL, m, TP_NOWAIT));
	ANSWERS(-EFAULT, tp_cond_timedwait(c, NULL, TP_NOWAIT));
	ANSWERS(-EFAULT, tp_cond_signal(NULL));
	ANSWERS(-EFAULT, tp_cond_broadcast(NULL));
	ANSWERS(-EFAULT, tp_sem_init(NULL, 1));
	ANSWERS(-EFAULT, tp_sem_wait(NULL));
	ANSWERS(-EFAULT, tp_sem_trywait(NULL));
	ANSWERS(-EFAULT, tp_sem_timedwait(NULL, TP_NOWAIT));
	ANSWERS(-EFAULT, tp_sem_post(NULL));
	ANSWERS(-EFAULT, tp_barrier_init(NULL, 1));
	ANSWERS(-EFAULT, tp_barrier_wait(NULL, TP_NOWAIT));
	ANSWERS(-EFAULT, tp_rwlock_init(NULL));
	ANSWERS(-EFAULT, tp_rwlock_rdlock(NULL));
	ANSWERS(-EFAULT, tp_rwlock_wrlock(NULL));
	ANSWERS(-EFAULT, tp_rwlock_tryrdlock(NULL));
	ANSWERS(-EFAULT, tp_rwlock_trywrlock(NULL));
	ANSWERS(-EFAULT, tp_rwlock_timedrdlock(NULL, TP_NOWAIT));
	ANSWERS(-EFAULT, tp_rwlock_timedwrlock(NULL, TP_NOWAIT));
	ANSWERS(-EFAULT, tp_rwlock_unlock(NULL));
	ANSWERS(-EFAULT, tp_rwlock_consistent(NULL));
	assert_int_equal(tp_free(m), 0);
	assert_int_equal(tp_free(c), 0);
	assert_int_equal(answers_wrong, 0);
}

static void of_strings(void **state)
{
	struct tp_str s;

	(void)state;
	tp_str_init(&s);
	HARMLESS(tp_str_init(NULL));
	HARMLESS(tp_str_clear(NULL));
	HARMLESS(tp_str_fini(NULL));
	ANSWERS(-EFAULT, tp_str_set(NULL, "text"));
	ANSWERS(-EINVAL, tp_str_set(&s, NULL));
	ANSWERS(-EFAULT, tp_str_set_n(NULL, "text", 4));
	ANSWERS(-EINVAL, tp_str_set_n(&s, NULL, 4));
	ANSWERS(0, tp_str_set_n(&s, NULL, 0));
	ANSWERS(-EFAULT, tp_str_append(NULL, "text"));
	ANSWERS(-EINVAL, tp_str_append(&s, NULL));
	ANSWERS(-EFAULT, tp_str_append_n(NULL, "text", 4));
	ANSWERS(-EINVAL, tp_str_append_n(&s, NULL, 4));
	ANSWERS(0, tp_str_append_n(&s, NULL, 0));
	ANSWERS(-EFAULT, tp_str_reserve(NULL, 10));
	ANSWERS(-EFAULT, tp_str_move(NULL, &s));
	ANSWERS(-EFAULT, tp_str_move(&s, NULL));
	ANSWERS(-EFAULT, tp_str_check(NULL));
	assert_int_equal(answers_wrong, 0);
}

static void of_vectors(void **state)
{
	struct tp_vec v;
	int value = 1;

	(void)state;
	tp_vec_init(&v);
	HARMLESS(tp_vec_init(NULL));
	HARMLESS(tp_vec_fini(NULL));
	ANSWERS(0, tp_vec_count(NULL, sizeof(value)));
	ANSWERS(0, (uintptr_t)tp_vec_at(NULL, sizeof(value), 0));
	ANSWERS(-EFAULT, tp_vec_push(NULL, sizeof(value), &value));
	ANSWERS(-EINVAL, tp_vec_push(&v, sizeof(value), NULL));
	ANSWERS(-EFAULT, tp_vec_append(NULL, sizeof(value), &value, 1));
	ANSWERS(-EINVAL, tp_vec_append(&v, sizeof(value), NULL, 1));
	ANSWERS(0, tp_vec_append(&v, sizeof(value), NULL, 0));
	ANSWERS(-EFAULT, tp_vec_resize(NULL, sizeof(value), 1));
	ANSWERS(-EFAULT, tp_vec_reserve(NULL, sizeof(value), 1));
	ANSWERS(-EFAULT, tp_vec_move(NULL, &v));
	ANSWERS(-EFAULT, tp_vec_move(&v, NULL));
	ANSWERS(-EFAULT, tp_vec_check(NULL, sizeof(value)));
	tp_vec_fini(&v);
	assert_int_equal(answers_wrong, 0);
}

#define TEST(f) cmocka_unit_test_setup(f, answers_begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_programs), TEST(of_names), TEST(of_the_heap), TEST(of_channels), TEST(of_locks), TEST(of_strings), TEST(of_vectors),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
