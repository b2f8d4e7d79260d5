/* SPDX-License-Identifier: MIT */
/* Sleepers are woken by a wake, by a time-out, and by any death. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "core.h"
#include "tpgroup.h"

static uint32_t *word;
static uint64_t me;

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(64 << 20);
	me = tpgroup_add("me");
	tpgroup_be(me);
	word = (uint32_t *)TP_HEAP_BASE;
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

static void a_changed_word_is_not_waited_for(void **state)
{
	(void)state;
	*word = 1;
	assert_int_equal(tpi_wait(word, 0, tpi_wait_begin(), TP_FOREVER), 0);
}

static void time_runs_out(void **state)
{
	int64_t start = tpi_now();

	(void)state;
	*word = 0;
	assert_int_equal(tpi_wait(word, 0, tpi_wait_begin(), tpi_deadline(20000000)), -ETIMEDOUT);
	assert_true(tpi_now() - start >= 20000000);
}

static int wake_later(void *arg)
{
	(void)arg;
	usleep(20000);
	__atomic_store_n(word, 7, __ATOMIC_RELEASE);
	tpi_wake(word, 1);
	return 0;
}

static void another_program_wakes(void **state)
{
	uint64_t id = tpgroup_add("waker");
	pid_t pid;

	(void)state;
	*word = 0;
	pid = tpgroup_fork(id, wake_later, NULL);
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
		assert_int_equal(tpi_wait(word, 0, tpi_wait_begin(), tpi_deadline(5 * TP_SECOND)), 0);
	assert_int_equal(tpgroup_join(pid, id), 0);
}

static int wait_for_death(void *arg)
{
	uint64_t id = *(uint64_t *)arg;
	int r = 0;

	for (;;) {
		uint32_t deaths = tpi_wait_begin();

		if (!tpi_alive(id))
			return 0;
		r = tpi_wait(word, 0, deaths, tpi_deadline(5 * TP_SECOND));
		if (r)
			return 1;
	}
}

/* Of 300 sleepers that look at any moment around the death, each wakes. */
static void no_death_is_missed(void **state)
{
	(void)state;
	*word = 0;
	for (int i = 0; i < 300; i++) {
		uint64_t victim = tpgroup_add("victim"), id = tpgroup_add("sleeper");
		pid_t pid = tpgroup_fork(id, wait_for_death, &victim);

		usleep((useconds_t)(i * 7 % 400));
		tpgroup_died(victim);
		assert_int_equal(tpgroup_join(pid, id), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_word_is_not_waited_for),
		cmocka_unit_test(time_runs_out),
		cmocka_unit_test(another_program_wakes),
		cmocka_unit_test(no_death_is_missed),
	};

	return cmocka_run_group_tests(tests, open_group, close_group);
}
