/* SPDX-License-Identifier: MIT */
/*
 * What a plan holds for sound files of every shape. plan-kernel.c compares the same shapes with
 * what the kernel does; here the numbers stand written down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "elfarch.h"
#include "elfmake.h"
#include "plan.h"

static struct elfmake sound(unsigned type)
{
	struct elfmake make;

	elfmake_init(&make, type);
	return make;
}

static struct tp_plan plan_of(const struct elfmake *make)
{
	struct tp_error err = { 0 };
	struct tp_plan plan;
	struct tp_elf elf;
	unsigned char *file;
	size_t len;

	file = elfmake_build(make, &len);
	tp_elf_open_memory(file, len, &elf);
	if (tp_plan_read(&elf, "prog", &plan, &err) < 0)
		fail_msg("%s", err.text);
	free(file);
	return plan;
}

static void expect_map(const struct tp_plan *plan, unsigned i, struct tp_plan_map want)
{
	const struct tp_plan_map *m = &plan->map[i];

	assert_true(i < plan->nmap);
	assert_int_equal(m->vaddr, want.vaddr);
	assert_int_equal(m->len, want.len);
	assert_int_equal(m->off, want.off);
	assert_int_equal(m->file_len, want.file_len);
	assert_int_equal(m->anon_len, want.anon_len);
	assert_int_equal(m->zero_at, want.zero_at);
	assert_int_equal(m->zero_len, want.zero_len);
	assert_int_equal(m->prot, want.prot);
	if (m->anon_len)
		assert_int_equal(m->anon_prot, want.anon_prot);
}

static void position_independent(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan = plan_of(&make);

	(void)state;
	assert_int_equal(plan.kind, TP_PLAN_DYN);
	assert_int_equal(plan.lo, 0);
	assert_int_equal(plan.hi, 0x3000);
	assert_int_equal(plan.align, 0x1000);
	assert_int_equal(plan.entry, ELFMAKE_TEXT);
	assert_int_equal(plan.phdr, sizeof(Elf64_Ehdr));
	assert_int_equal(plan.phnum, 3);
	assert_int_equal(plan.phent, sizeof(Elf64_Phdr));
	assert_false(plan.has_interp);
	assert_string_equal(plan.interp, "");
	assert_int_equal(plan.flavour, TP_FLAVOUR_STATIC);
	assert_int_equal(plan.nmap, 2);
	expect_map(&plan, 0, (struct tp_plan_map){ .vaddr = 0, .len = 0x2000, .file_len = 0x1800,
		.prot = PROT_READ | PROT_EXEC });
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x2000, .len = 0x1000, .off = 0x2000,
		.file_len = 0x123, .zero_at = 0x2123, .zero_len = 0xedd,
		.prot = PROT_READ | PROT_WRITE });
}

static void fixed(void **state)
{
	struct elfmake make = sound(ET_EXEC);
	struct tp_plan plan = plan_of(&make);

	(void)state;
	assert_int_equal(plan.kind, TP_PLAN_EXEC);
	assert_int_equal(plan.lo, ELFMAKE_FIXED);
	assert_int_equal(plan.hi, ELFMAKE_FIXED + 0x3000);
	assert_int_equal(plan.entry, ELFMAKE_FIXED + ELFMAKE_TEXT);
	assert_int_equal(plan.phdr, ELFMAKE_FIXED + sizeof(Elf64_Ehdr));
}

static void bss_of_many_pages(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	make.part[1].ph.p_memsz = 0x5001;
	plan = plan_of(&make);
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x2000, .len = 0x6000, .off = 0x2000,
		.file_len = 0x123, .anon_len = 0x5000, .zero_at = 0x2123, .zero_len = 0xedd,
		.prot = PROT_READ | PROT_WRITE, .anon_prot = PROT_READ | PROT_WRITE });
	assert_int_equal(plan.hi, 0x8000);
}

static void file_part_ends_with_its_page(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	make.part[1].ph.p_filesz = 0x1000;
	make.part[1].ph.p_memsz = 0x1001;
	plan = plan_of(&make);
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x2000, .len = 0x2000, .off = 0x2000,
		.file_len = 0x1000, .anon_len = 0x1000, .zero_at = 0x3000, .zero_len = 0,
		.prot = PROT_READ | PROT_WRITE, .anon_prot = PROT_READ | PROT_WRITE });
}

static void segment_without_file_part(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	/* Its file offset means nothing, not even its place within a page. */
	make.part[1].ph.p_filesz = 0;
	make.part[1].ph.p_offset = 0x777777;
	make.size = 0x1800;
	make.part[1].ph.p_vaddr = 0x2345;
	plan = plan_of(&make);
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x2000, .len = 0x1000,
		.anon_len = 0x1000, .prot = PROT_READ | PROT_WRITE,
		.anon_prot = PROT_READ | PROT_WRITE });
}

static void empty_segment(void **state)
{
	struct elfmake make = sound(ET_DYN);

	(void)state;
	elfmake_add(&make, PT_LOAD, PF_R | PF_W, 0x777, 0x999, 0, 0);
	assert_int_equal(plan_of(&make).nmap, 2);
}

/* The kernel leaves the rest of a read-only page as the file has it, and makes what is behind
 * writable. */
static void bss_that_may_not_be_written(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	make.part[1].ph.p_flags = PF_R | PF_X;
	make.part[1].ph.p_memsz = 0x1800;
	plan = plan_of(&make);
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x2000, .len = 0x2000, .off = 0x2000,
		.file_len = 0x123, .anon_len = 0x1000, .prot = PROT_READ | PROT_EXEC,
		.anon_prot = PROT_READ | PROT_WRITE | PROT_EXEC });
}

/* As old linkers make them: the data begins in the middle of text's last page. */
static void segments_that_share_a_page(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	make.part[1].ph.p_offset = make.part[1].ph.p_vaddr = 0x1900;
	plan = plan_of(&make);
	assert_int_equal(plan.nmap, 2);
	expect_map(&plan, 0, (struct tp_plan_map){ .vaddr = 0, .len = 0x1000, .file_len = 0x1000,
		.prot = PROT_READ | PROT_EXEC });
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x1000, .len = 0x2000, .off = 0x1000,
		.file_len = 0xa23, .anon_len = 0x1000, .zero_at = 0x1a23, .zero_len = 0x5dd,
		.prot = PROT_READ | PROT_WRITE, .anon_prot = PROT_READ | PROT_WRITE });
}

static void shared_page_that_was_the_only_one(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	make.part[1].ph.p_memsz = 0x123;
	elfmake_add(&make, PT_LOAD, PF_R, 0x2800, 0x2800, 0x100, 0x100);
	plan = plan_of(&make);
	assert_int_equal(plan.nmap, 2);
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x2000, .len = 0x1000, .off = 0x2000,
		.file_len = 0x900, .prot = PROT_READ });
}

static void shared_page_of_bss(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	make.part[1].ph.p_memsz = 0x1010;
	elfmake_add(&make, PT_LOAD, PF_R, 0x3800, 0x3800, 0x100, 0x100);
	plan = plan_of(&make);
	assert_int_equal(plan.nmap, 3);
	expect_map(&plan, 1, (struct tp_plan_map){ .vaddr = 0x2000, .len = 0x1000, .off = 0x2000,
		.file_len = 0x123, .zero_at = 0x2123, .zero_len = 0xedd,
		.prot = PROT_READ | PROT_WRITE });
	expect_map(&plan, 2, (struct tp_plan_map){ .vaddr = 0x3000, .len = 0x1000, .off = 0x3000,
		.file_len = 0x900, .prot = PROT_READ });
}

static void large_alignment(void **state)
{
	struct elfmake make = sound(ET_DYN);

	(void)state;
	make.part[0].ph.p_align = 0x200000;
	assert_int_equal(plan_of(&make).align, 0x200000);
	make.part[1].ph.p_align = UINT64_C(1) << 30;
	assert_int_equal(plan_of(&make).align, UINT64_C(1) << 30);
}

static void alignment_that_is_none(void **state)
{
	static const uint64_t aligns[] = { 0, 1, 16, 0x300000, UINT64_MAX };
	struct elfmake make = sound(ET_DYN);

	(void)state;
	for (size_t i = 0; i < sizeof(aligns) / sizeof(aligns[0]); i++) {
		make.part[0].ph.p_align = aligns[i];
		assert_int_equal(plan_of(&make).align, 0x1000);
	}
}

static void gap_between_segments(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	make.part[1].ph.p_vaddr = 0x202000;
	plan = plan_of(&make);
	assert_int_equal(plan.map[1].vaddr, 0x202000);
	assert_int_equal(plan.hi, 0x203000);
}

static void address_of_program_headers(void **state)
{
	struct elfmake make = sound(ET_DYN);

	(void)state;
	/* Elsewhere in the first segment. */
	make.eh.e_phoff = 0x1200;
	assert_int_equal(plan_of(&make).phdr, 0x1200);
	/* In no segment: AT_PHDR is what PT_PHDR says, if that is mapped at all. */
	make.eh.e_phoff = 0x2400;
	assert_int_equal(plan_of(&make).phdr, 0);
	elfmake_add(&make, PT_PHDR, PF_R, 0x2400, 0x2400, 0xe0, 0xe0);
	assert_int_equal(plan_of(&make).phdr, 0x2400);
	make.part[3].ph.p_vaddr = 0x9000;
	assert_int_equal(plan_of(&make).phdr, 0);
}

static void many_program_headers(void **state)
{
	struct elfmake make = sound(ET_DYN);

	(void)state;
	while (make.nparts < ELFMAKE_PARTS)
		elfmake_add(&make, 0x60000000 + make.nparts, 0, UINT64_MAX, 1, UINT64_MAX, 3);
	make.eh.e_phoff = 0x2800;
	make.size = 0x4000;
	assert_int_equal(plan_of(&make).phnum, ELFMAKE_PARTS);
}

static void interpreter(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;

	(void)state;
	elfmake_add_data(&make, PT_INTERP, "/lib/ld-first.so", 17);
	elfmake_add_data(&make, PT_INTERP, "/lib/ld-second.so", 18);
	plan = plan_of(&make);
	assert_true(plan.has_interp);
	assert_string_equal(plan.interp, "/lib/ld-first.so");
	assert_int_equal(plan.flavour, 0);
}

static void executable_stack(void **state)
{
	struct elfmake make = sound(ET_DYN);

	(void)state;
	assert_false(plan_of(&make).stack_exec);
	make.part[2].ph.p_flags |= PF_X;
	assert_true(plan_of(&make).stack_exec);
	make.nparts = 2;
	assert_false(plan_of(&make).stack_exec);
}

static void stale_plan_is_overwritten(void **state)
{
	struct elfmake make = sound(ET_DYN);
	struct tp_plan plan;
	struct tp_elf elf;
	unsigned char *file;
	size_t len;

	(void)state;
	memset(&plan, 0xff, sizeof(plan));
	file = elfmake_build(&make, &len);
	tp_elf_open_memory(file, len, &elf);
	assert_int_equal(tp_plan_read(&elf, "prog", &plan, NULL), 0);
	assert_false(plan.has_interp);
	assert_false(plan.stack_exec);
	assert_int_equal(plan.property, 0);
	assert_int_equal(plan.flavour, TP_FLAVOUR_STATIC);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(position_independent),
		cmocka_unit_test(fixed),
		cmocka_unit_test(bss_of_many_pages),
		cmocka_unit_test(file_part_ends_with_its_page),
		cmocka_unit_test(segment_without_file_part),
		cmocka_unit_test(empty_segment),
		cmocka_unit_test(bss_that_may_not_be_written),
		cmocka_unit_test(segments_that_share_a_page),
		cmocka_unit_test(shared_page_that_was_the_only_one),
		cmocka_unit_test(shared_page_of_bss),
		cmocka_unit_test(large_alignment),
		cmocka_unit_test(alignment_that_is_none),
		cmocka_unit_test(gap_between_segments),
		cmocka_unit_test(address_of_program_headers),
		cmocka_unit_test(many_program_headers),
		cmocka_unit_test(interpreter),
		cmocka_unit_test(executable_stack),
		cmocka_unit_test(stale_plan_is_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
