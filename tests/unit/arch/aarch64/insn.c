/* SPDX-License-Identifier: MIT */
/*
 * The instruction decoder against objdump: every instruction of real code is code, every direct branch has the same target,
 * and every register that the text says is written may be written. Then single instructions, each way round.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "insn.h"
#include "subjects.h"

struct line {
	uint64_t addr;
	uint32_t w;
	char name[24];
	const char *operands;
};

struct tally {
	unsigned long good, branches, writes;
};

static const char *objdump(void)
{
	static const char *const names[] = { "aarch64-linux-gnu-objdump", "objdump" };
	char command[96];

	for (int k = 0; k < 2; k++) {
		snprintf(command, sizeof(command), "%s -i 2>/dev/null | grep -q '^elf64-littleaarch64$'", names[k]);
		if (system(command) == 0)
			return names[k];
	}
	return NULL;
}

/* "   1b858:\td4000001 \tsvc\t#0x0" */
static bool parse(char *s, struct line *l)
{
	char *end;
	size_t n;

	l->addr = strtoull(s, &end, 16);
	if (end == s || *end != ':' || end[1] != '\t')
		return false;
	l->w = (uint32_t)strtoul(end + 2, &end, 16);
	if (end[0] != ' ' || end[1] != '\t')
		return false;
	n = strcspn(end + 2, "\t\n");
	snprintf(l->name, sizeof(l->name), "%.*s", (int)n, end + 2);
	l->operands = end[2 + n] == '\t' ? end + 3 + n : "";
	s = strstr(l->operands, "//");
	if (s)
		*s = '\0';
	return l->name[0] != '.' && strcmp(l->name, "udf") != 0;
}

static bool starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (starts(name, names[k]))
			return true;
	}
	return false;
}

/* The number of the general register that a text begins with, or -1; 31: sp. */
static int register_at(const char *s)
{
	if ((s[0] == 'x' || s[0] == 'w') && isdigit((unsigned char)s[1]))
		return atoi(s + 1);
	return starts(s, "sp") ? 31 : -1;
}

static const char *next_operand(const char *s)
{
	s = strchr(s, ',');
	return s ? s + 2 : "";
}

/* Of what objdump prints: these have no register to write first. */
static bool writes_first(const char *name)
{
	static const char *const none[] = { "st", "cmp", "cmn", "tst", "ccm", "b", "cb", "tb", "ret", "prfm", "prfum", "msr", "svc", "nop",
					    "d", "isb", "hint", "pac", "aut", "xpac", "yield", "clrex", "ic", "at", "sys", "fcmp",
					    "fccmp", "sb", "csdb", "tlbi", "rmif", "setf", "ld1", "ld2", "ld3", "ld4" };

	return !is_one_of(name, none, sizeof(none) / sizeof(*none));
}

static void must_write(const struct line *l, int reg, struct tally *t)
{
	if (reg < 0)
		return;
	t->writes++;
	if (!(arch_insn_writes(l->w) >> reg & 1))
		fail_msg("%lx: %08x %s %s: register %d is not written", (unsigned long)l->addr, l->w, l->name, l->operands, reg);
}

static void check_writes(const struct line *l, struct tally *t)
{
	const char *base = strchr(l->operands, '[');

	/* Atomics: `ldadd x0, x1, [x2]` and `swp` give the old value in the second. */
	if (starts(l->name, "swp") || starts(l->name, "ldadd") || starts(l->name, "ldset") || starts(l->name, "ldclr") ||
	    starts(l->name, "ldeor"))
		must_write(l, register_at(next_operand(l->operands)), t);
	else if (writes_first(l->name))
		must_write(l, register_at(l->operands), t);
	if (starts(l->name, "ldp") || starts(l->name, "ldxp") || starts(l->name, "ldaxp") || starts(l->name, "ldnp"))
		must_write(l, register_at(next_operand(l->operands)), t);
	if (starts(l->name, "stxr") || starts(l->name, "stlxr") || starts(l->name, "stxp"))
		must_write(l, register_at(l->operands), t);
	if (base && (strstr(base, "]!") || strstr(base, "], ")) && !starts(l->name, "prf"))
		must_write(l, register_at(base + 1), t);
}

static enum arch_insn_flow printed_flow(const char *name)
{
	if (strcmp(name, "bl") == 0 || starts(name, "blr"))
		return ARCH_FLOW_CALL;
	if (strcmp(name, "b") == 0)
		return ARCH_FLOW_JUMP;
	if (starts(name, "b.") || starts(name, "cb") || starts(name, "tbz") || starts(name, "tbnz"))
		return ARCH_FLOW_BRANCH;
	if (starts(name, "ret") || starts(name, "br") || starts(name, "hlt"))
		return ARCH_FLOW_STOP;
	return ARCH_FLOW_NEXT;
}

/* "x0, 1b858 <name+0x4>", or without the name */
static void check_target(const struct line *l, struct tally *t)
{
	const char *s = l->operands;
	int64_t distance;

	if (!arch_insn_target(l->w, &distance)) {
		assert_true(printed_flow(l->name) != ARCH_FLOW_JUMP && printed_flow(l->name) != ARCH_FLOW_BRANCH);
		return;
	}
	while (strchr(s, ',') && (!strchr(s, '<') || strchr(s, ',') < strchr(s, '<')))
		s = next_operand(s);
	if (strtoull(s, NULL, 16) != l->addr + (uint64_t)distance)
		fail_msg("%lx: %s %s: target %lx", (unsigned long)l->addr, l->name, l->operands,
			 (unsigned long)(l->addr + (uint64_t)distance));
	t->branches++;
}

static void check_line(const struct line *l, struct tally *t)
{
	if (!arch_insn_is_code(l->w))
		fail_msg("%lx: %08x %s: taken for data", (unsigned long)l->addr, l->w, l->name);
	if (arch_insn_flow(l->w) != printed_flow(l->name))
		fail_msg("%lx: %08x %s %s: flow %d", (unsigned long)l->addr, l->w, l->name, l->operands, arch_insn_flow(l->w));
	check_target(l, t);
	check_writes(l, t);
	t->good++;
}

static void check_file(const char *path, struct tally *t)
{
	char command[1200], *text = NULL;
	size_t room = 0;
	struct line l;
	FILE *f;

	snprintf(command, sizeof(command), "%s -d -w %s", objdump(), path);
	f = popen(command, "r");
	assert_non_null(f);
	while (getline(&text, &room, f) > 0) {
		if (parse(text, &l))
			check_line(&l, t);
	}
	free(text);
	assert_int_equal(pclose(f), 0);
}

static void agrees_with_objdump(void **state)
{
	struct tally t = { 0 };
	char path[1024];

	(void)state;
	if (!objdump() || !subject(LIBC, path, sizeof(path)))
		skip();
	for (int k = 0; k < SUBJECTS; k++) {
		if (subject(k, path, sizeof(path)))
			check_file(path, &t);
	}
	print_message("%lu instructions, %lu branches, %lu writes\n", t.good, t.branches, t.writes);
	assert_true(t.good > 100000);
}

#define R(n) (UINT32_C(1) << (n))

/* What a proof must not lose, so that a number stays proved. */
static void unconcerned_registers_stay(void **state)
{
	static const struct {
		uint32_t w, may;
		const char *text;
	} effects[] = {
		{ 0xd2801bc8, R(8), "mov x8, #222" },
		{ 0xf9000fe8, 0, "str x8, [sp, #24]" },
		{ 0xa90123e8, 0, "stp x8, x8, [sp, #16]" },
		{ 0xa9bf23e8, R(31), "stp x8, x8, [sp, #-16]!" },
		{ 0xf94007e0, R(0), "ldr x0, [sp, #8]" },
		{ 0xa94107e0, R(0) | R(1), "ldp x0, x1, [sp, #16]" },
		{ 0x910083e4, R(4), "add x4, sp, #32" },
		{ 0x910003fd, R(29), "mov x29, sp" },
		{ 0xeb00003f, 0, "cmp x1, x0" },
		{ 0xf100001f, 0, "cmp x0, #0" },
		{ 0x93407c00, R(0), "sxtw x0, w0" },
		{ 0xd503201f, R(16) | R(17) | R(30), "nop" },
		{ 0xd53bd043, R(3), "mrs x3, tpidr_el0" },
		{ 0xd5033bbf, 0, "dmb ish" },
		{ 0xd4000001, R(0), "svc #0" },
		{ 0x3d8013e0, 0, "str q0, [sp, #64]" },
		{ 0x3dc013e0, 0, "ldr q0, [sp, #64]" },
		{ 0xb4000040, 0, "cbz x0, .+8" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(effects) / sizeof(*effects); k++) {
		if (arch_insn_writes(effects[k].w) != effects[k].may)
			fail_msg("%s: %08x", effects[k].text, arch_insn_writes(effects[k].w));
	}
	assert_true(arch_insn_writes(0x94000001) >> 8 & 1);  /* bl: x8 is the callee's */
	assert_false(arch_insn_writes(0x94000001) >> 19 & 1); /* x19 is the caller's */
}

static void only_what_is_the_same_everywhere_moves(void **state)
{
	static const uint32_t moves[] = { 0xd2801bc8, 0xaa0003e1, 0xf94007e0, 0xd503201f };
	static const uint32_t stays[] = { 0x90000000, 0x10000000, 0x58000040, 0x1c000040, 0x94000001, 0x14000001,
					  0x54000040, 0xb4000040, 0x37000040, 0xd65f03c0, 0xd61f0200, 0xd4000001, 0 };

	(void)state;
	for (size_t k = 0; k < sizeof(moves) / sizeof(*moves); k++)
		assert_true(arch_insn_can_move(moves[k]));
	for (size_t k = 0; k < sizeof(stays) / sizeof(*stays); k++)
		assert_false(arch_insn_can_move(stays[k]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_objdump),
		cmocka_unit_test(unconcerned_registers_stay),
		cmocka_unit_test(only_what_is_the_same_everywhere_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
