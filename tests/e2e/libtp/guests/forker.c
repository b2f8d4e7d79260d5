/* SPDX-License-Identifier: MIT */
/*
 * forker hold      publishes locks and a channel, holds the locks, and stays
 * forker fork      forks while that program, and it itself, hold locks: by fork, popen and system, many times, also while another of its
 *                  threads allocates, locks and sends
 */
#include "guest-tp.h"

#include <pthread.h>
#include <sys/wait.h>

struct shared {
	struct tp_mutex theirs, ours, busy;
	struct tp_rwlock rw;
	struct tp_sem sem;
};

static struct tp_lane *lane;

static void hold(void)
{
	struct shared *s = (struct shared *)tp_calloc(1, sizeof(*s));
	struct tp_chan *c;
	struct tp_message m;

	CHECK(s);
	RESULT(tp_mutex_lock(&s->theirs), 0);
	RESULT(tp_rwlock_wrlock(&s->rw), 0);
	RESULT(tp_chan_create("forks", "fork@1", NULL, &c), 0);
	RESULT(tp_publish("shared", s, "shared@1", TP_PUBLISH_KEEP), 0);
	say("holding");
	while (tp_chan_recv(c, TP_FOREVER, &m) != -EINVAL)
		tp_chan_ack(c, &m);
}

/* In the child: each call, at once. */
static int child(struct shared *s)
{
	struct tp_name n;
	struct tp_lane *l;
	tp_id id;

	RESULT(tp_connected(), -ENOTCONN);
	RESULT(tp_self(&id), -ENOTCONN);
	RESULT(tp_mutex_lock(&s->theirs), -ENOTCONN);
	RESULT(tp_mutex_lock(&s->ours), -ENOTCONN);
	RESULT(tp_mutex_unlock(&s->ours), -ENOTCONN);
	RESULT(tp_rwlock_rdlock(&s->rw), -ENOTCONN);
	RESULT(tp_sem_wait(&s->sem), -ENOTCONN);
	RESULT(tp_lookup("shared", NULL, &n), -ENOTCONN);
	RESULT(tp_wait("nothing", NULL, TP_FOREVER, &n), -ENOTCONN);
	RESULT(tp_publish("child", s, "child", 0), -ENOTCONN);
	RESULT(tp_chan_open("forks", "fork@1", TP_FOREVER, &l), -ENOTCONN);
	RESULT(tp_lane_send_lend(lane, s, TP_FOREVER), -ENOTCONN);
	CHECK(!tp_malloc(10));
	RESULT(tp_free(s), -ENOTCONN);
	RESULT(tp_heap_check(), -ENOTCONN);
	return 7;
}

static int stop;

static void *be_busy(void *arg)
{
	struct shared *s = (struct shared *)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		void *p = tp_malloc(100);

		CHECK(p);
		RESULT(tp_mutex_lock(&s->busy), 0);
		RESULT(tp_mutex_unlock(&s->busy), 0);
		RESULT(tp_free(p), 0);
		RESULT(tp_lane_send_lend(lane, s, SOON), 0);
	}
	return NULL;
}

static void fork_once(struct shared *s)
{
	char line[20] = "";
	int status;
	FILE *f;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		_exit(child(s));
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	f = popen("echo popen", "r");
	CHECK(f && fgets(line, sizeof(line), f));
	CHECK(strcmp(line, "popen\n") == 0);
	CHECK(pclose(f) == 0);
	status = system("exit 3");
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void do_fork(void)
{
	struct tp_name n;
	struct shared *s;
	pthread_t thread;

	RESULT(tp_wait("shared", "shared@1", SOON, &n), 0);
	s = (struct shared *)n.ptr;
	RESULT(tp_chan_open("forks", "fork@1", SOON, &lane), 0);
	RESULT(tp_mutex_lock(&s->ours), 0);
	RESULT(pthread_create(&thread, NULL, be_busy, s), 0);
	for (int i = 0; i < 40; i++)
		fork_once(s);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	RESULT(pthread_join(thread, NULL), 0);
	/* Nothing of this did anything to the parent, or to the group. */
	RESULT(tp_mutex_trylock(&s->theirs), -EBUSY);
	RESULT(tp_mutex_lock(&s->ours), -EDEADLK);
	RESULT(tp_mutex_unlock(&s->ours), 0);
	RESULT(tp_lookup("child", NULL, &n), -ENOENT);
	lane = tp_lane_close(lane);
	RESULT(tp_heap_check(), 0);
	say("forked");
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (strcmp(argv[1], "hold") == 0)
		hold();
	else
		do_fork();
	return 0;
}
