/* SPDX-License-Identifier: MIT */
/*
 * The stores to glibc's single-thread flag: each form that a compiler may choose, then the machine's
 * own libc, then a static program without symbols.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "earlyinit.h"
#include "elf-text.h"
#include "insn.h"
#include "patterns.h"

#define FRONT 64

/* What the patterns store to, and a slot that leads there; only their addresses matter. */
extern uint8_t flag_byte[8];
extern uint64_t flag_slot;
uint8_t flag_byte[8];
uint64_t flag_slot;

PATTERN(as_glibc, "mov flag_slot(%rip), %rax\n mov $3, %edi\n mov %rsp, %rsi\n mov %bl, flag_byte+4(%rip)\n"
		  "mov %bl, (%rax)\n mov %bl, flag_byte(%rip)\n call adjacent_begin\n ret");
PATTERN(constant, "movb $1, flag_byte(%rip)\n movb $0, flag_byte(%rip)\n ret");
PATTERN(by_lea, "lea flag_byte(%rip), %r12\n call adjacent_begin\n movb $1, (%r12)\n ret");
PATTERN(by_frame, "lea flag_byte(%rip), %rbp\n movb $1, (%rbp)\n lea flag_byte(%rip), %r13\n nopw (%r13)\n movb $1, 8(%r13)\n ret");
PATTERN(lost_pointer, "mov flag_slot(%rip), %rax\n call adjacent_begin\n movb $1, (%rax)\n ret");
PATTERN(extended, "mov %r9b, flag_byte(%rip)\n mov %sil, flag_byte(%rip)\n ret");
PATTERN(readers, "cmpb $0, flag_byte(%rip)\n movzbl flag_byte(%rip), %eax\n testb $1, flag_byte(%rip)\n"
		 "mov flag_slot(%rip), %rax\n cmpb $0, (%rax)\n ret");
PATTERN(strange, "movb $1, flag_byte(%rip)\n orb $1, flag_byte(%rip)\n ret");

static size_t stores;

static int find(const uint8_t *begin, const uint8_t *end, struct arch_patch *out, size_t max)
{
	const struct arch_early_init in = {
		.text = begin,
		.len = (size_t)(end - begin),
		.addr = (uint64_t)begin,
		.flag = (uint64_t)flag_byte,
		.got_slot = (uint64_t)&flag_slot,
	};

	return arch_early_init_patches(&in, out, max, &stores);
}

#define FIND(name, out, max) find(name##_begin, name##_end, out, max)

static void assert_patch(const struct arch_patch *p, unsigned off, unsigned len, uint8_t value)
{
	assert_int_equal(p->off, FRONT + off);
	assert_int_equal(p->len, len);
	for (unsigned k = 0; k < len; k++)
		assert_int_equal(p->bytes[k], value);
}

static void finds_both_stores_of_glibc(void **state)
{
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(as_glibc, p, 4), 2);
	assert_patch(&p[0], 21, 2, 0x90);
	assert_patch(&p[1], 23, 6, 0x90);
	assert_int_equal(stores, 2);
}

static void makes_a_constant_zero(void **state)
{
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(constant, p, 4), 1);
	assert_patch(&p[0], 6, 1, 0);
	assert_int_equal(FIND(by_lea, p, 4), 1);
	assert_patch(&p[0], 16, 1, 0);
	assert_int_equal(FIND(by_frame, p, 4), 1);
	assert_patch(&p[0], 10, 1, 0);
}

static void takes_prefixes_along(void **state)
{
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(extended, p, 4), 2);
	assert_patch(&p[0], 0, 7, 0x90);
	assert_patch(&p[1], 7, 7, 0x90);
}

static void leaves_readers_alone(void **state)
{
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(readers, p, 4), -ENOENT);
	assert_int_equal(FIND(lost_pointer, p, 4), -ENOENT);
	assert_int_equal(stores, 0);
}

static void says_what_it_cannot_do(void **state)
{
	struct arch_patch p[4];

	(void)state;
	assert_int_equal(FIND(strange, p, 4), -EOPNOTSUPP);
	assert_int_equal(stores, 2);
	assert_int_equal(FIND(as_glibc, p, 1), -ENOSPC);
	assert_int_equal(FIND(as_glibc, p, 0), -ENOSPC);
}

static int find_in_file(const struct elf_file *f, const uint8_t *bytes, uint64_t addr, size_t len,
			struct arch_patch *out)
{
	const struct arch_early_init in = {
		.text = bytes,
		.len = len,
		.addr = addr,
		.flag = elf_symbol(f, "__libc_single_threaded")->st_value,
		.got_slot = elf_got_slot(f, "__libc_single_threaded"),
	};

	return arch_early_init_patches(&in, out, 8, &stores);
}

static void neutralises_the_libc_of_this_machine(void **state)
{
	const char *path = getenv("TPRUN_TEST_LIBC");
	struct arch_patch p[8], again[8];
	const Elf64_Sym *function;
	const Elf64_Phdr *text;
	struct elf_file f = { 0 };
	uint8_t *copy;
	int n;

	(void)state;
	if (!elf_open(path ? path : "/lib/x86_64-linux-gnu/libc.so.6", &f) ||
	    !elf_symbol(&f, "__libc_single_threaded"))
		skip();
	text = elf_text(&f);
	function = elf_symbol(&f, "__libc_early_init");
	assert_non_null(text);
	assert_non_null(function);
	copy = malloc(text->p_filesz);
	memcpy(copy, f.p + text->p_offset, text->p_filesz);

	/* The function alone and the whole text must agree: nothing sets the flag later. */
	n = find_in_file(&f, copy + (function->st_value - text->p_vaddr), function->st_value,
			 function->st_size, p);
	assert_int_equal(n, 2);
	assert_int_equal(find_in_file(&f, copy, text->p_vaddr, text->p_filesz, again), 2);
	for (int k = 0; k < n; k++)
		assert_int_equal(p[k].off + function->st_value, again[k].off + text->p_vaddr);

	/* Once they are applied nothing is left to be found. */
	for (int k = 0; k < n; k++)
		memcpy(copy + again[k].off, again[k].bytes, again[k].len);
	assert_int_equal(find_in_file(&f, copy, text->p_vaddr, text->p_filesz, again), -ENOENT);
	assert_int_equal(stores, 0);
	free(copy);
}

/* A stripped static program of this machine; its flag must be a byte of 1 in its file. */
static void finds_the_flag_of_a_static_program(void **state)
{
	const char *path = getenv("TPRUN_TEST_STATIC");
	const Elf64_Ehdr *e;
	const Elf64_Phdr *ph, *text;
	struct elf_file f = { 0 };
	uint64_t flag;
	bool found = false;

	(void)state;
	if (!elf_open(path ? path : "/bin/busybox", &f) || elf_section(&f, SHT_DYNSYM))
		skip();
	text = elf_text(&f);
	assert_int_equal(arch_static_flag_find(f.p + text->p_offset, text->p_filesz, text->p_vaddr,
					       &flag), 0);
	e = (const void *)f.p;
	ph = (const void *)(f.p + e->e_phoff);
	for (unsigned k = 0; k < e->e_phnum; k++) {
		if (ph[k].p_type != PT_LOAD || !(ph[k].p_flags & PF_W) || flag < ph[k].p_vaddr ||
		    flag - ph[k].p_vaddr >= ph[k].p_filesz)
			continue;
		assert_int_equal(f.p[ph[k].p_offset + (flag - ph[k].p_vaddr)], 1);
		found = true;
	}
	assert_true(found);
}

static void finds_no_flag_where_there_is_none(void **state)
{
	uint64_t flag = 7;
	struct elf_file f = { 0 };
	const Elf64_Phdr *text;

	(void)state;
	assert_int_equal(arch_static_flag_find(as_glibc_begin, 10, 0, &flag), -ENOENT);
	assert_int_equal(arch_static_flag_find(as_glibc_begin, (size_t)(as_glibc_end - as_glibc_begin),
					       0, &flag), -ENOENT);
	assert_int_equal(flag, 7);
	if (!elf_open("/lib/ld-musl-x86_64.so.1", &f))
		return;
	text = elf_text(&f);
	assert_int_equal(arch_static_flag_find(f.p + text->p_offset, text->p_filesz, text->p_vaddr,
					       &flag), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_both_stores_of_glibc),
		cmocka_unit_test(makes_a_constant_zero),
		cmocka_unit_test(takes_prefixes_along),
		cmocka_unit_test(leaves_readers_alone),
		cmocka_unit_test(says_what_it_cannot_do),
		cmocka_unit_test(neutralises_the_libc_of_this_machine),
		cmocka_unit_test(finds_the_flag_of_a_static_program),
		cmocka_unit_test(finds_no_flag_where_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
