/* SPDX-License-Identifier: MIT */
/* Where images go: near the stubs, aligned, apart from each other; fixed ones where they must. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "supervise/launch.h"
#include "unit.h"

static const uint64_t base = TP_UNIT_BASE(300);

/* One map of `pages` file pages and one anonymous page behind them. */
static struct tp_plan plan_of(enum tp_plan_kind kind, uint64_t lo, uint64_t len, uint64_t align)
{
	struct tp_plan p = {.kind = kind,
		.lo = lo,
		.hi = lo + len,
		.align = align,
		.entry = lo + 0x10,
		.nmap = 1};

	p.map[0] = (struct tp_plan_map){.vaddr = lo,
		.len = len,
		.anon_len = TP_PAGE_SIZE,
		.file_len = len - TP_PAGE_SIZE - 100,
		.zero_at = lo + len - TP_PAGE_SIZE - 100,
		.zero_len = 100,
		.prot = PROT_READ | PROT_WRITE,
		.anon_prot = PROT_READ | PROT_WRITE};
	return p;
}

static struct tp_image image_of(struct tp_plan exe)
{
	struct tp_image i = {.plan = exe,
		.has_interp = true,
		.interp_plan = plan_of(TP_PLAN_DYN, 0, 0x30000, 4096)};

	i.exe.realpath = (char *)"/bin/x";
	return i;
}

static void check_common(const struct tp_place *p)
{
	for (uint32_t i = 0; i < p->nmaps; i++) {
		assert_int_equal(p->maps[i].addr % TP_PAGE_SIZE, 0);
		assert_int_equal(p->maps[i].len % TP_PAGE_SIZE, 0);
		for (uint32_t j = 0; j < i; j++)
			assert_true(p->maps[i].addr >= p->maps[j].addr + p->maps[j].len ||
				    p->maps[j].addr >= p->maps[i].addr + p->maps[i].len);
		if (!p->maps[i].outside)
			assert_true(p->maps[i].addr >= base + TP_SLOT_INTERP &&
				    p->maps[i].addr + p->maps[i].len <=
					    base + TP_SLOT_STACK_TOP - TP_SLOT_STACK_RESERVE);
	}
}

static void executable_and_interpreter_lie_near(void **state)
{
	struct tp_image i = image_of(plan_of(TP_PLAN_DYN, 0, 0x5000, 4096));
	struct tp_place p;

	(void)state;
	assert_int_equal(tp_place_image(&i, base, &p, NULL), 0);
	check_common(&p);
	assert_int_equal(p.nmaps, 4);
	assert_true(p.bias == base + TP_SLOT_NEAR);
	assert_true(p.interp_bias == base + TP_SLOT_INTERP);
	assert_true(p.entry == p.interp_bias + 0x10 && p.exe_entry == p.bias + 0x10);
	assert_true(p.maps[0].zero_at == p.bias + 0x5000 - TP_PAGE_SIZE - 100 &&
		    p.maps[0].zero_len == 100);
	assert_int_equal(p.maps[0].fd, 0);
	assert_int_equal(p.maps[1].fd, -1);
	assert_int_equal(p.maps[2].fd, 1);
	assert_int_equal(p.images[0].scan, TP_SCAN_NO);
	assert_int_equal(p.images[1].scan, TP_SCAN_CALLS);
}

static void a_large_alignment_is_kept(void **state)
{
	struct tp_image i = image_of(plan_of(TP_PLAN_DYN, 0x200000, 0x400000, 2 << 20));
	struct tp_place p;

	(void)state;
	assert_int_equal(tp_place_image(&i, base, &p, NULL), 0);
	check_common(&p);
	assert_int_equal(p.bias % (2 << 20), 0);
}

static void a_huge_executable_leaves_the_near_zone_to_its_interpreter(void **state)
{
	struct tp_image i = image_of(plan_of(TP_PLAN_DYN, 0, UINT64_C(1700) << 20, 4096));
	struct tp_place p;

	(void)state;
	assert_int_equal(tp_place_image(&i, base, &p, NULL), 0);
	check_common(&p);
	assert_true(p.interp_bias + 0x30000 < base + TP_SLOT_NEAR_END);
	i = image_of(plan_of(TP_PLAN_DYN, 0, UINT64_C(20) << 30, 4096));
	assert_int_equal(tp_place_image(&i, base, &p, NULL), 0);
	check_common(&p);
	assert_true(p.interp_bias + 0x30000 < base + TP_SLOT_NEAR_END);
	assert_true(p.bias >= base + TP_SLOT_MMAP);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct tp_image i = image_of(plan_of(TP_PLAN_DYN, 0, UINT64_C(60) << 30, 4096));
	struct tp_error err = {0};
	struct tp_place p;

	(void)state;
	assert_int_equal(tp_place_image(&i, base, &p, &err), -ENOMEM);
	assert_int_equal(err.status, TP_STATUS_NOT_EXECUTABLE);
	assert_non_null(strstr(err.text, "too large"));
}

static void a_fixed_executable_stays_where_it_is(void **state)
{
	struct tp_image i = image_of(plan_of(TP_PLAN_EXEC, 0x400000, 0x5000, 4096));
	struct tp_place p;

	(void)state;
	assert_int_equal(tp_place_image(&i, base, &p, NULL), 0);
	check_common(&p);
	assert_true(p.bias == 0 && p.maps[0].addr == 0x400000 && p.maps[0].outside &&
		    p.maps[1].outside);
	assert_false(p.maps[2].outside);
	assert_true(p.fixed.addr == 0x400000 && p.fixed.len == 0x5000);
	i.has_interp = false;
	assert_int_equal(tp_place_image(&i, base, &p, NULL), 0);
	assert_true(p.entry == 0x400010);
	assert_int_equal(p.images[0].scan, TP_SCAN_STATIC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executable_and_interpreter_lie_near),
		cmocka_unit_test(a_large_alignment_is_kept),
		cmocka_unit_test(a_huge_executable_leaves_the_near_zone_to_its_interpreter),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(a_fixed_executable_stays_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
