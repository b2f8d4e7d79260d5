/* SPDX-License-Identifier: MIT */
/*
 * See killstep.h. The victim tells through a shared page where it is: before the call, in it, after it. So nothing here depends on the
 * processor. A timer interrupts the test's wait for the victim; if the victim sleeps at two ticks in a row, it is asleep for good.
 */
#include "killstep.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tpgroup.h"

enum { TICK_US = 2000, CHECK_S = 20, REPORTS = 5 };

struct page {
	volatile uint32_t started, finished;
	volatile int result, setup_failed;
};

struct victim {
	const struct killstep *k;
	void *arg;
	struct page *page;
	pid_t pid;
	struct killstep_point at;
};

/*
 * A run tries each so-manieth point, beginning with another one each time; all of them with TP_EVERY_INSTRUCTION in the environment. The
 * time goes with the square of a call's length, and code that is not optimised, or instrumented, is many times longer.
 */
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SPARSE = 17 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SPARSE = 17 };
#else
enum { SPARSE = 3 };
#endif
#else
enum { SPARSE = 3 };
#endif

/* TP_SLOWER=n: a step takes so many times longer here, as in an emulated processor. Then so many times fewer points are tried. */
static unsigned slower(void)
{
	const char *n = getenv("TP_SLOWER");

	return n && atoi(n) > 1 ? (unsigned)atoi(n) : 1;
}

static const struct killstep_point *checking;

static void on_alarm(int sig)
{
	char line[160];
	int n;

	(void)sig;
	if (!checking)
		return;
	n = snprintf(line, sizeof(line), "killstep: the check after step %lu%s hangs\n", (unsigned long)checking->step,
		checking->asleep ? " (asleep)" : "");
	if (write(2, line, (size_t)n) < 0 || n > 0)
		_exit(99);
}

static void tick(unsigned us)
{
	struct itimerval t = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &t, NULL);
}

static int victim_main(void *arg)
{
	struct victim *v = arg;

	if (v->k->setup && v->k->setup(v->arg)) {
		v->page->setup_failed = 1;
		return 1;
	}
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		return 1;
	kill(getpid(), SIGSTOP);
	v->page->started = 1;
	v->page->result = v->k->call(v->arg);
	v->page->finished = 1;
	_exit(v->page->result & 255);
}

static char state_of(pid_t pid)
{
	char path[40], line[200] = "", *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 'X';
	p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return p && p[1] ? p[2] : 'X';
}

enum stop { STOPPED, ASLEEP, ENDED };

/* Until the victim has come to a stop, or sleeps. */
static enum stop wait_for_stop(struct victim *v)
{
	int status, slept = 0;

	for (;;) {
		pid_t r = waitpid(v->pid, &status, __WALL);

		if (r == v->pid)
			return WIFSTOPPED(status) ? STOPPED : ENDED;
		if (r < 0 && errno != EINTR)
			return ENDED;
		slept = state_of(v->pid) == 'S' ? slept + 1 : 0;
		if (slept >= 2)
			return ASLEEP;
	}
}

static enum stop step(struct victim *v)
{
	if (ptrace(PTRACE_SINGLESTEP, v->pid, NULL, NULL) < 0)
		return ENDED;
	return wait_for_stop(v);
}

static bool start(struct victim *v)
{
	enum stop s;

	memset((void *)v->page, 0, sizeof(*v->page));
	v->at.id = tpgroup_add(v->k->name ? v->k->name : "victim");
	v->pid = tpgroup_fork(v->at.id, victim_main, v);
	while ((s = wait_for_stop(v)) == ASLEEP)
		; /* its setup takes a while */
	if (s != STOPPED)
		return false;
	ptrace(PTRACE_SETOPTIONS, v->pid, NULL, (void *)PTRACE_O_EXITKILL);
	while (!v->page->started)
		if (step(v) != STOPPED)
			return false;
	return true;
}

/* To the point `goal`, which counts instructions and sleeps. false: the victim has ended by itself. */
static bool go_to(struct victim *v, uint64_t goal)
{
	for (uint64_t n = 0; n < goal && !v->page->finished; n++) {
		enum stop s = step(v);

		for (; s == ASLEEP; n++) {
			if (n + 1 == goal || !v->k->asleep) {
				v->at.asleep = true;
				return true;
			}
			v->k->asleep(v->arg);
			s = wait_for_stop(v);
		}
		if (s == ENDED)
			return false;
		v->at.step++;
	}
	v->at.finished = v->page->finished;
	v->at.result = v->page->result;
	return true;
}

static int look(struct victim *v)
{
	int r;

	tick(0); /* first: a late tick is not a check that hangs */
	checking = &v->at;
	alarm(CHECK_S * slower());
	r = v->k->check(v->arg, &v->at);
	alarm(0);
	checking = NULL;
	return r;
}

static void reap(struct victim *v)
{
	for (;;) {
		int status = 0;
		pid_t r = waitpid(v->pid, &status, __WALL);

		if (r == v->pid && WIFSTOPPED(status))
			ptrace(PTRACE_CONT, v->pid, NULL, NULL);
		else if (r == v->pid || errno != EINTR)
			break;
	}
}

static void let_go(struct victim *v)
{
	if (v->at.asleep && v->k->asleep)
		v->k->asleep(v->arg);
	else
		ptrace(PTRACE_DETACH, v->pid, NULL, NULL);
	reap(v);
}

static void end(struct victim *v)
{
	if (v->at.finished) {
		let_go(v);
		return;
	}
	kill(v->pid, SIGKILL);
	reap(v);
}

static int look_at_paused(struct victim *v)
{
	int r = look(v);

	let_go(v);
	tpgroup_died(v->at.id);
	v->at.result = v->page->result;
	return r || !v->k->after ? r : v->k->after(v->arg, &v->at);
}

static int end_and_look(struct victim *v)
{
	int r;

	if (v->k->pause && !v->at.finished)
		return look_at_paused(v);
	end(v);
	if (!v->k->silent)
		tpgroup_died(v->at.id);
	r = look(v);
	if (v->k->silent)
		tpgroup_died(v->at.id);
	return r;
}

static void report(const struct victim *v, const char *what, int result, unsigned failures)
{
	if (failures <= REPORTS)
		fprintf(stderr, "killstep: after step %lu%s%s: %s %d\n", (unsigned long)v->at.step,
			v->at.asleep ? " (asleep)" : "", v->at.finished ? " (finished)" : "", what, result);
}

/* 0, or what failed. */
static unsigned try_point(struct victim *v, uint64_t goal, unsigned failures)
{
	int r;

	memset(&v->at, 0, sizeof(v->at));
	if (v->k->prepare)
		v->k->prepare(v->arg);
	tick(TICK_US * slower());
	if (!start(v) || !go_to(v, goal)) {
		report(v, v->page->setup_failed ? "its setup failed" : "it ended by itself", v->page->result, failures + 1);
		kill(v->pid, SIGKILL);
		reap(v);
		tpgroup_died(v->at.id);
		v->at.finished = true;
		return 1;
	}
	r = end_and_look(v);
	if (r)
		report(v, "the check says", r, failures + 1);
	return r != 0;
}

uint64_t killstep(const struct killstep *k, void *arg)
{
	struct sigaction act = {.sa_handler = on_alarm}, old;
	struct victim v = {.k = k, .arg = arg};
	uint64_t points = 0, sparse = k->dense || getenv("TP_EVERY_INSTRUCTION") ? 1 : SPARSE * slower();
	unsigned failures = 0;

	v.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (v.page == MAP_FAILED)
		abort();
	sigaction(SIGALRM, &act, &old);
	for (uint64_t goal = k->first + (uint64_t)getpid() % sparse; !v.at.finished && !(k->limit && points == k->limit); points++) {
		failures += try_point(&v, goal, failures);
		if (v.at.asleep && !k->asleep)
			v.at.finished = true;
		goal += (k->stride ? k->stride : 1) * sparse;
	}
	tick(0);
	sigaction(SIGALRM, &old, NULL);
	munmap((void *)v.page, 4096);
	if (failures)
		fprintf(stderr, "killstep: %u of %lu points failed\n", failures, (unsigned long)points);
	return failures ? 0 : points * sparse;
}
