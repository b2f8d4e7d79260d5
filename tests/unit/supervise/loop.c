/* SPDX-License-Identifier: MIT */
/* Watches and timers, in the order and at the times that were asked for. */
#include <unistd.h>

#include "supervise/loop.h"
#include "unit.h"

static struct tp_loop loop;
static char order[16];
static int norder, settled;

static void note(char c)
{
	order[norder++] = c;
	order[norder] = '\0';
}

static void fire_a(struct tp_timer *t)
{
	(void)t;
	note('a');
}

static void fire_b(struct tp_timer *t)
{
	(void)t;
	note('b');
}

static void fire_stop(struct tp_timer *t)
{
	(void)t;
	loop.stop = true;
}

static void count_settle(struct tp_loop *l)
{
	(void)l;
	settled++;
}

static int open_loop(void **state)
{
	(void)state;
	norder = settled = 0;
	order[0] = '\0';
	if (tp_loop_init(&loop))
		return -1;
	loop.settle = count_settle;
	return 0;
}

static int close_loop(void **state)
{
	(void)state;
	tp_loop_fini(&loop);
	return 0;
}

static void timers_fire_in_order_of_time(void **state)
{
	struct tp_timer a = {.fire = fire_a}, b = {.fire = fire_b}, stop = {.fire = fire_stop};
	int64_t start = tp_now_ms();

	(void)state;
	tp_timer_arm(&loop, &stop, 30);
	tp_timer_arm(&loop, &a, 20);
	tp_timer_arm(&loop, &b, 10);
	assert_int_equal(tp_loop_run(&loop), 0);
	assert_string_equal(order, "ba");
	assert_true(tp_now_ms() - start >= 30);
	assert_false(a.armed);
}

static void arming_again_moves_and_disarming_removes(void **state)
{
	struct tp_timer a = {.fire = fire_a}, b = {.fire = fire_b}, stop = {.fire = fire_stop};

	(void)state;
	tp_timer_arm(&loop, &a, 1);
	tp_timer_arm(&loop, &a, 15);
	tp_timer_arm(&loop, &b, 1);
	tp_timer_disarm(&b);
	tp_timer_disarm(&b);
	tp_timer_arm(&loop, &stop, 25);
	tp_loop_run(&loop);
	assert_string_equal(order, "a");
}

static int pipe_fds[2];

static void on_readable(struct tp_watch *w, uint32_t events)
{
	char c;

	assert_true(events & EPOLLIN);
	assert_int_equal(read(w->fd, &c, 1), 1);
	note(c);
	if (c == 'z') {
		tp_loop_remove(&loop, w);
		loop.stop = true;
	}
}

static void a_watch_is_called_until_it_is_removed(void **state)
{
	struct tp_watch w = {.ready = on_readable};

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	w.fd = pipe_fds[0];
	assert_int_equal(tp_loop_add(&loop, &w, EPOLLIN), 0);
	assert_int_equal(write(pipe_fds[1], "xyz!", 4), 4);
	assert_int_equal(tp_loop_run(&loop), 0);
	assert_string_equal(order, "xyz");
	assert_int_equal(w.fd, -1);
	assert_int_equal(settled, 3);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			timers_fire_in_order_of_time, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(
			arming_again_moves_and_disarming_removes, open_loop, close_loop),
		cmocka_unit_test_setup_teardown(
			a_watch_is_called_until_it_is_removed, open_loop, close_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
