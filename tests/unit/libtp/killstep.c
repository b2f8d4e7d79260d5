/* SPDX-License-Identifier: MIT */
/* The tool that kills at every instruction does: each point once, in order, asleep too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "killstep.h"
#include "tpgroup.h"

struct shared {
	volatile uint32_t a, b, c;
	uint32_t word;
	uint64_t last_step;
	unsigned seen[4], asleep, finished, woken;
};

static struct shared *shared;

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(64 << 20);
	tpgroup_be(tpgroup_add("test"));
	shared = (struct shared *)TP_HEAP_BASE;
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

static void fresh(void *arg)
{
	struct shared *s = arg;

	s->a = s->b = s->c = 0;
	s->word = 0;
}

static int three_stores(void *arg)
{
	struct shared *s = arg;

	s->a = 1;
	s->b = 1;
	s->c = 1;
	return 7;
}

static int in_order(void *arg, const struct killstep_point *at)
{
	struct shared *s = arg;

	if (at->step < s->last_step || s->b > s->a || s->c > s->b || tpi_alive(at->id))
		return 1;
	if (at->finished && at->result != 7)
		return 2;
	s->last_step = at->step;
	s->seen[s->a + s->b + s->c]++;
	s->finished += at->finished;
	return 0;
}

static void each_store_is_seen_alone(void **state)
{
	struct killstep k = {.dense = true, .prepare = fresh, .call = three_stores, .check = in_order};

	(void)state;
	memset(shared, 0, sizeof(*shared));
	assert_true(killstep(&k, shared) >= 5);
	for (int i = 0; i < 4; i++)
		assert_true(shared->seen[i] >= 1);
	assert_int_equal(shared->finished, 1);
}

static int wait_for_word(void *arg)
{
	struct shared *s = arg;

	s->a = 1;
	while (!__atomic_load_n(&s->word, __ATOMIC_ACQUIRE))
		tpi_wait(&s->word, 0, tpi_wait_begin(), TP_FOREVER);
	s->b = 1;
	return 0;
}

static void wake(void *arg)
{
	struct shared *s = arg;

	s->woken++;
	__atomic_store_n(&s->word, 1, __ATOMIC_RELEASE);
	tpi_wake(&s->word, 1);
}

static int around_the_sleep(void *arg, const struct killstep_point *at)
{
	struct shared *s = arg;

	if (at->asleep && (!s->a || s->b))
		return 1;
	if (s->b && !s->word)
		return 2;
	s->asleep += at->asleep;
	s->seen[s->a + s->b]++;
	return 0;
}

static void a_sleep_is_a_point_of_its_own(void **state)
{
	struct killstep k = {.dense = true, .prepare = fresh, .call = wait_for_word, .asleep = wake, .check = around_the_sleep};

	(void)state;
	memset(shared, 0, sizeof(*shared));
	assert_true(killstep(&k, shared) >= 20);
	assert_int_equal(shared->asleep, 1);
	assert_true(shared->woken >= 2);
	assert_true(shared->seen[0] && shared->seen[1] && shared->seen[2]);
}

static int still_alive(void *arg, const struct killstep_point *at)
{
	struct shared *s = arg;

	if (tpi_alive(at->id) == at->finished || (s->c && !at->finished && at->step < 3))
		return 1;
	s->seen[s->a + s->b + s->c]++;
	return 0;
}

static int ran_on(void *arg, const struct killstep_point *at)
{
	struct shared *s = arg;

	return at->result == 7 && s->c ? 0 : 1;
}

static void paused_ones_run_on(void **state)
{
	struct killstep k = {.dense = true, .prepare = fresh, .call = three_stores, .check = still_alive, .after = ran_on, .pause = true};

	(void)state;
	memset(shared, 0, sizeof(*shared));
	assert_true(killstep(&k, shared) >= 5);
	for (int i = 0; i < 4; i++)
		assert_true(shared->seen[i] >= 1);
}

static int says_no(void *arg, const struct killstep_point *at)
{
	(void)arg;
	return at->step == 2;
}

static void a_failed_check_is_told(void **state)
{
	struct killstep k = {.dense = true, .prepare = fresh, .call = three_stores, .check = says_no, .limit = 4};

	(void)state;
	assert_int_equal(killstep(&k, shared), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_store_is_seen_alone),
		cmocka_unit_test(a_sleep_is_a_point_of_its_own),
		cmocka_unit_test(paused_ones_run_on),
		cmocka_unit_test(a_failed_check_is_told),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
