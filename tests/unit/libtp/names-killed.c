/* SPDX-License-Identifier: MIT */
/*
 * A program is killed, or stopped, after each instruction of each call that changes the table. Whatever the moment: the others find all
 * that is theirs, the name stands for what it stood for or for what it was about to, and what is left unused is found again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "killstep.h"
#include "names-audit.h"
#include "names.h"
#include "tpgroup.h"

#define OLD ((char *)TP_HEAP_BASE + 64)
#define NEW ((char *)TP_HEAP_BASE + 128)
#define ELSE ((char *)TP_HEAP_BASE + 192)

static uint64_t me;

/* What is allowed to be lost until the sweep: one entry, and one for each that was copied. */
static int sound(uint32_t lost_at_most)
{
	struct names_audit a = names_audit();

	if (a.bad || a.lost > lost_at_most)
		return 50 + (int)a.lost;
	names_audit_sweep();
	a = names_audit();
	return a.bad || a.lost ? 60 + (int)a.lost : 0;
}

/* Whoever owned "it" is dead: anybody takes it over, at once and completely, and the bucket's own copy as well. */
static int taken_over(void)
{
	const struct tp_names_bucket *b;
	struct tpi_name_key key;
	struct tp_name n;

	if (tp_publish("it", ELSE, "t", 0) || tp_lookup("it", "t", &n))
		return 30;
	if (tpi_name_key("it", "t", &key))
		return 32;
	b = &tpi_names()->bucket[tpi_key_bucket(&key)];
	if (b->first & TP_NAMES_BUSY || b->first >> 20 != b->head >> 20)
		return 33;
	return n.ptr == ELSE && n.owner == me && n.alive ? 0 : 31;
}

static void clear(void *arg)
{
	(void)arg;
	tp_unpublish("it", NULL);
}

static int publish_new(void *arg)
{
	(void)arg;
	return -tp_publish("it", NEW, "t", 0);
}

static int new_or_nothing(void *arg, const struct killstep_point *at)
{
	struct tp_name n;
	int r = tp_lookup("it", "t", &n);

	(void)arg;
	if (at->finished && at->result)
		return 1;
	if (r == -ENOENT ? at->finished : r != -EOWNERDEAD || n.ptr != NEW || n.owner != at->id)
		return 2;
	r = sound(1);
	return r ? r : taken_over();
}

static void publisher_killed(void **state)
{
	struct killstep k = {.prepare = clear, .call = publish_new, .check = new_or_nothing};

	(void)state;
	assert_true(killstep(&k, NULL) > 50);
}

static int publish_old(void *arg)
{
	(void)arg;
	return tp_publish("it", OLD, "t", 0);
}

static int replace(void *arg)
{
	(void)arg;
	return -tp_publish("it", NEW, "t", TP_PUBLISH_REPLACE);
}

static int old_or_new(void *arg, const struct killstep_point *at)
{
	struct tp_name n;
	int r = tp_lookup("it", "t", &n);

	(void)arg;
	if (r != -EOWNERDEAD || (n.ptr != NEW && n.ptr != OLD) || n.owner != at->id)
		return 2;
	if (at->finished && (at->result || n.ptr != NEW))
		return 3;
	/* After the sweep the dead name is gone. */
	r = sound(1);
	return r ? r : taken_over();
}

static void replacer_killed(void **state)
{
	struct killstep k = {.prepare = clear, .setup = publish_old, .call = replace, .check = old_or_new};

	(void)state;
	assert_true(killstep(&k, NULL) > 50);
}

static int unpublish(void *arg)
{
	(void)arg;
	return -tp_unpublish("it", "t");
}

static int old_or_nothing(void *arg, const struct killstep_point *at)
{
	struct tp_name n;
	int r = tp_lookup("it", "t", &n);

	(void)arg;
	if (r == -ENOENT ? 0 : r != -EOWNERDEAD || n.ptr != OLD || at->finished)
		return 2;
	r = sound(1);
	return r ? r : taken_over();
}

static void unpublisher_killed(void **state)
{
	struct killstep k = {.prepare = clear, .setup = publish_old, .call = unpublish, .check = old_or_nothing};

	(void)state;
	assert_true(killstep(&k, NULL) > 50);
}

/* A dead program's name, which the victim takes over. */
static void leave_behind(void *arg)
{
	uint64_t id = tpgroup_add("earlier");

	clear(arg);
	tpgroup_be(id);
	tp_publish("it", OLD, "t", TP_PUBLISH_KEEP);
	tpgroup_be(me);
	tpgroup_died(id);
}

static int kept_or_new(void *arg, const struct killstep_point *at)
{
	struct tp_name n;
	int r = tp_lookup("it", "t", &n);

	(void)arg;
	if (r == 0 ? n.ptr != OLD || n.alive || at->finished : r != -EOWNERDEAD || n.ptr != NEW || n.owner != at->id)
		return 2;
	r = sound(1);
	return r ? r : taken_over();
}

static void successor_killed(void **state)
{
	struct killstep k = {.prepare = leave_behind, .call = publish_new, .check = kept_or_new};

	(void)state;
	assert_true(killstep(&k, NULL) > 50);
}

/* The chain is last -> it -> first: to take the middle one out, the last is copied. */
static void first_of_three(void *arg)
{
	tp_unpublish("it", NULL);
	tp_publish("it", OLD + 1, "first", 0);
	(void)arg;
}

static int two_more(void *arg)
{
	(void)arg;
	return tp_publish("it", OLD, "t", 0) || tp_publish("it", OLD + 2, "last", 0);
}

static int neighbours_stay(void *arg, const struct killstep_point *at)
{
	struct tp_name n;
	int r;

	(void)arg;
	if (tp_lookup("it", "first", &n) || n.ptr != OLD + 1 || n.owner != me)
		return 1;
	if (tp_lookup("it", "last", &n) != -EOWNERDEAD || n.ptr != OLD + 2)
		return 2;
	r = tp_lookup("it", "t", &n);
	if (r == -EPROTOTYPE ? 0 : r != -EOWNERDEAD || n.ptr != OLD || at->finished)
		return 3;
	r = sound(2);
	if (r)
		return r;
	if (tp_lookup("it", "first", &n) || n.ptr != OLD + 1)
		return 4;
	return taken_over();
}

static void unpublisher_of_the_middle_killed(void **state)
{
	struct killstep k = {.prepare = first_of_three, .setup = two_more, .call = unpublish, .check = neighbours_stay};

	(void)state;
	assert_true(killstep(&k, NULL) > 100);
}

/* While the victim stands still, this program changes the same bucket; the victim then has to notice. */
static int change_the_bucket(void *arg, const struct killstep_point *at)
{
	struct tp_name n;
	int r = tp_lookup("it", "t", &n);

	(void)arg;
	if (r == 0 || (r == -EOWNERDEAD && at->finished) ? n.ptr != NEW && n.ptr != OLD : r != -ENOENT && r != -EPROTOTYPE)
		return 1;
	if (tp_publish("it", ELSE, "mine", TP_PUBLISH_REPLACE))
		return 2;
	return tp_lookup("it", "mine", &n) || n.ptr != ELSE;
}

static int both_are_there(void *arg, const struct killstep_point *at)
{
	struct tp_name n;

	(void)arg;
	if (at->result)
		return 1;
	if (tp_lookup("it", "mine", &n) || n.ptr != ELSE || tp_lookup("it", "t", &n) != -EOWNERDEAD || n.ptr != NEW)
		return 2;
	return sound(1);
}

static void a_stopped_publisher_holds_nobody_up(void **state)
{
	struct killstep k = {.prepare = clear, .call = publish_new, .check = change_the_bucket, .pause = true, .stride = 5,
		.after = both_are_there};

	(void)state;
	assert_true(killstep(&k, NULL) > 20);
	k.setup = publish_old;
	k.call = replace;
	assert_true(killstep(&k, NULL) > 20);
}

/* A reader stopped at any instruction, while all that it looks at is freed and used again, many times. */
static int read_it(void *arg)
{
	struct tp_name n;
	int r = tp_lookup("it", "t", &n);

	(void)arg;
	if (r)
		return 1;
	/* Published with what goes together: generation by generation, NEW and KEEP or OLD without. */
	return n.ptr == NEW ? !n.flags : n.ptr != OLD || n.flags;
}

static void publish_as_me(void *arg)
{
	clear(arg);
	tp_publish("it", OLD, "t", 0);
}

static int use_all_again(void *arg, const struct killstep_point *at)
{
	(void)arg;
	(void)at;
	for (int i = 0; i < 8; i++) {
		if (tp_publish("it", NEW, "t", TP_PUBLISH_REPLACE | TP_PUBLISH_KEEP) || tp_publish("other", ELSE, "t", 0))
			return 1;
		if (tp_publish("it", i & 1 ? OLD : NEW, "t", TP_PUBLISH_REPLACE | (i & 1 ? 0 : TP_PUBLISH_KEEP)))
			return 2;
		if (tp_unpublish("other", "t"))
			return 3;
	}
	return 0;
}

static int it_was_whole(void *arg, const struct killstep_point *at)
{
	(void)arg;
	return at->result;
}

static void a_stopped_reader_never_sees_half(void **state)
{
	struct killstep k = {.prepare = publish_as_me, .call = read_it, .check = use_all_again, .pause = true, .stride = 5,
		.after = it_was_whole};

	(void)state;
	assert_true(killstep(&k, NULL) > 20);
}

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(64 << 20);
	me = tpgroup_add("me");
	tpgroup_be(me);
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(publisher_killed),
		cmocka_unit_test(replacer_killed),
		cmocka_unit_test(unpublisher_killed),
		cmocka_unit_test(successor_killed),
		cmocka_unit_test(unpublisher_of_the_middle_killed),
		cmocka_unit_test(a_stopped_publisher_holds_nobody_up),
		cmocka_unit_test(a_stopped_reader_never_sees_half),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
