/* SPDX-License-Identifier: MIT */
/* The limit on mappings, against this process's own address space: near it launches are refused,
 * far from it nothing is read. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fakegroup.h"
#include "supervise/admit.h"
#include "supervise/mapcount.h"
#include "supervise/procmaps.h"
#include "unit.h"

static const struct tp_supervise_opts opts = {.group = "unit"};

static int open_counted(void **state)
{
	bool taken[TP_UNITS] = {false};

	if (open_group(state) || tp_loop_init(&group.loop))
		return -1;
	group.opts = &opts;
	group.host.pid = getpid();
	return tp_mapcount_init(&group, taken);
}

static int close_counted(void **state)
{
	tp_mapcount_fini(&group);
	tp_loop_fini(&group.loop);
	return close_group(state);
}

static void far_from_the_limit_all_is_well(void **state)
{
	(void)state;
	group.max_maps = group.vmas * 10 + 10000;
	assert_int_equal(tp_mapcount_admit(&group, 100, "x", NULL), 0);
	assert_false(group.warned_maps);
}

static void near_the_limit_a_launch_is_refused_with_both_numbers(void **state)
{
	struct tp_error err = {0};

	(void)state;
	group.max_maps = (uint32_t)tp_procmaps_count(getpid()) + TP_ADMIT_VMAS_SPARE + 50;
	assert_int_equal(tp_mapcount_admit(&group, 100, "x", NULL), -ENOMEM);
	group.max_maps = 10000;
	assert_int_equal(tp_mapcount_admit(&group, 9900, "x", &err), -ENOMEM);
	assert_int_equal(err.status, TP_STATUS_OWN);
	assert_non_null(strstr(err.text, "vm.max_map_count"));
	assert_true(group.warned_maps);
}

/* Programs have unmapped what they were thought to have: the estimate is corrected before anybody
 * is refused. */
static void a_wrong_estimate_refuses_nobody(void **state)
{
	(void)state;
	group.max_maps = 20000;
	group.vmas = 19999;
	assert_int_equal(tp_mapcount_admit(&group, 100, "x", NULL), 0);
	assert_true(group.vmas < 2000);
}

static void units_of_the_host_are_marked(void **state)
{
	bool taken[TP_UNITS] = {false};
	void *at = (void *)TP_UNIT_BASE(301);

	(void)state;
	tp_mapcount_fini(&group);
	assert_ptr_equal(mmap(at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), at);
	assert_int_equal(tp_mapcount_init(&group, taken), 0);
	munmap(at, 4096);
	assert_true(taken[301]);
	assert_false(taken[300]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			far_from_the_limit_all_is_well, open_counted, close_counted),
		cmocka_unit_test_setup_teardown(
			near_the_limit_a_launch_is_refused_with_both_numbers, open_counted,
			close_counted),
		cmocka_unit_test_setup_teardown(
			a_wrong_estimate_refuses_nobody, open_counted, close_counted),
		cmocka_unit_test_setup_teardown(
			units_of_the_host_are_marked, open_counted, close_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
