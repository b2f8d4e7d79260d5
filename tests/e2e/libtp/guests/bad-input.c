/* SPDX-License-Identifier: MIT */
/*
 * Everything that a program can get wrong, each with the result that the manual promises. Nothing of it harms the group: the heap is
 * checked after each part, and what was there before is there afterwards.
 *
 * bad-input PART     names heap free locks channels strings programs exhausted
 */
#include "guest-tp.h"

static struct tp_heap_usage usage(void)
{
	struct tp_heap_usage u;

	RESULT(tp_heap_check(), 0);
	RESULT(tp_heap_stats(0, &u), 0);
	return u;
}

static int says(const char *text)
{
	if (strstr(tp_why(), text))
		return 1;
	fprintf(stderr, "tp_why lacks '%s': %s\n", text, tp_why());
	return 0;
}

/* What a compiler would warn of, if it saw it. */
static size_t hidden(size_t n)
{
	__asm__("" : "+r"(n));
	return n;
}

static const char *longest(void)
{
	static char name[TP_NAME_LENGTH_MAX + 2];

	memset(name, 'n', TP_NAME_LENGTH_MAX);
	return name;
}

static const char *too_long(void)
{
	static char name[TP_NAME_LENGTH_MAX + 2];

	memset(name, 'n', TP_NAME_LENGTH_MAX + 1);
	return name;
}

static void names(void)
{
	static const char *const bad[] = {NULL, "", "a\nb", "\x1b[2J", "tab\t", "\x7f", "x\x01"};
	struct tp_name n, untouched;
	struct tp_name_cursor cursor;
	void *p = tp_malloc(10);
	int own;

	CHECK(p);
	memset(&untouched, 7, sizeof(untouched));
	n = untouched;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		RESULT(tp_publish(bad[i], p, "t", 0), -EINVAL);
		RESULT(tp_publish("n", p, bad[i], 0), -EINVAL);
		RESULT(tp_lookup(bad[i], "t", &n), -EINVAL);
		RESULT(tp_wait(bad[i], "t", TP_NOWAIT, &n), -EINVAL);
		RESULT(tp_unpublish(bad[i], "t"), -EINVAL);
		if (bad[i])
			RESULT(tp_lookup("n", bad[i], &n), -EINVAL);
	}
	RESULT(tp_publish(too_long(), p, "t", 0), -EINVAL);
	RESULT(tp_publish("n", p, too_long(), 0), -EINVAL);
	RESULT(tp_lookup(too_long(), "t", &n), -EINVAL);
	RESULT(tp_publish(longest(), p, longest(), 0), 0);
	RESULT(tp_lookup(longest(), longest(), &n), 0);
	RESULT(tp_unpublish(longest(), longest()), 0);
	n = untouched;
	RESULT(tp_publish("n", NULL, "t", 0), -EFAULT);
	RESULT(tp_publish("n", (void *)0x10, "t", 0), -EFAULT);
	RESULT(tp_publish("n", (void *)(uintptr_t)0xfff8000000000000u, "t", 0), -EFAULT);
	RESULT(tp_publish("n", &own, "t", TP_PUBLISH_KEEP), -EFAULT);
	RESULT(tp_publish("n", p, "t", 0x80), -EINVAL);
	RESULT(tp_lookup("no such name", NULL, &n), -ENOENT);
	RESULT(tp_unpublish("no such name", NULL), -ENOENT);
	RESULT(tp_wait("no such name", NULL, TP_SECOND / 100, &n), -ETIMEDOUT);
	RESULT(memcmp(&n, &untouched, sizeof(n)), 0);
	RESULT(tp_publish("n", p, "t", 0), 0);
	RESULT(tp_publish("n", p, "t", 0), -EEXIST);
	RESULT(tp_publish("n", p, "t", TP_PUBLISH_REPLACE), 0);
	RESULT(tp_lookup("n", "u", &n), -EPROTOTYPE);
	CHECK(says("t") && says("u"));
	RESULT(tp_lookup("n", "t", &n), 0);
	RESULT(tp_unpublish("n", NULL), 0);
	RESULT(tp_name_check(&n), -ESTALE);
	memset(&n, 0, sizeof(n));
	RESULT(tp_name_check(&n), -EINVAL);
	memset(&cursor, 0xff, sizeof(cursor));
	CHECK(tp_name_next(&cursor, &n) <= 1);
	RESULT(tp_free(p), 0);
}

static void heap(void)
{
	void *p = NULL, *untouched = &p;
	struct tp_heap_usage before = usage();

	p = tp_malloc(0);
	CHECK(p && tp_usable_size(p) > 0);
	RESULT(tp_free(p), 0);
	CHECK(!tp_malloc(hidden(SIZE_MAX)) && tp_why()[0]);
	CHECK(!tp_malloc(hidden(SIZE_MAX / 2)));
	CHECK(!tp_calloc(hidden(SIZE_MAX / 2), 3));
	CHECK(!tp_calloc(hidden((size_t)1 << 33), (size_t)1 << 33));
	CHECK(!tp_aligned_alloc(3, 10));
	CHECK(!tp_aligned_alloc((size_t)1 << 60, 10));
	p = untouched;
	RESULT(tp_alloc(SIZE_MAX, 1, &p), -EINVAL);
	RESULT(tp_alloc(10, 24, &p), -EINVAL);
	CHECK(p == untouched);
	p = tp_malloc(100);
	CHECK(p);
	memset(p, 9, 100);
	CHECK(!tp_realloc(p, hidden(SIZE_MAX)));
	for (int i = 0; i < 100; i++)
		CHECK(((char *)p)[i] == 9);
	CHECK(!tp_usable_size(NULL) && !tp_usable_size((char *)p + 1) && !tp_usable_size(&p));
	RESULT(tp_free(NULL), 0);
	RESULT(tp_free(p), 0);
	CHECK(!tp_arena_destroy(NULL));
	CHECK(!tp_arena_alloc(NULL, 10, 0));
	RESULT(tp_arena_give(NULL, 1), -EFAULT);
	CHECK(usage().blocks == before.blocks);
}

/* What a library built for debugging ends the program for. */
static void frees(void)
{
	char own[100], *p = (char *)tp_malloc(100);
	struct tp_arena *arena;

	CHECK(p);
	RESULT(tp_arena_create(&arena), 0);
	RESULT(tp_free(own), -EFAULT);
	RESULT(tp_free((void *)0x10), -EFAULT);
	RESULT(tp_free((void *)(uintptr_t)-16), -EFAULT);
	RESULT(tp_free(p + 1), -EFAULT);
	RESULT(tp_free(p + 16), -EFAULT);
	RESULT(tp_free(arena), -EFAULT);
	RESULT(tp_free(tp_arena_alloc(arena, 10, 0)), -EFAULT);
	CHECK(!tp_realloc(own, 10));
	CHECK(!tp_realloc(p + 16, 10));
	RESULT(tp_free(p), 0);
	RESULT(tp_free(p), -EALREADY);
	CHECK(!tp_realloc(p, 10));
	CHECK(!tp_arena_destroy((struct tp_arena *)(void *)own));
	CHECK(!tp_arena_destroy(arena));
	usage();
}

static void locks(void)
{
	static struct tp_mutex outside;
	struct tp_mutex *m = (struct tp_mutex *)tp_calloc(1, sizeof(*m) + 8);
	struct tp_cond *c = (struct tp_cond *)tp_calloc(1, sizeof(*c));
	struct tp_sem *s = (struct tp_sem *)tp_calloc(1, sizeof(*s));
	struct tp_barrier *b = (struct tp_barrier *)tp_calloc(1, sizeof(*b));
	struct tp_rwlock *w = (struct tp_rwlock *)tp_calloc(1, sizeof(*w));

	CHECK(m && c && s && b && w);
	RESULT(tp_mutex_lock(NULL), -EFAULT);
	RESULT(tp_mutex_lock(&outside), -EFAULT);
	CHECK(says("tp-bad-input"));
	RESULT(tp_mutex_lock((struct tp_mutex *)(void *)((char *)m + 4)), -EFAULT);
	RESULT(tp_mutex_unlock(m), -EPERM);
	RESULT(tp_mutex_consistent(m), -EINVAL);
	RESULT(tp_mutex_lock(m), 0);
	RESULT(tp_mutex_lock(m), -EDEADLK);
	RESULT(tp_mutex_trylock(m), -EBUSY);
	RESULT(tp_mutex_consistent(m), -EINVAL);
	RESULT(tp_cond_timedwait(c, m, TP_SECOND / 100), -ETIMEDOUT);
	RESULT(tp_mutex_unlock(m), 0);
	RESULT(tp_cond_wait(c, m), -EPERM);
	RESULT(tp_cond_wait(NULL, m), -EFAULT);
	RESULT(tp_cond_signal(NULL), -EFAULT);
	RESULT(tp_sem_init(s, (uint32_t)TP_SEM_MAX + 1), -EINVAL);
	RESULT(tp_sem_trywait(s), -EAGAIN);
	RESULT(tp_sem_timedwait(s, TP_SECOND / 100), -ETIMEDOUT);
	RESULT(tp_sem_init(s, TP_SEM_MAX), 0);
	RESULT(tp_sem_post(s), -EOVERFLOW);
	RESULT(tp_sem_post(NULL), -EFAULT);
	RESULT(tp_barrier_wait(b, TP_NOWAIT), -EINVAL);
	RESULT(tp_barrier_init(b, 0), -EINVAL);
	RESULT(tp_barrier_init(b, TP_BARRIER_MAX + 1), -EINVAL);
	RESULT(tp_barrier_init(b, 2), 0);
	RESULT(tp_barrier_wait(b, TP_SECOND / 100), -ETIMEDOUT);
	RESULT(tp_rwlock_unlock(w), -EPERM);
	RESULT(tp_rwlock_rdlock(w), 0);
	RESULT(tp_rwlock_wrlock(w), -EDEADLK);
	RESULT(tp_rwlock_trywrlock(w), -EBUSY);
	RESULT(tp_rwlock_unlock(w), 0);
	RESULT(tp_rwlock_wrlock(w), 0);
	RESULT(tp_rwlock_rdlock(w), -EDEADLK);
	RESULT(tp_rwlock_unlock(w), 0);
	RESULT(tp_rwlock_rdlock(NULL), -EFAULT);
	RESULT(tp_free(m), 0);
	RESULT(tp_free(c), 0);
	RESULT(tp_free(s), 0);
	RESULT(tp_free(b), 0);
	RESULT(tp_free(w), 0);
}

static void channels(void)
{
	struct tp_chan_options o;
	struct tp_heap_usage before = usage();
	struct tp_chan *c = NULL, *again = NULL;
	struct tp_lane *l = NULL, *other = NULL;
	struct tp_message m;
	void *p[5];
	uint64_t n = 99;

	memset(&o, 0, sizeof(o));
	RESULT(tp_chan_create(NULL, "t", NULL, &c), -EINVAL);
	RESULT(tp_chan_create("c", NULL, NULL, &c), -EINVAL);
	RESULT(tp_chan_create(too_long(), "t", NULL, &c), -EINVAL);
	RESULT(tp_chan_create("c\n", "t", NULL, &c), -EINVAL);
	RESULT(tp_chan_create("c", "t", &o, &c), -EINVAL);
	o.size = sizeof(o);
	o.capacity = 3;
	RESULT(tp_chan_create("c", "t", &o, &c), -EINVAL);
	o.capacity = 4;
	o.lanes = 5000;
	RESULT(tp_chan_create("c", "t", &o, &c), -EINVAL);
	o.lanes = 1;
	CHECK(!c);
	RESULT(tp_chan_open("c", "t", TP_NOWAIT, &l), -ENOENT);
	RESULT(tp_chan_open("c", "t", TP_SECOND / 100, &l), -ETIMEDOUT);
	RESULT(tp_chan_create("c", "t", &o, &c), 0);
	RESULT(tp_chan_create("c", "t", &o, &again), -EEXIST);
	RESULT(tp_chan_open("c", "wrong", TP_NOWAIT, &l), -EPROTOTYPE);
	CHECK(says("wrong"));
	CHECK(!l && !again);
	RESULT(tp_chan_recv(c, TP_NOWAIT, &m), -EAGAIN);
	RESULT(tp_chan_recv(c, TP_SECOND / 100, &m), -ETIMEDOUT);
	RESULT(tp_chan_recv(NULL, TP_NOWAIT, &m), -EINVAL);
	RESULT(tp_chan_recv(c, TP_NOWAIT, NULL), -EINVAL);
	RESULT(tp_chan_recv_batch(c, TP_NOWAIT, &m, 0), -EINVAL);
	RESULT(tp_chan_arm(c), -EINVAL);
	RESULT(tp_chan_fd(NULL), -EINVAL);
	memset(&m, 0, sizeof(m));
	m.id = 12345;
	RESULT(tp_chan_ack(c, &m), -EINVAL);
	RESULT(tp_chan_ack(c, NULL), -EINVAL);
	RESULT(tp_chan_open("c", "t", TP_NOWAIT, &l), 0);
	RESULT(tp_chan_open("c", "t", TP_NOWAIT, &other), -ENOSPC);
	RESULT(tp_lane_send_give(l, NULL, TP_NOWAIT), -EINVAL);
	RESULT(tp_lane_send_give(l, (void *)(uintptr_t)((uint64_t)1 << 50), TP_NOWAIT), -EINVAL);
	RESULT(tp_lane_send_give(NULL, &m, TP_NOWAIT), -EINVAL);
	RESULT(tp_lane_send_batch_give(l, p, 0, TP_NOWAIT), -EINVAL);
	for (int i = 0; i < 5; i++) {
		p[i] = tp_malloc(64);
		CHECK(p[i]);
		RESULT(tp_lane_send_give(l, p[i], TP_NOWAIT), i < 4 ? 0 : -EAGAIN);
	}
	RESULT(tp_lane_send_give(l, p[4], TP_SECOND / 100), -ETIMEDOUT);
	RESULT(tp_lane_acknowledged(l, &n), 0);
	CHECK(n == 0);
	RESULT(tp_lane_acknowledged(l, NULL), -EINVAL);
	/* Closed by the consumer: what lies in it was given, and is freed. */
	CHECK(!tp_chan_destroy(c));
	RESULT(tp_lane_send_give(l, p[4], TP_NOWAIT), -EPIPE);
	RESULT(tp_lane_wait_consumer(l, TP_NOWAIT), -EPIPE);
	RESULT(tp_free(p[4]), 0);
	CHECK(!tp_lane_close(l));
	/* Closed by the producer. */
	RESULT(tp_chan_create("c", "t", &o, &c), 0);
	RESULT(tp_chan_open("c", "t", TP_NOWAIT, &l), 0);
	CHECK(!tp_lane_close(l));
	RESULT(tp_chan_recv(c, SOON, &m), -EPIPE);
	RESULT(tp_chan_recv(c, TP_NOWAIT, &m), -EAGAIN);
	CHECK(!tp_chan_destroy(c));
	CHECK(!tp_chan_destroy(NULL) && !tp_lane_close(NULL));
	CHECK(usage().blocks == before.blocks);
}

static void strings(void)
{
	struct tp_heap_usage before = usage();
	char own[64] = "text of this program's own";
	struct tp_str s, copy;
	struct tp_vec v;
	int i = 5;

	tp_str_init(&s);
	RESULT(tp_str_set(&s, NULL), -EINVAL);
	RESULT(tp_str_set_n(&s, NULL, 0), 0);
	RESULT(tp_str_set_n(&s, "x", SIZE_MAX), -EOVERFLOW);
	RESULT(tp_str_append(&s, NULL), -EINVAL);
	CHECK(tp_str_reserve(&s, SIZE_MAX / 4) < 0);
	RESULT(tp_str_set(&s, "short"), 0);
	memcpy(&copy, &s, sizeof(s));
	RESULT(tp_str_check(&copy), -EFAULT);
	RESULT(tp_str_append(&copy, "more"), -EFAULT);
	CHECK(strcmp(s.data, "short") == 0);
	copy.data = own;
	copy.len = 20;
	copy.capacity = 40;
	RESULT(tp_str_append(&copy, "more"), -EFAULT);
	CHECK(strcmp(own, "text of this program's own") == 0);
	RESULT(tp_str_check(NULL), -EFAULT);
	tp_str_fini(&s);
	tp_str_fini(NULL);
	tp_vec_init(&v);
	RESULT(tp_vec_push(&v, 0, &i), -EINVAL);
	RESULT(tp_vec_push(&v, sizeof(i), NULL), -EINVAL);
	RESULT(tp_vec_resize(&v, sizeof(i), SIZE_MAX / 2), -EOVERFLOW);
	RESULT(tp_vec_push(&v, sizeof(i), &i), 0);
	CHECK(!tp_vec_at(&v, sizeof(i), 1) && !tp_vec_at(&v, sizeof(i), SIZE_MAX));
	CHECK(*(int *)tp_vec_at(&v, sizeof(i), 0) == 5);
	RESULT(tp_vec_check(&v, 3), -EFAULT);
	tp_vec_fini(&v);
	tp_vec_fini(NULL);
	CHECK(usage().blocks == before.blocks);
}

static void programs(void)
{
	struct tp_peer_info peer;
	struct tp_owner owner;
	struct tp_watch *w;
	tp_id self;

	RESULT(tp_self(&self), 0);
	RESULT(tp_peer(NULL, &peer), -EINVAL);
	RESULT(tp_peer("", &peer), -EINVAL);
	RESULT(tp_peer("no such program", &peer), -ENOENT);
	RESULT(tp_peer_by_id(0, &peer), -ENOENT);
	RESULT(tp_peer_by_id(self + ((tp_id)1 << 40), &peer), -ENOENT);
	RESULT(tp_peer_by_id(~(tp_id)0, &peer), -ENOENT);
	RESULT(tp_peer_by_id(self, &peer), 0);
	CHECK(strncmp(peer.name, "tp-bad-input", 12) == 0 && peer.pid == (int32_t)getpid());
	CHECK(tp_peers(NULL, 0) >= 1);
	RESULT(tp_owner_of(NULL, &owner), -EFAULT);
	CHECK(owner.memory == TP_MEMORY_NONE && !owner.id);
	RESULT(tp_owner_of((void *)(uintptr_t)-1, &owner), -EFAULT);
	RESULT(tp_owner_of(&self, &owner), 0);
	CHECK(owner.memory == TP_MEMORY_PRIVATE && owner.id == self);
	RESULT(tp_watch_next(NULL, NULL), -EINVAL);
	RESULT(tp_watch_fd(NULL), -EINVAL);
	CHECK(!tp_watch_destroy(NULL));
	RESULT(tp_watch_create(&w), 0);
	CHECK(!tp_watch_destroy(w));
	RESULT(tp_attach(NULL), -EISCONN);
	RESULT(tp_detach(), -EPERM);
}

/* Until nothing is left, in blocks of all sizes; then all back, and the heap is as it was. */
static void exhausted(void)
{
	struct tp_heap_usage before = usage(), full;
	void **first = NULL, **p;
	void *q = &first;
	struct tp_chan *c = NULL;
	struct tp_arena *arena = NULL;
	struct tp_str s;
	int r;

	tp_str_init(&s);
	for (size_t size = (size_t)8 << 20; size >= 16; size /= 2) {
		while ((r = tp_alloc(size, 1, &q)) == 0) {
			p = (void **)q;
			*p = first;
			first = p;
		}
		RESULT(r, -ENOSPC);
		CHECK(says("heap") && says("MiB"));
	}
	full = usage();
	CHECK(full.bytes > full.size / 2);
	CHECK(!tp_malloc(16) && !tp_calloc(1, 100000));
	RESULT(tp_chan_create("full", "t", NULL, &c), -ENOSPC);
	RESULT(tp_arena_create(&arena), -ENOSPC);
	RESULT(tp_str_set(&s, "a text that does not fit into the struct"), -ENOSPC);
	CHECK(s.len == 0 && !c && !arena);
	CHECK(usage().blocks == full.blocks);
	while (first) {
		p = (void **)*first;
		RESULT(tp_free(first), 0);
		first = p;
	}
	CHECK(usage().blocks == before.blocks);
	/* Usable again, for other sizes than before. */
	q = tp_malloc((size_t)16 << 20);
	CHECK(q);
	memset(q, 1, (size_t)16 << 20);
	RESULT(tp_free(q), 0);
}

static const struct {
	const char *name;
	void (*part)(void);
} parts[] = {
	{"names", names}, {"heap", heap}, {"free", frees}, {"locks", locks}, {"channels", channels}, {"strings", strings},
	{"programs", programs}, {"exhausted", exhausted},
};

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(argv[1], parts[i].name) != 0)
			continue;
		parts[i].part();
		usage();
		say(argv[1]);
		return 0;
	}
	return 98;
}
