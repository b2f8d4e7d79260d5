/* SPDX-License-Identifier: MIT */
/* Descriptors that are kept for programs: found by owner and key, bounded, closed with their owner;
 * eventfds that are told. */
#include "supervise/fdkeep.h"
#include "fakegroup.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static int some_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void each_program_has_keys_of_its_own(void **state)
{
	struct tp_prog *p = add_prog("a", 10), *q = add_prog("b", 11);
	int a = some_fd(), b = some_fd();

	(void)state;
	assert_int_equal(tp_fdkeep_put(p, 5, a, false), 0);
	assert_int_equal(tp_fdkeep_put(q, 5, b, false), 0);
	assert_int_equal(tp_fdkeep_get(&group, p->id, 5), a);
	assert_int_equal(tp_fdkeep_get(&group, q->id, 5), b);
	assert_int_equal(tp_fdkeep_get(&group, p->id, 6), -ENOENT);
	assert_int_equal(tp_fdkeep_get(&group, 0, 5), -ENOENT);
	tp_fdkeep_drop(p, 5);
	tp_fdkeep_drop(p, 5);
	assert_int_equal(tp_fdkeep_get(&group, p->id, 5), -ENOENT);
	assert_int_equal(tp_fdkeep_get(&group, q->id, 5), b);
	assert_false(is_open(a));
	tp_fdkeep_forget(q);
	assert_false(is_open(b));
	assert_int_equal(group.nkept, 0);
}

static void a_second_put_replaces_the_first(void **state)
{
	struct tp_prog *p = add_prog("a", 10);
	int first = some_fd(), second = some_fd();

	(void)state;
	assert_int_equal(tp_fdkeep_put(p, 5, first, false), 0);
	assert_int_equal(tp_fdkeep_put(p, 5, second, false), 0);
	assert_false(is_open(first));
	assert_int_equal(tp_fdkeep_get(&group, p->id, 5), second);
	assert_int_equal(p->nkept, 1);
	tp_fdkeep_forget(p);
}

static void what_a_dead_program_left_is_closed(void **state)
{
	struct tp_prog *p = add_prog("a", 10);
	int fds[100];

	(void)state;
	for (int i = 0; i < 100; i++) {
		fds[i] = some_fd();
		assert_int_equal(tp_fdkeep_put(p, (uint64_t)i * 4096, fds[i], false), 0);
	}
	tp_registry_died(p, TP_PROGRAM_DEAD);
	for (int i = 0; i < 100; i++)
		assert_false(is_open(fds[i]));
	assert_int_equal(group.nkept, 0);
}

/* The descriptor is closed also when it cannot be kept. */
static void there_is_a_limit_for_each_and_for_all(void **state)
{
	struct tp_prog *p = add_prog("a", 10), *q = add_prog("b", 11);
	struct rlimit old, low;
	int fd;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = old;
	low.rlim_cur = 64 + 4 * 10;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(tp_fdkeep_room(), 10);
	for (uint64_t key = 1; key <= 10; key++)
		assert_int_equal(tp_fdkeep_put(key % 2 ? p : q, key, some_fd(), false), 0);
	fd = some_fd();
	assert_int_equal(tp_fdkeep_put(p, 11, fd, false), -ENFILE);
	assert_false(is_open(fd));
	low.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(tp_fdkeep_room(), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	tp_fdkeep_forget(p);
	tp_fdkeep_forget(q);
}

static uint64_t told(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static void watchers_are_told_of_each_change(void **state)
{
	struct tp_prog *p = add_prog("a", 10), *q = add_prog("b", 11);
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), kept = dup(event), no_event = some_fd();

	(void)state;
	assert_int_equal(group.seg.at->watchers, 0);
	assert_int_equal(tp_fdkeep_put(p, 1, no_event, true), -EINVAL);
	assert_int_equal(tp_fdkeep_put(p, 1, kept, true), 0);
	assert_int_equal(group.seg.at->watchers, 1);
	tp_fdkeep_ring(&group);
	assert_int_equal(told(event), 1);
	tp_registry_died(q, TP_PROGRAM_DEAD);
	assert_int_equal(told(event), 1);
	tp_registry_arrived(&group);
	tp_registry_arrived(&group);
	assert_int_equal(told(event), 2);
	tp_fdkeep_drop(p, 1);
	assert_int_equal(group.seg.at->watchers, 0);
	tp_fdkeep_ring(&group);
	assert_int_equal(told(event), 0);
	close(event);
}

/* It is not to be written when that would wait. */
static void a_full_eventfd_is_left_alone(void **state)
{
	struct tp_prog *p = add_prog("a", 10);
	int event = eventfd(0, EFD_CLOEXEC);
	uint64_t full = UINT64_MAX - 1;

	(void)state;
	assert_int_equal(tp_fdkeep_put(p, 1, dup(event), true), 0);
	assert_int_equal(write(event, &full, sizeof(full)), sizeof(full));
	tp_fdkeep_ring(&group);
	assert_true(told(event) == full);
	tp_fdkeep_ring(&group);
	assert_int_equal(told(event), 1);
	tp_fdkeep_forget(p);
	close(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			each_program_has_keys_of_its_own, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			a_second_put_replaces_the_first, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			what_a_dead_program_left_is_closed, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			there_is_a_limit_for_each_and_for_all, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			watchers_are_told_of_each_change, open_group, close_group),
		cmocka_unit_test_setup_teardown(
			a_full_eventfd_is_left_alone, open_group, close_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
