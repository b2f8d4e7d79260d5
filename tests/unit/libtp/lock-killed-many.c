/* SPDX-License-Identifier: MIT */
/*
 * As lock-killed.c: barriers and read-write locks, whose state is in more places than one word. Calls of a thousand instructions, most of them
 * looks at slot after slot, are killed at some of them.
 */
#include "lock-group.h"

static int come(void *arg)
{
	int r = tp_barrier_wait(&room->b, LONG);

	(void)arg;
	return r < 0 ? -r : r;
}

static void barrier_of_two(void *arg)
{
	(void)arg;
	memset(room, 0, sizeof(*room));
	tp_barrier_init(&room->b, 2);
}

static void barrier_with_other_asleep(void *arg)
{
	barrier_of_two(arg);
	start_other(come);
	wait_until_asleep(other.pid);
}

static bool has_ever_come(uint64_t id)
{
	for (int i = 0; i < TP_BARRIER_PROGRAMS; i++)
		if (room->b.program[i] == TP_TAG(id))
			return true;
	return false;
}

static uint32_t rounds(void)
{
	return TP_BARRIER_ROUND(room->b.state) - TP_BARRIER_INIT_STEP;
}

/* If the round has ended, the other has been let go; if not, it is told of the death, or waits for one who does come. */
static int other_is_let_go_or_told(void *arg, const struct killstep_point *at)
{
	bool ended = rounds() > 0;
	int mine, others;

	(void)arg;
	if (at->finished && (!ended || at->result != 1))
		return 10;
	if (ended)
		return join_other();
	mine = tp_barrier_wait(&room->b, LONG);
	others = join_other();
	if (has_ever_come(at->id))
		return mine == -EOWNERDEAD && others == EOWNERDEAD ? 0 : 11;
	return mine == 1 && others == 0 ? 0 : 12;
}

static void coming_last(void **state)
{
	struct killstep k = {.prepare = barrier_with_other_asleep, .call = come, .check = other_is_let_go_or_told};

	(void)state;
	assert_true(killstep(&k, NULL) > 30);
}

static void come_too(void *arg)
{
	(void)arg;
	if (!rounds())
		tp_barrier_wait(&room->b, LONG);
}

static int nobody_waits_for_the_dead(void *arg, const struct killstep_point *at)
{
	int r;

	(void)arg;
	if (at->finished)
		return rounds() == 1 && at->result == 0 ? 0 : 10;
	if (rounds())
		return 0;
	r = tp_barrier_wait(&room->b, 5000000);
	return r == (has_ever_come(at->id) ? -EOWNERDEAD : -ETIMEDOUT) ? 0 : 11;
}

static void coming_first(void **state)
{
	struct killstep k = {.prepare = barrier_of_two, .call = come, .asleep = come_too, .check = nobody_waits_for_the_dead};

	(void)state;
	assert_true(killstep(&k, NULL) > 60);
}

static void clear_room(void *arg)
{
	(void)arg;
	memset(room, 0, sizeof(*room));
}

/* Gets the lock; is it told, repairs. */
static int use(bool write)
{
	int r = write ? tp_rwlock_timedwrlock(&room->l, LONG) : tp_rwlock_timedrdlock(&room->l, LONG);

	if (r == -EOWNERDEAD) {
		add(&room->broken, 1);
		room->inside = 0;
		r = tp_rwlock_consistent(&room->l);
	}
	if (r)
		return r == -ETIMEDOUT ? 1 : 2;
	if (room->inside)
		return 3;
	return tp_rwlock_unlock(&room->l) ? 4 : 0;
}

static int both_ways(bool write_first)
{
	int r = use(write_first);

	return r ? r : use(!write_first);
}

static int read_and_leave(void *arg)
{
	(void)arg;
	return tp_rwlock_rdlock(&room->l) || tp_rwlock_unlock(&room->l);
}

/* Neither is anybody locked out, nor is there anything to repair. */
static int readers_leave_no_trace(void *arg, const struct killstep_point *at)
{
	int r = both_ways(true);

	(void)arg;
	if (at->finished && at->result)
		return 10;
	for (int i = 0; i < TP_RWLOCK_READERS; i++)
		if (room->l.reader[i])
			return 11;
	return room->broken ? 12 : r;
}

static void reading_alone(void **state)
{
	struct killstep k = {.prepare = clear_room, .call = read_and_leave, .check = readers_leave_no_trace};

	(void)state;
	assert_true(killstep(&k, NULL) > 30);
}

static int write_and_leave(void *arg)
{
	int r = tp_rwlock_wrlock(&room->l);

	(void)arg;
	if (r)
		return 1;
	set(&room->inside, 1);
	set(&room->inside, 0);
	return tp_rwlock_unlock(&room->l);
}

static int writers_are_told(void *arg, const struct killstep_point *at)
{
	bool inside = room->inside;
	int r = both_ways(at->step % 2);

	(void)arg;
	if (at->finished && (at->result || room->broken))
		return 10;
	return inside && !room->broken ? 11 : r;
}

static void writing_alone(void **state)
{
	struct killstep k = {.prepare = clear_room, .call = write_and_leave, .check = writers_are_told};

	(void)state;
	assert_true(killstep(&k, NULL) > 100);
}

static int other_reads(void *arg)
{
	(void)arg;
	return use(false);
}

static int other_writes(void *arg)
{
	(void)arg;
	return use(true);
}

static bool mine_for_writing;

static void hold_for_reading(void *arg)
{
	clear_room(arg);
	tp_rwlock_rdlock(&room->l);
	room->ready = 1;
}

static void hold_for_writing(void *arg)
{
	clear_room(arg);
	tp_rwlock_wrlock(&room->l);
	room->ready = 1;
	start_other(mine_for_writing ? other_writes : other_reads);
	wait_until_asleep(other.pid);
}

static void give_it_up(void *arg)
{
	(void)arg;
	if (room->ready && tp_rwlock_unlock(&room->l) == 0)
		room->ready = 0;
}

static int after_waiting(void *arg, const struct killstep_point *at)
{
	bool inside = room->inside;

	give_it_up(arg);
	if (at->finished && at->result)
		return 10;
	return both_ways(at->step % 2) || (inside && !room->broken);
}

static void a_writer_that_waits_for_readers(void **state)
{
	struct killstep k = {.prepare = hold_for_reading, .call = write_and_leave, .asleep = give_it_up,
		.check = after_waiting, .stride = 11};

	(void)state;
	assert_true(killstep(&k, NULL) > 50);
}

static int others_get_it(void *arg, const struct killstep_point *at)
{
	int r;

	give_it_up(arg);
	r = join_other();
	return r ? r : after_waiting(arg, at);
}

static void readers_that_wait_for_a_writer(void **state)
{
	struct killstep k = {.prepare = hold_for_writing, .call = read_and_leave, .asleep = give_it_up, .check = others_get_it,
		.stride = 5};

	(void)state;
	for (k.first = 0; k.first < 2; k.first++) {
		mine_for_writing = k.first;
		assert_true(killstep(&k, NULL) > 50);
	}
}

static int other_waits_then_uses(void *arg)
{
	(void)arg;
	wait_until(&room->ready, 1);
	return use(mine_for_writing);
}

static void other_comes(void *arg)
{
	clear_room(arg);
	start_other(other_waits_then_uses);
}

static int hold_until_other_sleeps(void *arg)
{
	int r = mine_for_writing ? tp_rwlock_rdlock(&room->l) : tp_rwlock_wrlock(&room->l);

	(void)arg;
	set(&room->ready, 1);
	while (!(get(&room->l.word) & TP_LOCK_WAITERS) && !get(&room->l.wanted))
		sched_yield();
	wait_until_asleep(other.pid);
	return r;
}

static int leave(void *arg)
{
	(void)arg;
	return tp_rwlock_unlock(&room->l);
}

static int other_got_it(void *arg, const struct killstep_point *at)
{
	int r = join_other();

	(void)arg;
	if (at->finished && at->result)
		return 10;
	return r ? r : both_ways(true);
}

static void leaving_for_a_sleeper(void **state)
{
	struct killstep k = {.prepare = other_comes, .setup = hold_until_other_sleeps, .call = leave, .check = other_got_it};

	(void)state;
	for (int i = 0; i < 2; i++) {
		mine_for_writing = i;
		assert_true(killstep(&k, NULL) > 15);
	}
}

/* Halted, not killed, at each instruction of a writer: nobody else reads or writes while it is inside. */
static int alone_inside(void *arg, const struct killstep_point *at)
{
	bool inside = room->inside;
	int r = tp_rwlock_tryrdlock(&room->l);

	(void)arg;
	(void)at;
	if (r == 0 && (inside || tp_rwlock_unlock(&room->l)))
		return 1;
	r = tp_rwlock_trywrlock(&room->l);
	if (r == 0 && (inside || tp_rwlock_unlock(&room->l)))
		return 2;
	return r == 0 || r == -EBUSY ? 0 : 3;
}

static int ended_well(void *arg, const struct killstep_point *at)
{
	(void)arg;
	return at->result || room->l.word ? 1 : 0;
}

static void a_halted_writer_is_alone(void **state)
{
	struct killstep k = {.prepare = clear_room, .call = write_and_leave, .check = alone_inside, .after = ended_well,
		.pause = true};

	(void)state;
	assert_true(killstep(&k, NULL) > 100);
}

static int read_inside(void *arg)
{
	(void)arg;
	if (tp_rwlock_rdlock(&room->l))
		return 1;
	set(&room->inside, 1);
	set(&room->inside, 0);
	return tp_rwlock_unlock(&room->l);
}

static int no_writer_inside(void *arg, const struct killstep_point *at)
{
	bool inside = room->inside;
	int r = tp_rwlock_trywrlock(&room->l);

	(void)arg;
	(void)at;
	if (r == 0)
		r = inside ? 1 : tp_rwlock_unlock(&room->l);
	return r == -EBUSY ? 0 : r;
}

static void a_halted_reader_keeps_writers_out(void **state)
{
	struct killstep k = {.prepare = clear_room, .call = read_inside, .check = no_writer_inside, .after = ended_well,
		.pause = true};

	(void)state;
	assert_true(killstep(&k, NULL) > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(coming_last),
		TEST(coming_first),
		TEST(reading_alone),
		TEST(writing_alone),
		TEST(a_writer_that_waits_for_readers),
		TEST(readers_that_wait_for_a_writer),
		TEST(leaving_for_a_sleeper),
		TEST(a_halted_writer_is_alone),
		TEST(a_halted_reader_keeps_writers_out),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_group);
}
