/* SPDX-License-Identifier: MIT */
/*
 * storm judge KILLS WORKERS   makes what all share, waits for so many workers, and kills one after the other at any moment. After each kill
 *                             the locks must be had again within a second, what they guard must be in order, the heap sound, and
 *                             the others must go on
 * storm work                  uses mutex, read-write lock, semaphore, condition, heap and channel in turns until the judge says that it is over,
 *                             and repairs what the dead have left
 * storm count N               N times one more, under the mutex; says what it came to
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tp/tp.h>

#define TYPE "storm@1"
#define SOON (60 * TP_SECOND)	/* nothing takes so long: a hang becomes a message */

enum { PEERS = 64, HELD = 32 };

struct storm {
	struct tp_mutex mutex __attribute__((aligned(64)));
	int64_t ours, theirs;		/* under the mutex: their sum is 0 */
	uint64_t counted;
	struct tp_rwlock rwlock __attribute__((aligned(64)));
	int64_t left, right;		/* under the rwlock: they are equal */
	struct tp_sem sem __attribute__((aligned(64)));
	struct tp_cond cond __attribute__((aligned(64)));
	uint64_t turns __attribute__((aligned(64)));	/* of all workers */
	uint32_t repaired[2];		/* mutex, rwlock */
	uint32_t over;
	uint32_t bad;			/* line of the first failed check in any program */
};

static struct storm *storm;

static void check_at(int line, int ok, const char *what, int r)
{
	if (ok)
		return;
	fprintf(stderr, "storm.c:%d: %s (%d): %s\n", line, what, r, tp_why());
	if (storm && !storm->bad)
		storm->bad = (uint32_t)line;
	_exit(99);
}

#define CHECK(cond) check_at(__LINE__, (cond), #cond, 0)
#define ZERO(call) \
	do { \
		int r_ = (call); \
		check_at(__LINE__, r_ == 0, #call, r_); \
	} while (0)

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * TP_SECOND + t.tv_nsec;
}

static uint32_t any(uint32_t below)
{
	static uint64_t seed;

	if (!seed)
		seed = (uint64_t)getpid() * 0x9e3779b97f4a7c15u + (uint64_t)now();
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % below;
}

/* So that it is likely to die inside. */
static void dawdle(void)
{
	for (uint32_t i = any(200000); i; i--)
		__asm__ volatile("" : : : "memory");
}

/* Held and in order afterwards. Nobody else may be in it: then the sum would be wrong. */
static void lock_mutex(void)
{
	int r = tp_mutex_timedlock(&storm->mutex, SOON);

	if (r == -EOWNERDEAD) {
		storm->theirs = -storm->ours;
		__atomic_fetch_add(&storm->repaired[0], 1, __ATOMIC_RELAXED);
		r = tp_mutex_consistent(&storm->mutex);
	}
	check_at(__LINE__, r == 0, "mutex", r);
	CHECK(storm->ours + storm->theirs == 0);
}

static void unlock_mutex(void)
{
	ZERO(tp_mutex_unlock(&storm->mutex));
}

static void lock_rwlock(bool write)
{
	for (;;) {
		int r = write ? tp_rwlock_timedwrlock(&storm->rwlock, SOON) : tp_rwlock_timedrdlock(&storm->rwlock, SOON);

		if (r == 0)
			break;
		check_at(__LINE__, r == -EOWNERDEAD, "rwlock", r);
		storm->right = storm->left;
		__atomic_fetch_add(&storm->repaired[1], 1, __ATOMIC_RELAXED);
		ZERO(tp_rwlock_consistent(&storm->rwlock));
		ZERO(tp_rwlock_unlock(&storm->rwlock));
	}
	CHECK(__atomic_load_n(&storm->left, __ATOMIC_RELAXED) == __atomic_load_n(&storm->right, __ATOMIC_RELAXED));
}

static void use_rwlock(bool write)
{
	lock_rwlock(write);
	if (write) {
		__atomic_store_n(&storm->left, storm->left + 1, __ATOMIC_RELAXED);
		dawdle();
		__atomic_store_n(&storm->right, storm->right + 1, __ATOMIC_RELAXED);
	}
	ZERO(tp_rwlock_unlock(&storm->rwlock));
}

/* Each gives before it takes: there is always one, whoever dies in between. */
static void use_sem(void)
{
	ZERO(tp_sem_post(&storm->sem));
	ZERO(tp_sem_timedwait(&storm->sem, SOON));
}

static void use_mutex(void)
{
	int64_t by = any(1000);

	lock_mutex();
	storm->ours += by;
	dawdle();
	storm->theirs -= by;
	if (any(8) == 0) {
		int r = tp_cond_timedwait(&storm->cond, &storm->mutex, 200000);

		if (r == -EOWNERDEAD) {
			storm->theirs = -storm->ours;
			r = tp_mutex_consistent(&storm->mutex);
		}
		check_at(__LINE__, r == 0 || r == -ETIMEDOUT, "cond", r);
	}
	unlock_mutex();
	if (any(8) == 0)
		ZERO(tp_cond_signal(&storm->cond));
}

static void use_heap(void)
{
	static unsigned char *held[HELD];
	static size_t size[HELD];
	uint32_t i = any(HELD);

	if (held[i]) {
		CHECK(held[i][0] == (unsigned char)size[i] && held[i][size[i] - 1] == (unsigned char)i);
		ZERO(tp_free(held[i]));
		held[i] = NULL;
		return;
	}
	size[i] = 2 + any(any(16) ? 600 : 60000);
	held[i] = tp_malloc(size[i]);
	CHECK(held[i] != NULL);
	held[i][0] = (unsigned char)size[i];
	held[i][size[i] - 1] = (unsigned char)i;
}

/* A block for the judge; if there is no room, it is ours again. */
static void use_channel(struct tp_lane *lane)
{
	uint64_t *block = tp_malloc(64);
	int r;

	CHECK(block != NULL);
	block[0] = 0x5afe;
	r = tp_lane_send_give(lane, block, TP_NOWAIT);
	if (r) {
		check_at(__LINE__, r == -EAGAIN, "send", r);
		ZERO(tp_free(block));
	}
}

static void find_storm(void)
{
	struct tp_name name;

	ZERO(tp_wait("storm", TYPE, SOON, &name));
	storm = name.ptr;
}

static int work(void)
{
	struct tp_lane *lane;

	find_storm();
	if (storm->over)
		return 0;
	ZERO(tp_chan_open("storm", TYPE, SOON, &lane));
	while (!__atomic_load_n(&storm->over, __ATOMIC_ACQUIRE)) {
		use_mutex();
		use_rwlock(any(4) == 0);
		use_sem();
		use_heap();
		use_channel(lane);
		__atomic_fetch_add(&storm->turns, 1, __ATOMIC_RELAXED);
	}
	tp_lane_close(lane);
	return 0;
}

static int count(uint64_t n)
{
	find_storm();
	for (uint64_t i = 0; i < n; i++) {
		ZERO(tp_mutex_lock(&storm->mutex));
		storm->counted++;
		ZERO(tp_mutex_unlock(&storm->mutex));
	}
	lock_mutex();
	printf("%lu\n", (unsigned long)storm->counted);
	unlock_mutex();
	return 0;
}

static struct tp_chan *make(void)
{
	struct tp_chan_options options = {.size = sizeof(options), .capacity = 256, .lanes = 32};
	struct tp_chan *chan;

	storm = tp_aligned_alloc(64, sizeof(*storm));
	CHECK(storm != NULL);
	memset(storm, 0, sizeof(*storm));
	ZERO(tp_chan_create("storm", TYPE, &options, &chan));
	ZERO(tp_publish("storm", storm, TYPE, TP_PUBLISH_KEEP));
	return chan;
}

/* Return: how many workers there are; *ret_pid: one of them. */
static int workers(pid_t *ret_pid)
{
	struct tp_peer_info peer[PEERS];
	int n = tp_peers(peer, PEERS), found = 0;
	uint32_t chosen;

	CHECK(n >= 1);
	for (int i = 0; i < n && i < PEERS; i++)
		if (peer[i].state == TP_PEER_RUNNING && strstr(peer[i].name, "storm") && peer[i].pid != getpid())
			peer[found++] = peer[i];
	if (!found)
		return 0;
	chosen = any((uint32_t)found);
	*ret_pid = peer[chosen].pid;
	return found;
}

static uint64_t drain(struct tp_chan *chan)
{
	struct tp_message m;
	uint64_t n = 0;
	int r;

	while (n < 1000 && (r = tp_chan_recv(chan, TP_NOWAIT, &m)) != -EAGAIN) {
		if (r == -EOWNERDEAD || r == -EPIPE)
			continue; /* a notice: one has died; the last has closed */
		check_at(__LINE__, r == 0, "receive", r);
		CHECK(*(uint64_t *)m.ptr == 0x5afe);
		ZERO(tp_chan_ack(chan, &m));
		ZERO(tp_free(m.ptr));
		n++;
	}
	return n;
}

static void wait_for_turns(struct tp_chan *chan, uint64_t more)
{
	uint64_t from = __atomic_load_n(&storm->turns, __ATOMIC_RELAXED);
	int64_t end = now() + SOON;

	while (__atomic_load_n(&storm->turns, __ATOMIC_RELAXED) - from < more) {
		CHECK(now() < end);
		CHECK(!storm->bad);
		drain(chan);
		usleep(50);
	}
}

static void wait_for_workers(struct tp_chan *chan, int want)
{
	int64_t end = now() + SOON;
	pid_t pid;

	while (workers(&pid) < want) {
		CHECK(now() < end);
		drain(chan);
		usleep(1000);
	}
}

static void wait_until_alone(struct tp_chan *chan)
{
	int64_t end = now() + SOON;
	pid_t pid;

	while (workers(&pid)) {
		CHECK(now() < end);
		drain(chan);
		usleep(1000);
	}
}

static int64_t kill_one(void)
{
	int64_t start;
	pid_t pid;

	CHECK(workers(&pid) > 0);
	start = now();
	kill(pid, SIGKILL);
	lock_mutex();
	unlock_mutex();
	lock_rwlock(true);
	ZERO(tp_rwlock_unlock(&storm->rwlock));
	use_sem();
	return now() - start;
}

static int judge(int kills, int want)
{
	struct tp_chan *chan = make();
	int64_t longest = 0;

	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < kills; i++) {
		int64_t took;

		wait_for_workers(chan, want);
		wait_for_turns(chan, 20);
		usleep(any(3000));
		took = kill_one();
		longest = took > longest ? took : longest;
		CHECK(took < TP_SECOND * 10);
		drain(chan);
		if (i % 10 == 0)
			ZERO(tp_heap_check());
		wait_for_turns(chan, 5);
	}
	__atomic_store_n(&storm->over, 1, __ATOMIC_RELEASE);
	wait_until_alone(chan);
	ZERO(tp_heap_check());
	printf("%d kills, %u mutexes and %u rwlocks repaired, longest wait %ld ms, %lu turns\n", kills, storm->repaired[0],
		storm->repaired[1], (long)(longest / 1000000), (unsigned long)storm->turns);
	return 0;
}

static int hold(void)
{
	struct tp_chan *chan = make();

	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	tp_chan_destroy(chan);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "judge") == 0 && argc == 4)
		return judge(atoi(argv[2]), atoi(argv[3]));
	if (strcmp(what, "work") == 0)
		return work();
	if (strcmp(what, "count") == 0 && argc == 3)
		return count(strtoull(argv[2], NULL, 10));
	if (strcmp(what, "hold") == 0)
		return hold();
	fprintf(stderr, "usage: storm judge KILLS WORKERS | work | count N | hold\n");
	return 2;
}
