/* SPDX-License-Identifier: MIT */
/*
 * lock-recovery TPRUN GROUP [ROUNDS]: in a group. A program holds a mutex and is killed with SIGKILL while this one sleeps for it: how long
 * until this one is told? From the kill to the return of tp_mutex_lock; median, ninth decile and longest, in milliseconds.
 *
 * lock-recovery hold: the other one.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tp/tp.h>

enum { ROUNDS_MAX = 1000 };

struct shared {
	struct tp_mutex mutex;
	volatile int pid;
};

static double killed_at;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Noreturn void die(const char *what, int r)
{
	fprintf(stderr, "lock-recovery: %s: %d: %s\n", what, r, tp_why());
	exit(1);
}

static _Noreturn void hold(void)
{
	struct tp_name name;
	struct shared *s;
	int r = tp_wait("lock-recovery", "lock-recovery", 10 * TP_SECOND, &name);

	if (r)
		die("tp_wait", r);
	s = name.ptr;
	r = tp_mutex_lock(&s->mutex);
	if (r)
		die("tp_mutex_lock", r);
	s->pid = getpid();
	for (;;)
		pause();
}

static pid_t start_holder(const char *tprun, const char *group, const char *self)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(2);
		execl(tprun, tprun, "exec", "-g", group, "--", self, "hold", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* Long enough after the other has gone to sleep. */
static void *kill_holder(void *arg)
{
	struct shared *s = arg;

	usleep(20000);
	killed_at = now();
	kill(s->pid, SIGKILL);
	return NULL;
}

static double one_round(struct shared *s, const char *tprun, const char *group, const char *self)
{
	pid_t pid = start_holder(tprun, group, self);
	pthread_t killer;
	double took;
	int r;

	while (!s->pid) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			die("the holder has ended", 0);
		usleep(1000);
	}
	pthread_create(&killer, NULL, kill_holder, s);
	r = tp_mutex_lock(&s->mutex);
	took = now() - killed_at;
	if (r != -EOWNERDEAD)
		die("tp_mutex_lock", r);
	pthread_join(killer, NULL);
	s->pid = 0;
	tp_mutex_consistent(&s->mutex);
	tp_mutex_unlock(&s->mutex);
	waitpid(pid, NULL, 0);
	return took;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static double took[ROUNDS_MAX];
	int rounds = argc > 3 ? atoi(argv[3]) : 50, r;
	struct shared *s;

	if (argc == 2 && !strcmp(argv[1], "hold"))
		hold();
	if (argc < 3 || rounds < 1 || rounds > ROUNDS_MAX)
		return 2;
	s = tp_calloc(1, sizeof(*s));
	if (!s)
		die("tp_calloc", 0);
	r = tp_publish("lock-recovery", s, "lock-recovery", 0);
	if (r)
		die("tp_publish", r);
	for (int i = 0; i < rounds; i++)
		took[i] = one_round(s, argv[1], argv[2], argv[0]);
	qsort(took, (size_t)rounds, sizeof(took[0]), by_size);
	printf("recovery %.2f %.2f %.2f ms\n", took[rounds / 2], took[rounds * 9 / 10], took[rounds - 1]);
	return 0;
}
