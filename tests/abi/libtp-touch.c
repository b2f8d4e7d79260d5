/* SPDX-License-Identifier: MIT */
/*
 * Every call of the library, outside a group: each answers at once, with -ENOTCONN, NULL, or what its manual page says for that case; none
 * crashes, waits, or writes to its outputs. A test compares the symbols that this program uses with the map: none is forgotten.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/tp.h>

static int bad;

static void is(long got, long wanted, const char *call)
{
	if (got == wanted)
		return;
	printf("%s gave %ld, not %ld (%s)\n", call, got, wanted, tp_why());
	bad = 1;
}

#define IS(call, wanted)	is((long)(call), (long)(wanted), #call)
#define NOT_CONNECTED(call)	IS(call, -ENOTCONN)
#define NOTHING(call)		IS((call) == NULL, 1)

/* Objects that a program would have got in a group; their bytes are no such things. */
static union {
	char bytes[4096];
	uint64_t align;
	struct tp_mutex mutex;
	struct tp_cond cond;
	struct tp_sem sem;
	struct tp_barrier barrier;
	struct tp_rwlock rwlock;
} any;
static void *object = &any;

static void programs(void)
{
	struct tp_peer_info peer;
	struct tp_owner owner;
	struct tp_watch *watch = NULL;
	struct tp_event event;
	tp_id id = 5;

	IS(strncmp(tp_version(), "0.", 2), 0);
	IS(tp_why()[0] != '\0', 1);
	NOT_CONNECTED(tp_connected());
	NOT_CONNECTED(tp_self(&id));
	NOT_CONNECTED(tp_peer("name", &peer));
	NOT_CONNECTED(tp_peer_by_id(1, &peer));
	NOT_CONNECTED(tp_peers(&peer, 1));
	NOT_CONNECTED(tp_owner_of(&id, &owner));
	NOT_CONNECTED(tp_watch_create(&watch));
	IS(tp_watch_fd(NULL), -EINVAL);
	NOT_CONNECTED(tp_watch_next(object, &event));
	NOTHING(tp_watch_destroy(NULL));
	IS(tp_attach("no-such-group"), -ENOENT);
	NOT_CONNECTED(tp_detach());
	IS(id, 5);
	NOTHING(watch);
}

static void names(void)
{
	struct tp_name name;
	struct tp_name_cursor cursor;

	memset(&name, 0, sizeof(name));
	memset(&cursor, 0, sizeof(cursor));
	NOT_CONNECTED(tp_publish("name", &name, "type", 0));
	NOT_CONNECTED(tp_lookup("name", "type", &name));
	NOT_CONNECTED(tp_wait("name", "type", TP_FOREVER, &name));
	NOT_CONNECTED(tp_unpublish("name", "type"));
	NOT_CONNECTED(tp_name_check(&name));
	NOT_CONNECTED(tp_name_next(&cursor, &name));
}

static void heap(void)
{
	struct tp_heap_usage usage;
	struct tp_arena *arena = NULL;
	void *p = NULL;

	NOTHING(tp_malloc(1));
	NOTHING(tp_calloc(1, 1));
	NOTHING(tp_realloc(NULL, 1));
	NOTHING(tp_aligned_alloc(16, 16));
	IS(tp_usable_size(object), 0);
	NOT_CONNECTED(tp_free(object));
	NOT_CONNECTED(tp_alloc(1, 1, &p));
	NOT_CONNECTED(tp_heap_check());
	NOT_CONNECTED(tp_heap_stats(0, &usage));
	NOT_CONNECTED(tp_arena_create(&arena));
	NOTHING(tp_arena_alloc(object, 1, 1));
	NOT_CONNECTED(tp_arena_give(object, 1));
	NOTHING(tp_arena_destroy(NULL));
	NOTHING(p);
	NOTHING(arena);
}

static void channels(void)
{
	struct tp_chan *chan = NULL;
	struct tp_lane *lane = NULL;
	struct tp_message message;
	void *pointers[1] = {object};
	uint64_t count;

	memset(&message, 0, sizeof(message));
	NOT_CONNECTED(tp_chan_create("name", "type", NULL, &chan));
	NOT_CONNECTED(tp_chan_recv(object, TP_FOREVER, &message));
	NOT_CONNECTED(tp_chan_recv_batch(object, TP_FOREVER, &message, 1));
	NOT_CONNECTED(tp_chan_ack(object, &message));
	NOT_CONNECTED(tp_chan_fd(object));
	NOT_CONNECTED(tp_chan_arm(object));
	NOTHING(tp_chan_destroy(object));
	NOT_CONNECTED(tp_chan_open("name", "type", TP_FOREVER, &lane));
	NOT_CONNECTED(tp_lane_send_give(object, object, TP_FOREVER));
	NOT_CONNECTED(tp_lane_send_lend(object, object, TP_FOREVER));
	NOT_CONNECTED(tp_lane_send_batch_give(object, pointers, 1, TP_FOREVER));
	NOT_CONNECTED(tp_lane_send_batch_lend(object, pointers, 1, TP_FOREVER));
	NOT_CONNECTED(tp_lane_acknowledged(object, &count));
	NOT_CONNECTED(tp_lane_wait_consumer(object, TP_FOREVER));
	NOTHING(tp_lane_close(object));
	NOTHING(chan);
	NOTHING(lane);
}

static void locks(void)
{
	NOT_CONNECTED(tp_mutex_init(&any.mutex));
	NOT_CONNECTED(tp_mutex_lock(&any.mutex));
	NOT_CONNECTED(tp_mutex_trylock(&any.mutex));
	NOT_CONNECTED(tp_mutex_timedlock(&any.mutex, TP_FOREVER));
	NOT_CONNECTED(tp_mutex_unlock(&any.mutex));
	NOT_CONNECTED(tp_mutex_consistent(&any.mutex));
	NOT_CONNECTED(tp_cond_init(&any.cond));
	NOT_CONNECTED(tp_cond_wait(&any.cond, &any.mutex));
	NOT_CONNECTED(tp_cond_timedwait(&any.cond, &any.mutex, TP_FOREVER));
	NOT_CONNECTED(tp_cond_signal(&any.cond));
	NOT_CONNECTED(tp_cond_broadcast(&any.cond));
	NOT_CONNECTED(tp_sem_init(&any.sem, 1));
	NOT_CONNECTED(tp_sem_wait(&any.sem));
	NOT_CONNECTED(tp_sem_trywait(&any.sem));
	NOT_CONNECTED(tp_sem_timedwait(&any.sem, TP_FOREVER));
	NOT_CONNECTED(tp_sem_post(&any.sem));
	NOT_CONNECTED(tp_barrier_init(&any.barrier, 2));
	NOT_CONNECTED(tp_barrier_wait(&any.barrier, TP_FOREVER));
	NOT_CONNECTED(tp_rwlock_init(&any.rwlock));
	NOT_CONNECTED(tp_rwlock_rdlock(&any.rwlock));
	NOT_CONNECTED(tp_rwlock_wrlock(&any.rwlock));
	NOT_CONNECTED(tp_rwlock_tryrdlock(&any.rwlock));
	NOT_CONNECTED(tp_rwlock_trywrlock(&any.rwlock));
	NOT_CONNECTED(tp_rwlock_timedrdlock(&any.rwlock, TP_FOREVER));
	NOT_CONNECTED(tp_rwlock_timedwrlock(&any.rwlock, TP_FOREVER));
	NOT_CONNECTED(tp_rwlock_unlock(&any.rwlock));
	NOT_CONNECTED(tp_rwlock_consistent(&any.rwlock));
	for (size_t i = 0; i < sizeof(any); i++)
		if (any.bytes[i] != 0x55)
			IS(any.bytes[i], 0x55);
}

/* Short texts need no memory, and so no group. */
static void strings(void)
{
	struct tp_str s, t;

	tp_str_init(&s);
	tp_str_init(&t);
	IS(tp_str_set(&s, "short"), 0);
	IS(tp_str_set_n(&s, "short", 5), 0);
	IS(tp_str_append(&s, "er"), 0);
	IS(tp_str_append_n(&s, "!", 1), 0);
	IS(strcmp(s.data, "shorter!"), 0);
	IS(tp_str_check(&s), 0);
	IS(tp_str_reserve(&s, 15), 0);
	NOT_CONNECTED(tp_str_reserve(&s, 16));
	NOT_CONNECTED(tp_str_append(&s, "more than fifteen bytes"));
	IS(strcmp(s.data, "shorter!"), 0);
	IS(tp_str_move(&t, &s), 0);
	IS(strcmp(t.data, "shorter!"), 0);
	tp_str_clear(&t);
	IS(t.len, 0);
	tp_str_fini(&t);
	tp_str_fini(&s);
}

static void vectors(void)
{
	struct tp_vec v, w;
	int i = 1;

	memset(&v, 0x55, sizeof(v));
	tp_vec_init(&v);
	tp_vec_init(&w);
	IS(tp_vec_count(&v, sizeof(i)), 0);
	NOTHING(tp_vec_at(&v, sizeof(i), 0));
	NOT_CONNECTED(tp_vec_push(&v, sizeof(i), &i));
	NOT_CONNECTED(tp_vec_append(&v, sizeof(i), &i, 1));
	NOT_CONNECTED(tp_vec_resize(&v, sizeof(i), 1));
	NOT_CONNECTED(tp_vec_reserve(&v, sizeof(i), 1));
	IS(tp_vec_check(&v, sizeof(i)), 0);
	IS(tp_vec_move(&w, &v), 0);
	tp_vec_fini(&v);
	tp_vec_fini(&w);
}

int main(void)
{
	/* No group of this user's is to be found. */
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	memset(&any, 0x55, sizeof(any));
	programs();
	names();
	heap();
	channels();
	locks();
	strings();
	vectors();
	return bad;
}
