/* SPDX-License-Identifier: MIT */
/*
 * A program is killed after each instruction of each call of mutex, condition and semaphore, with and without others who wait. Afterwards
 * everybody gets on, exclusion holds, and what was left unfinished is told.
 */
#include "lock-group.h"

/* Gets the mutex, repairs it if need be, counts. */
static int use_mutex(struct tp_mutex *m)
{
	int r = tp_mutex_timedlock(m, LONG);

	if (r == -EOWNERDEAD) {
		add(&room->broken, 1);
		room->inside = 0;
		r = tp_mutex_consistent(m);
	}
	if (r)
		return r == -ETIMEDOUT ? 1 : 2;
	if (room->inside)
		return 3;
	room->inside = 1;
	room->count++;
	room->inside = 0;
	return tp_mutex_unlock(m) ? 4 : 0;
}

static int other_uses_mutex(void *arg)
{
	(void)arg;
	return use_mutex(&room->m);
}

static void clear_room(void *arg)
{
	(void)arg;
	memset(room, 0, sizeof(*room));
}

static int lock_and_unlock(void *arg)
{
	int r = tp_mutex_lock(&room->m);

	(void)arg;
	if (r && r != -EOWNERDEAD)
		return 1;
	if (r && tp_mutex_consistent(&room->m))
		return 2;
	set(&room->inside, 1);
	set(&room->inside, 0);
	return tp_mutex_unlock(&room->m) ? 3 : 0;
}

/* The next one gets it; and is told, if the victim was inside. */
static int next_gets_it(void *arg, const struct killstep_point *at)
{
	bool inside = room->inside;
	int r = use_mutex(&room->m);

	(void)arg;
	if (at->finished && (at->result || room->broken))
		return 10;
	if (inside && !room->broken)
		return 11;
	return r ? r : use_mutex(&room->m);
}

static void lock_and_unlock_uncontended(void **state)
{
	struct killstep k = {.prepare = clear_room, .call = lock_and_unlock, .check = next_gets_it};

	(void)state;
	assert_true(killstep(&k, NULL) > 30);
}

static int hold_forever(void *arg)
{
	(void)arg;
	return tp_mutex_lock(&room->m);
}

static void leave_dead_holder(void *arg)
{
	clear_room(arg);
	start_other(hold_forever);
	join_other();
}

static int next_gets_it_or_is_told(void *arg, const struct killstep_point *at)
{
	bool inside = room->inside;
	int r = use_mutex(&room->m);

	(void)arg;
	if (at->finished && (at->result || room->broken))
		return 10;
	if ((inside || at->step == 0) && !room->broken)
		return 11;
	return r ? r : use_mutex(&room->m);
}

static void taking_over(void **state)
{
	struct killstep k = {.prepare = leave_dead_holder, .call = lock_and_unlock, .check = next_gets_it_or_is_told};

	(void)state;
	assert_true(killstep(&k, NULL) > 60);
}

static int take_over_and_leave_it(void *arg)
{
	(void)arg;
	return tp_mutex_lock(&room->m) == -EOWNERDEAD && tp_mutex_unlock(&room->m) == 0 ? 0 : 1;
}

static int told_or_lost(void *arg, const struct killstep_point *at)
{
	int r = tp_mutex_timedlock(&room->m, LONG);

	(void)arg;
	if (at->finished)
		return r == -ENOTRECOVERABLE && !at->result ? 0 : 1;
	if (r == -ENOTRECOVERABLE)
		return TP_LOCK_TAG(room->m.word) == TP_LOCK_LOST ? 0 : 2;
	return r == -EOWNERDEAD && tp_mutex_consistent(&room->m) == 0 ? tp_mutex_unlock(&room->m) : 3;
}

static void leaving_it_unrepaired(void **state)
{
	struct killstep k = {.prepare = leave_dead_holder, .call = take_over_and_leave_it, .check = told_or_lost};

	(void)state;
	assert_true(killstep(&k, NULL) > 60);
}

/* The test holds the mutex; another program sleeps for it; the victim comes as the second. */
static void hold_with_other_asleep(void *arg)
{
	clear_room(arg);
	tp_mutex_lock(&room->m);
	start_other(other_uses_mutex);
	wait_until_asleep(other.pid);
}

static void unlock_if_mine(void *arg)
{
	(void)arg;
	if (TP_LOCK_TAG(room->m.word) == tpi_self.tag)
		tp_mutex_unlock(&room->m);
}

static int everybody_gets_it(void *arg, const struct killstep_point *at)
{
	int r;

	unlock_if_mine(arg);
	r = join_other();
	if (r)
		return r;
	if (at->finished && (at->result || room->broken))
		return 10;
	r = use_mutex(&room->m);
	return r ? r : room->count == 2 && room->broken <= 1 ? 0 : 12;
}

static void a_waiter_among_others(void **state)
{
	struct killstep k = {.prepare = hold_with_other_asleep, .call = lock_and_unlock, .asleep = unlock_if_mine,
		.check = everybody_gets_it};

	(void)state;
	assert_true(killstep(&k, NULL) > 100);
}

static int other_uses_mutex_when_held(void *arg)
{
	wait_until(&room->ready, 1);
	return other_uses_mutex(arg);
}

static void other_comes(void *arg)
{
	clear_room(arg);
	start_other(other_uses_mutex_when_held);
}

/* The victim holds it, and another program sleeps for it. */
static int hold_until_other_sleeps(void *arg)
{
	(void)arg;
	if (tp_mutex_lock(&room->m))
		return 1;
	set(&room->ready, 1);
	while (!(get(&room->m.word) & TP_LOCK_WAITERS))
		sched_yield();
	wait_until_asleep(other.pid);
	return 0;
}

static int unlock(void *arg)
{
	(void)arg;
	return tp_mutex_unlock(&room->m);
}

static int other_gets_it(void *arg, const struct killstep_point *at)
{
	int r = join_other();

	(void)arg;
	(void)at;
	if (r)
		return r;
	r = use_mutex(&room->m);
	return r ? r : room->count == 2 ? 0 : 12;
}

static void unlocking_for_a_sleeper(void **state)
{
	struct killstep k = {.prepare = other_comes, .setup = hold_until_other_sleeps, .call = unlock, .check = other_gets_it};

	(void)state;
	assert_true(killstep(&k, NULL) > 10);
}

/* Not killed, but halted at each instruction: nobody else is inside while it is. */
static int halted_inside_alone(void *arg, const struct killstep_point *at)
{
	bool inside = room->inside;
	int r = tp_mutex_trylock(&room->m);

	(void)arg;
	(void)at;
	if (r == -EBUSY)
		return 0;
	if (r || inside)
		return 1;
	room->count++;
	return tp_mutex_unlock(&room->m);
}

static int ended_well(void *arg, const struct killstep_point *at)
{
	(void)arg;
	return at->result || room->m.word ? 1 : 0;
}

static void halted_at_each_instruction(void **state)
{
	struct killstep k = {.prepare = clear_room, .call = lock_and_unlock, .check = halted_inside_alone, .after = ended_well,
		.pause = true};

	(void)state;
	assert_true(killstep(&k, NULL) > 30);
}

/* As soon as the mutex is no longer the halted one's, the sleeper is on its way: it does not need the other for that. */
static int sleeper_has_it_or_waits(void *arg, const struct killstep_point *at)
{
	(void)arg;
	if (TP_LOCK_TAG(get(&room->m.word)) == TP_TAG(at->id))
		return other_has_ended() ? 1 : 0;
	while (!other_has_ended())
		usleep(200);
	return 0;
}

static int sleeper_ends_well(void *arg, const struct killstep_point *at)
{
	(void)arg;
	return at->result ? 10 : join_other();
}

static int finished_or_halted(void *arg, const struct killstep_point *at)
{
	return at->finished ? sleeper_ends_well(arg, at) : sleeper_has_it_or_waits(arg, at);
}

static void halted_while_unlocking_for_a_sleeper(void **state)
{
	struct killstep k = {.prepare = other_comes, .setup = hold_until_other_sleeps, .call = unlock,
		.check = finished_or_halted, .after = sleeper_ends_well, .pause = true};

	(void)state;
	assert_true(killstep(&k, NULL) > 10);
}

/* `go` is what is waited for. */
static int wait_for_go(void *arg)
{
	int r = tp_mutex_lock(&room->m);

	(void)arg;
	for (;;) {
		if (r == -EOWNERDEAD)
			r = tp_mutex_consistent(&room->m);
		if (r || room->go)
			break;
		r = tp_cond_wait(&room->c, &room->m);
	}
	return r || tp_mutex_unlock(&room->m) ? 1 : 0;
}

static void other_waits_for_go(void *arg)
{
	clear_room(arg);
	start_other(wait_for_go);
	wait_until_asleep(other.pid);
}

/* Sets it, signals once, if it was not set before. */
static int let_one_go(void *arg)
{
	int r = tp_mutex_timedlock(&room->m, LONG);
	bool already;

	(void)arg;
	if (r == -EOWNERDEAD)
		r = tp_mutex_consistent(&room->m);
	if (r)
		return 1;
	already = room->go;
	room->go = 1;
	if (tp_mutex_unlock(&room->m))
		return 2;
	return already ? 0 : tp_cond_signal(&room->c);
}

/* Called again: the first signal went to the other, and this one is the victim's. */
static void let_one_go_when_asleep(void *arg)
{
	if (room->go)
		tp_cond_signal(&room->c);
	else
		let_one_go(arg);
}

/* One signal in all, and one of the two who waited is dead: the other has it. A victim that came to its end has used the signal up. */
static int other_has_the_signal(void *arg, const struct killstep_point *at)
{
	int r = let_one_go(arg);

	if (!r && at->finished)
		r = at->result ? 10 : tp_cond_signal(&room->c);
	return r ? r : join_other();
}

static void waiting_for_a_condition(void **state)
{
	struct killstep k = {.prepare = other_waits_for_go, .call = wait_for_go, .asleep = let_one_go_when_asleep,
		.check = other_has_the_signal};

	(void)state;
	assert_true(killstep(&k, NULL) > 100);
}

static int signal_go(void *arg)
{
	return let_one_go(arg);
}

static void signalling_a_condition(void **state)
{
	struct killstep k = {.prepare = other_waits_for_go, .call = signal_go, .check = other_has_the_signal};

	(void)state;
	assert_true(killstep(&k, NULL) > 60);
}

static int take_permit(void *arg)
{
	(void)arg;
	return tp_sem_wait(&room->s) ? 1 : 0;
}

static void other_waits_for_permit(void *arg)
{
	clear_room(arg);
	start_other(take_permit);
	wait_until_asleep(other.pid);
}

static int post(void *arg)
{
	(void)arg;
	return tp_sem_post(&room->s);
}

static void post_when_asleep(void *arg)
{
	post(arg);
}

/* A permit that nobody has taken does not lie there while the other sleeps; if there is none (not posted yet, or gone with the victim), one
 * is posted for it. */
static int no_permit_lies_there(void *arg, const struct killstep_point *at)
{
	for (int none = 0; !other_has_ended(); usleep(500)) {
		none = get(&room->s.value) ? 0 : none + 1;
		if (none == 4)
			post(arg);
	}
	return at->finished && at->result ? 10 : join_other();
}

static void waiting_for_a_permit(void **state)
{
	struct killstep k = {.prepare = other_waits_for_permit, .call = take_permit, .asleep = post_when_asleep,
		.check = no_permit_lies_there};

	(void)state;
	assert_true(killstep(&k, NULL) > 60);
}

static void posting_a_permit(void **state)
{
	struct killstep k = {.prepare = other_waits_for_permit, .call = post, .check = no_permit_lies_there};

	(void)state;
	assert_true(killstep(&k, NULL) > 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lock_and_unlock_uncontended),
		TEST(taking_over),
		TEST(leaving_it_unrepaired),
		TEST(a_waiter_among_others),
		TEST(unlocking_for_a_sleeper),
		TEST(halted_at_each_instruction),
		TEST(halted_while_unlocking_for_a_sleeper),
		TEST(waiting_for_a_condition),
		TEST(signalling_a_condition),
		TEST(waiting_for_a_permit),
		TEST(posting_a_permit),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
