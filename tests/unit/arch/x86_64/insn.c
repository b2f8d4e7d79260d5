/* SPDX-License-Identifier: MIT */
/*
 * The instruction decoder against objdump: every instruction of the given files must get the same
 * length, and every direct branch the same target. What no user program contains may be refused.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "insn.h"

struct line {
	uint64_t addr;
	uint8_t bytes[32];
	size_t len;
	const char *text;
};

struct tally {
	unsigned long good;
	unsigned long refused;
	unsigned long branches;
};

static const char *const subjects[] = {
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib64/ld-linux-x86-64.so.2",
	"/lib/x86_64-linux-gnu/libm.so.6",
	"/usr/lib/x86_64-linux-gnu/libgmp.so.10",
	"/usr/bin/python3.11",
	"/usr/bin/git",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/lib/ld-musl-x86_64.so.1",
	"/usr/bin/bash",
};

/* "  a0d3:\t0f 05 \tsyscall" */
static bool parse(char *s, struct line *l)
{
	char *end;

	l->addr = strtoull(s, &end, 16);
	if (end == s || *end != ':' || end[1] != '\t')
		return false;
	s = end + 2;
	for (l->len = 0; isxdigit((unsigned char)s[0]) && isxdigit((unsigned char)s[1]) && s[2] == ' ';
	     s += 3) {
		if (l->len == sizeof(l->bytes))
			return false;
		l->bytes[l->len++] = (uint8_t)strtoul(s, NULL, 16);
	}
	l->text = strchr(s, '\t');
	return l->len > 0 && l->text && *++l->text;
}

/* Privileged or gone from 64-bit mode: objdump names them, the decoder does not believe in them. */
static bool may_be_refused(const char *text)
{
	static const char *const names[] = { "(bad)", "in ", "out ", "ins", "outs", "iret", "cli", "sti",
		"wrmsr", "rdmsr", "rdpmc", "sys", "lret", "rex", "hlt", "int1", "clts", "invd", "wbinvd",
		".byte", "xlat", "mov    %cr", "mov    %db", "vmcall", "loadall", "rsm", "getsec", "lcall",
		"ljmp", "lss", "lfs", "lgs", "xstore", "repz xstore", "clzero", "ud0" };

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		if (strncmp(text, names[k], strlen(names[k])) == 0)
			return true;
	}
	return strstr(text, "(bad)") || strstr(text, "%?");
}

/* "bnd jmp a0d3 <name+0x3>": the last word before the name. */
static bool printed_target(const char *text, uint64_t *ret)
{
	size_t n = strcspn(text, "<,#\n");
	char *end;

	while (n > 0 && text[n - 1] == ' ')
		n--;
	while (n > 0 && text[n - 1] != ' ')
		n--;
	*ret = strtoull(text + n, &end, 16);
	return end != text + n && n > 0;
}

static void check_target(const struct line *l, const struct arch_insn *i, struct tally *t)
{
	int64_t distance;
	uint64_t to;

	if (!arch_insn_target(i, &distance) || !printed_target(l->text, &to))
		return;
	if (to != l->addr + (uint64_t)distance)
		fail_msg("%lx: %s: target %lx", (unsigned long)l->addr, l->text,
			 (unsigned long)(l->addr + (uint64_t)distance));
	t->branches++;
}

static void check_line(const struct line *l, struct tally *t)
{
	uint8_t padded[48] = { 0 };
	struct arch_insn i;
	bool branches;

	if (l->bytes[0] == 0x9b)
		return; /* objdump prints `fwait` and the next instruction as one */
	memcpy(padded, l->bytes, l->len);
	if (!arch_insn_decode(padded, sizeof(padded), &i)) {
		if (!may_be_refused(l->text))
			fail_msg("%lx: refused: %s", (unsigned long)l->addr, l->text);
		t->refused++;
		return;
	}
	if (i.len != l->len && !may_be_refused(l->text))
		fail_msg("%lx: %s: length %u, not %zu", (unsigned long)l->addr, l->text, i.len, l->len);
	/* Cut short, it must be refused, not guessed. */
	assert_false(arch_insn_decode(padded, i.len - 1u, &i));
	t->good++;
	arch_insn_decode(padded, sizeof(padded), &i);
	assert_int_equal(arch_insn_length(padded, sizeof(padded), &branches), i.len);
	check_target(l, &i, t);
}

static void check_file(const char *path, struct tally *t)
{
	char command[256];
	char *text = NULL;
	size_t room = 0;
	struct line l;
	FILE *f;

	snprintf(command, sizeof(command), "objdump -d -w %s", path);
	f = popen(command, "r");
	assert_non_null(f);
	while (getline(&text, &room, f) > 0) {
		if (parse(text, &l))
			check_line(&l, t);
	}
	free(text);
	assert_int_equal(pclose(f), 0);
}

static void same_lengths_as_objdump(void **state)
{
	struct tally t = { 0 };

	(void)state;
	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	for (size_t k = 0; k < sizeof(subjects) / sizeof(*subjects); k++) {
		if (access(subjects[k], R_OK) == 0)
			check_file(subjects[k], &t);
	}
	print_message("%lu instructions, %lu branches, %lu refused\n", t.good, t.branches, t.refused);
	assert_true(t.good > 100000);
	assert_true(t.refused < t.good / 1000);
}

/* Every decode of any bytes at the end of a page stops at its end. */
static void reads_no_byte_too_many(void **state)
{
	uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t seed = 1;
	struct arch_insn i;

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(mprotect(page + 4096, 4096, PROT_NONE), 0);
	for (unsigned round = 0; round < 300000; round++) {
		size_t avail = round % 17;
		uint8_t *p = page + 4096 - avail;

		for (size_t k = 0; k < avail; k++) {
			seed = seed * 1664525u + 1013904223u;
			p[k] = (uint8_t)(seed >> 24);
		}
		if (arch_insn_decode(p, avail, &i))
			assert_in_range(i.len, 1, avail);
	}
	munmap(page, 8192);
}

/* The quick length and the decoder give the same answers for all bytes. */
static void both_lengths_agree(void **state)
{
	uint32_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 3000000; round++) {
		uint8_t p[24];
		bool branches = false;
		size_t avail = round % 4 ? sizeof(p) : round / 4 % 18;
		int64_t distance;
		struct arch_insn i;

		for (size_t k = 0; k < sizeof(p); k += 4) {
			seed = seed * 1664525u + 1013904223u;
			memcpy(p + k, (uint32_t[]){ seed ^ seed >> 15 }, 4);
		}
		if (!arch_insn_decode(p, avail, &i)) {
			assert_int_equal(arch_insn_length(p, avail, &branches), 0);
			continue;
		}
		assert_int_equal(arch_insn_length(p, avail, &branches), i.len);
		assert_int_equal(branches, arch_insn_target(&i, &distance));
	}
}

struct effect {
	const char *text;
	uint8_t bytes[12];
	uint8_t len;
	uint32_t must_write; /* registers, by number */
	uint32_t must_not;
};

#define R(n) (1u << (n))

static const struct effect effects[] = {
	{ "mov $9,%eax", { 0xb8, 9, 0, 0, 0 }, 5, R(0), R(1) | R(8) },
	{ "mov $9,%r8d", { 0x41, 0xb8, 9, 0, 0, 0 }, 6, R(8), R(0) },
	{ "mov %ecx,%r10d", { 0x41, 0x89, 0xca }, 3, R(10), R(0) | R(1) },
	{ "mov (%rsp),%rax", { 0x48, 0x8b, 0x04, 0x24 }, 4, R(0), R(4) },
	{ "mov %rax,(%rsp)", { 0x48, 0x89, 0x04, 0x24 }, 4, 0, R(0) },
	{ "xchg %eax,(%rbx)", { 0x87, 0x03 }, 2, R(0), R(3) },
	{ "cmp $0,%eax", { 0x83, 0xf8, 0x00 }, 3, 0, R(0) },
	{ "mov %cl,%ah", { 0x88, 0xcc }, 2, R(0), R(4) },
	{ "cmpxchg %ecx,(%rdx)", { 0x0f, 0xb1, 0x0a }, 3, R(0), R(1) | R(2) },
	{ "div %r8", { 0x49, 0xf7, 0xf0 }, 3, R(0) | R(2), R(8) },
	{ "call", { 0xe8, 0, 0, 0, 0 }, 5, R(0) | R(1) | R(11), R(3) | R(12) },
	{ "syscall", { 0x0f, 0x05 }, 2, R(0) | R(1) | R(11), R(7) },
	{ "movd %xmm0,%eax", { 0x66, 0x0f, 0x7e, 0xc0 }, 4, R(0), 0 },
	{ "cpuid", { 0x0f, 0xa2 }, 2, R(0) | R(1) | R(2) | R(3), 0 },
	{ "andn (BMI)", { 0xc4, 0xe2, 0x70, 0xf2, 0xc1 }, 5, R(0), 0 },
	{ "pop %r12", { 0x41, 0x5c }, 2, R(12), R(4) },
};

static void knows_what_is_written(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(effects) / sizeof(*effects); k++) {
		const struct effect *e = &effects[k];
		struct arch_insn i;
		uint32_t writes;

		assert_true(arch_insn_decode(e->bytes, e->len, &i));
		assert_int_equal(i.len, e->len);
		writes = arch_insn_writes(&i);
		if ((writes & e->must_write) != e->must_write || writes & e->must_not)
			fail_msg("%s: writes %x", e->text, writes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_lengths_as_objdump),
		cmocka_unit_test(reads_no_byte_too_many),
		cmocka_unit_test(both_lengths_agree),
		cmocka_unit_test(knows_what_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
