/* SPDX-License-Identifier: MIT */
/*
 * The stores to glibc's single-thread flag: each form that a compiler may choose, as words, then a real libc, and a real static
 * program without symbols.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "earlyinit.h"
#include "elf-text.h"
#include "insn.h"
#include "subjects.h"

#define TEXT UINT64_C(0x100000)
#define FLAG UINT64_C(0x1a79a8)
#define SLOT UINT64_C(0x19fdc8)

#define RET  0xd65f03c0u
#define CALL 0x94000010u
#define NOP  0xd503201fu
/* adrp reg, page of an address, as the instruction number k of the text: all of it is within one page. */
#define ADRP(reg, to) (0x90000000u | ((uint32_t)(((to) >> 12) - (TEXT >> 12)) & 3) << 29 | (uint32_t)(((to) >> 12) - (TEXT >> 12)) >> 2 << 5 | (reg))
#define STRB(t, n, to) (0x39000000u | (uint32_t)((to) & 0xfff) << 10 | (n) << 5 | (t))
#define LDRB(t, n, to) (0x39400000u | (uint32_t)((to) & 0xfff) << 10 | (n) << 5 | (t))
#define STR(t, n, to)  (0xb9000000u | (uint32_t)((to) & 0xfff) / 4 << 10 | (n) << 5 | (t))
#define LDR(t, n, to)  (0xf9400000u | (uint32_t)((to) & 0xfff) / 8 << 10 | (n) << 5 | (t))
#define ADD(d, n, to)  (0x91000000u | (uint32_t)((to) & 0xfff) << 10 | (n) << 5 | (d))
#define SWPB(s, t, n)  (0x38208000u | (s) << 16 | (n) << 5 | (t))
#define STLRB(t, n)    (0x089ffc00u | (n) << 5 | (t))

static size_t stores;

static int find(const uint32_t *words, size_t len, struct arch_patch *out, size_t max)
{
	const struct arch_early_init in = { (const uint8_t *)words, len, TEXT, FLAG, SLOT };

	return arch_early_init_patches(&in, out, max, &stores);
}

#define FIND(words, out, max) find(words, sizeof(words), out, max)

static void assert_zeroed(const struct arch_patch *p, size_t k, uint32_t was)
{
	uint32_t w;

	memcpy(&w, p->bytes, 4);
	assert_int_equal(p->off, 4 * k);
	assert_int_equal(p->len, 4);
	assert_int_equal(w, was | 31);
}

/* As in 2.36: the flag, a neighbour that stays, and the executable's copy through the GOT. */
static void stores_of_a_register_become_stores_of_zero(void **state)
{
	static const uint32_t code[] = { ADRP(2, SLOT), LDR(2, 2, SLOT), ADRP(3, FLAG), STRB(19, 3, FLAG - 8), NOP,
					 STRB(19, 3, FLAG), STRB(19, 2, 0), CALL, RET };
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(code, p, 4), 2);
	assert_int_equal(stores, 2);
	assert_zeroed(&p[0], 6, STRB(19, 2, 0));
	assert_zeroed(&p[1], 5, STRB(19, 3, FLAG));
}

static void addresses_are_followed(void **state)
{
	static const uint32_t added[] = { ADRP(20, FLAG), ADD(20, 20, FLAG), CALL, STRB(0, 20, 0), RET };
	static const uint32_t elsewhere[] = { ADRP(20, FLAG), ADD(21, 20, FLAG - 4), STRB(0, 21, 4), STRB(1, 20, FLAG), RET };
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(added, p, 4), 1);
	assert_zeroed(&p[0], 3, STRB(0, 20, 0));
	assert_int_equal(FIND(elsewhere, p, 4), 2);
}

/* Behind a call x0 is another value; behind a return there is another function. */
static void lost_addresses_are_not(void **state)
{
	static const uint32_t call[] = { ADRP(0, FLAG), CALL, STRB(1, 0, FLAG), RET };
	static const uint32_t overwritten[] = { ADRP(0, FLAG), ADRP(0, SLOT), STRB(1, 0, FLAG), RET };
	static const uint32_t ended[] = { ADRP(19, FLAG), RET, STRB(1, 19, FLAG), RET };
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(call, p, 4), -ENOENT);
	assert_int_equal(FIND(overwritten, p, 4), -ENOENT);
	assert_int_equal(FIND(ended, p, 4), -ENOENT);
}

static void readers_and_stores_of_zero_stay(void **state)
{
	static const uint32_t code[] = { ADRP(0, FLAG), LDRB(1, 0, FLAG), STRB(31, 0, FLAG), ADRP(2, SLOT), LDR(2, 2, SLOT),
					 LDRB(3, 2, 0), RET };
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(code, p, 4), -ENOENT);
	assert_int_equal(stores, 0);
}

static void unknown_forms_are_said(void **state)
{
	static const uint32_t word[] = { ADRP(0, FLAG), STR(1, 0, FLAG), RET };
	static const uint32_t swap[] = { ADRP(0, FLAG), ADD(0, 0, FLAG), SWPB(1, 2, 0), RET };
	static const uint32_t release[] = { ADRP(0, FLAG), ADD(0, 0, FLAG), STLRB(1, 0), RET };
	static const uint32_t three[] = { ADRP(0, FLAG), STRB(1, 0, FLAG), STRB(2, 0, FLAG), STRB(3, 0, FLAG), RET };
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(word, p, 4), -EOPNOTSUPP);
	assert_int_equal(FIND(swap, p, 4), -EOPNOTSUPP);
	assert_int_equal(FIND(release, p, 4), -EOPNOTSUPP);
	assert_int_equal(stores, 1);
	assert_int_equal(FIND(three, p, 2), -ENOSPC);
}

static void finds_both_stores_of_a_real_libc(void **state)
{
	struct arch_early_init in = { 0 };
	const Elf64_Phdr *text;
	struct arch_patch p[8];
	struct elf_file f = { 0 };
	char path[1024];

	(void)state;
	if (!subject(LIBC, path, sizeof(path)))
		skip();
	assert_true(elf_open(path, &f));
	text = elf_text(&f);
	in.text = f.p + text->p_offset;
	in.len = text->p_filesz;
	in.addr = text->p_vaddr;
	in.flag = elf_symbol(&f, "__libc_single_threaded")->st_value;
	in.got_slot = elf_got_slot(&f, "__libc_single_threaded");
	assert_int_not_equal(in.got_slot, 0);
	assert_int_equal(arch_early_init_patches(&in, p, 8, &stores), 2);
	assert_int_equal(stores, 2);
	for (int k = 0; k < 2; k++) {
		uint64_t at = in.addr + p[k].off, init = elf_symbol(&f, "__libc_early_init")->st_value;

		assert_in_range(at, init, init + 0x100);
	}
}

static void finds_the_flag_of_a_static_program(void **state)
{
	const Elf64_Phdr *text;
	struct arch_patch p[8];
	struct elf_file f = { 0 };
	uint64_t flag = 0;
	char path[1024];

	(void)state;
	if (!subject(BUSYBOX, path, sizeof(path)))
		skip();
	assert_true(elf_open(path, &f));
	text = elf_text(&f);
	assert_int_equal(arch_static_flag_find(f.p + text->p_offset, text->p_filesz, text->p_vaddr, &flag), 0);
	assert_int_equal(arch_early_init_patches(&(struct arch_early_init){ f.p + text->p_offset, text->p_filesz, text->p_vaddr, flag, 0 },
						 p, 8, &stores), 1);
}

static void a_text_without_glibc_has_none(void **state)
{
	static const uint32_t code[] = { NOP, ADRP(0, FLAG), STRB(1, 0, FLAG), 0x52800060, CALL, RET, NOP, NOP };
	uint64_t flag;

	(void)state;
	assert_int_equal(arch_static_flag_find((const uint8_t *)code, sizeof(code), TEXT, &flag), -ENOENT);
	assert_int_equal(arch_static_flag_find((const uint8_t *)code, 0, TEXT, &flag), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_of_a_register_become_stores_of_zero),
		cmocka_unit_test(addresses_are_followed),
		cmocka_unit_test(lost_addresses_are_not),
		cmocka_unit_test(readers_and_stores_of_zero_stay),
		cmocka_unit_test(unknown_forms_are_said),
		cmocka_unit_test(finds_both_stores_of_a_real_libc),
		cmocka_unit_test(finds_the_flag_of_a_static_program),
		cmocka_unit_test(a_text_without_glibc_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
