/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_KILLSTEP_H
#define TP_TESTS_KILLSTEP_H

/*
 * Kills a program of a tpgroup after every single instruction of a call, one program for each, and lets the test look after each death:
 *
 *	static int call(void *arg) { return tp_mutex_lock(arg); }
 *	static int check(void *arg, const struct killstep_point *at) { return tp_mutex_timedlock(arg, TP_SECOND) ...; }
 *
 *	struct killstep k = {.call = call, .check = check};
 *	assert_true(killstep(&k, mutex) > 20);
 *
 * The victim is a forked child under ptrace. A system call is one step, and each turn of a `rep` instruction one, too. If the victim
 * falls asleep in a system call, that is a point of its own: it is killed asleep once; on the way to later points asleep() is called, so
 * that something wakes it.
 *
 * A step takes some 3 us and a victim some 500, so 300 instructions take a third of a second and 3,000 fifteen: use `stride` for those.
 * On processors with load-exclusive and store-exclusive, stepping needs single-instruction atomics: a pair never succeeds.
 */

#include <stdbool.h>
#include <stdint.h>

struct killstep_point {
	uint64_t step;	/* instructions done */
	bool asleep;	/* killed while it slept in the system call after these */
	bool finished;	/* the call returned: nobody was killed */
	uint64_t id;	/* the victim */
	int result;	/* of the call, if finished */
};

struct killstep {
	const char *name;		/* of the victims; NULL: "victim" */
	void (*prepare)(void *arg);	/* in the test, before each victim: make the state that it starts from */
	int (*setup)(void *arg);	/* in the victim, not stepped: what comes before the call; not 0: the test fails */
	int (*call)(void *arg);		/* in the victim, stepped; it ends with this result (0-255) */
	void (*asleep)(void *arg);	/* in the test, once for each sleep: wake it. NULL: no point after a sleep is tried */
	/* In the test, after each victim; 0: all is well. If it takes more than 20 s, the test ends with a message. */
	int (*check)(void *arg, const struct killstep_point *at);
	bool silent;			/* do not announce the death: check may do that (tpgroup_died(at->id)), or killstep does afterwards */
	bool pause;			/* do not kill: it stands still at the point during the check, then runs to the call's end */
	int (*after)(void *arg, const struct killstep_point *at); /* with pause, then: at->result is the call's; 0: all is well */
	uint64_t first, stride;		/* points first, first + stride, ... (0, 0: every one) */
	bool dense;			/* every point that was asked for, in every build */
	uint64_t limit;			/* at most so many victims; 0: until the call is finished */
};

/* Return: how many points were tried (only each so-manieth is, counted as so many: see SPARSE; TP_EVERY_INSTRUCTION tries all, TP_SLOWER=n fewer); 0: a check has failed (a line on stderr for each says where). */
uint64_t killstep(const struct killstep *k, void *arg);

#endif
