/* SPDX-License-Identifier: MIT */
/*
 * The scan for system calls: one test for each shape of code, then code that runs after it has been
 * displaced, then bytes that are no code at all.
 */
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
#include "marks.h"
#include "patterns.h"
#include "sites.h"

#define FRONT 64 /* bytes of nops before a pattern's first instruction */
#define PAGE 4096
#define SCAN(name, out, max) scan(name##_begin, name##_end, out, max)

static struct arch_scan_result last;

static size_t scan(const uint8_t *begin, const uint8_t *end, struct arch_site *out, size_t max)
{
	struct arch_scan_opts o = { .want_generic = true };

	arch_scan_want(&o, GETPID);
	return arch_sites_scan(begin, (size_t)(end - begin), &o, out, max, &last);
}

static void assert_site(const struct arch_site *s, unsigned kind, int nr, unsigned off, unsigned pre,
			unsigned post)
{
	assert_int_equal(s->kind, kind);
	assert_int_equal(s->nr, nr);
	assert_int_equal(s->off, FRONT + off);
	assert_int_equal(s->pre_len, pre);
	assert_int_equal(s->post_len, post);
	assert_int_equal(s->len, pre + post + (kind == ARCH_SITE_KEEP ? 0 : 2));
	assert_true(s->len >= 5);
}

static void moves_the_number(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(adjacent, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_KEEP, GETPID, 0, 5, 0);
	assert_int_equal(s[0].pre[0], 0xb8);
	assert_int_equal(s[0].resume, FRONT + 7);
	assert_int_equal(last.calls, 1);
	assert_int_equal(last.stuck, 0);
}

static void moves_the_instruction_before(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(apart, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_KEEP, GETPID, 8, 5, 0);
}

static void moves_the_instruction_after(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(after, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, GETPID, 12, 0, 6);
	assert_memory_equal(s[0].post, "\x48\x3d\x01\xf0\xff\xff", 6);
}

static void leaves_a_generic_call_in_place(void **state)
{
	struct arch_scan_opts none = { .want_generic = false };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(generic, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_KEEP, ARCH_NR_UNKNOWN, 18, 5, 0);
	assert_int_equal(s[0].off + s[0].len, s[0].call);
	assert_int_equal(s[0].resume, s[0].call + 2);
	arch_scan_want(&none, GETPID);
	assert_int_equal(arch_sites_scan(generic_begin, (size_t)(generic_end - generic_begin), &none, s,
					 2, NULL), 0);
}

static void proves_short_encodings(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(pushed, s, 2), 1);
	assert_int_equal(s[0].nr, GETPID);
	assert_int_equal(SCAN(low_byte, s, 2), 1);
	assert_int_equal(s[0].nr, GETPID);
	assert_int_equal(SCAN(copied, s, 2), 1);
	assert_int_equal(s[0].nr, GETPID);
}

static void sees_through_bytes_that_look_like_a_number(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(disguised, s, 2), 1);
	assert_int_equal(s[0].nr, GETPID);
	assert_int_equal(SCAN(disguised_store, s, 2), 1);
	assert_int_equal(s[0].nr, GETPID);
}

static void drops_what_nobody_wants(void **state)
{
	struct arch_scan_opts o = { .want_generic = true };
	struct arch_site s[2];

	(void)state;
	arch_scan_want(&o, 9);
	assert_int_equal(arch_sites_scan(adjacent_begin, (size_t)(adjacent_end - adjacent_begin), &o, s,
					 2, &last), 0);
	assert_int_equal(last.calls, 1);
	assert_int_equal(arch_sites_scan(apart_begin, (size_t)(apart_end - apart_begin), &o, s, 2,
					 &last), 0);
	assert_int_equal(last.calls, 1);
}

static void a_jump_to_the_call_forbids_moving_before(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(joined, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, ARCH_NR_UNKNOWN, 14, 0, 6);
}

static void a_jump_to_the_start_of_a_range_is_fine(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(looped, s, 2), 1);
	assert_int_equal(s[0].kind, ARCH_SITE_CALL);
	assert_site(&s[0], ARCH_SITE_CALL, s[0].nr, 12, 3, 0);
}

static void a_jump_from_far_away_counts(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(far_jump, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, GETPID, 7, 0, 3);
	/* To the instruction before the call: that one may start a range, not be inside of one. */
	assert_int_equal(SCAN(far_branch, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, GETPID, 7, 0, 3);
}

static void constants_are_no_calls(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(false_calls, s, 2), 0);
	assert_int_equal(last.calls, 0);
}

static void a_call_without_room_is_reported(void **state)
{
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(stuck, s, 2), 1);
	assert_int_equal(last.stuck, 1);
	assert_int_equal(s[0].kind, ARCH_SITE_STUCK);
	assert_int_equal(s[0].len, 0);
	assert_int_equal(s[0].nr, GETPID);
}

static void counts_past_the_end_of_the_array(void **state)
{
	uint8_t text[1024];
	size_t len = (size_t)(adjacent_end - adjacent_begin);
	struct arch_site s[3];

	(void)state;
	for (size_t k = 0; k < 5; k++)
		memcpy(text + k * len, adjacent_begin, len);
	memset(s, 0xee, sizeof(s));
	assert_int_equal(scan(text, text + 5 * len, s, 2), 5);
	assert_int_equal(last.stuck, 3);
	assert_true(s[0].off < s[1].off);
	assert_int_equal(((uint8_t *)&s[2])[0], 0xee);
	assert_int_equal(scan(text, text + 5 * len, NULL, 0), 5);
}

static void finds_calls_at_both_ends(void **state)
{
	static const uint8_t whole[] = { 0xb8, GETPID, 0, 0, 0, 0x0f, 0x05 };
	struct arch_site s[1];

	(void)state;
	assert_int_equal(scan(whole, whole + sizeof(whole), s, 1), 1);
	assert_int_equal(s[0].off, 0);
	assert_int_equal(s[0].len, 5);
	assert_int_equal(scan(whole, whole, s, 1), 0);
	assert_int_equal(scan(whole + 5, whole + 7, s, 1), 1);
	assert_int_equal(s[0].kind, ARCH_SITE_STUCK);
}

/* The smallest possible stub: the call itself, made elsewhere. */
static size_t write_stub(uint8_t *stub, uint8_t *text, const struct arch_site *s)
{
	size_t n = 0;
	int32_t back;

	memcpy(stub, s->pre, s->pre_len);
	n += s->pre_len;
	memcpy(stub + n, "\x0f\x05", 2);
	n += 2;
	memcpy(stub + n, s->post, s->post_len);
	n += s->post_len;
	stub[n] = 0xe9;
	back = (int32_t)((text + s->resume) - (stub + n + 5));
	memcpy(stub + n + 1, &back, 4);
	return n + 5;
}

static void redirect(uint8_t *text, const struct arch_site *s, uint8_t *stub)
{
	int32_t to = (int32_t)(stub - (text + s->off + 5));

	memset(text + s->off, 0x90, s->len);
	text[s->off] = 0xe9;
	memcpy(text + s->off + 1, &to, 4);
}

static long run_displaced(const uint8_t *begin, const uint8_t *end, long argument)
{
	uint8_t *text = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct arch_site s;
	long (*entry)(long, ...);
	long result;

	assert_ptr_not_equal(text, MAP_FAILED);
	memcpy(text, begin, (size_t)(end - begin));
	assert_int_equal(scan(text, text + (end - begin), &s, 1), 1);
	assert_int_not_equal(s.kind, ARCH_SITE_STUCK);
	write_stub(text + PAGE, text, &s);
	redirect(text, &s, text + PAGE);
	memcpy(&entry, &text, sizeof(entry));
	result = entry(argument, 0L, 0L, 0L, 0L, 0L);
	munmap(text, 2 * PAGE);
	return result;
}

#define RUN(name, argument) run_displaced(name##_begin, name##_end, argument)

static void displaced_code_does_the_same(void **state)
{
	long pid = getpid();

	(void)state;
	assert_int_equal(RUN(adjacent, 0), pid);
	assert_int_equal(RUN(apart, 0), pid);
	assert_int_equal(RUN(after, 0), pid);
	assert_int_equal(RUN(generic, GETPID), pid);
	assert_int_equal(RUN(pushed, 0), pid);
	assert_int_equal(RUN(low_byte, 0), pid);
	assert_int_equal(RUN(copied, 0), pid);
	assert_int_equal(RUN(popped_return, 0), pid);
	assert_int_equal(RUN(joined, 0), pid);
	assert_int_equal(RUN(looped, 0), pid);
}

static void fill_with_noise(uint8_t *p, size_t len, uint32_t seed)
{
	static const uint8_t rich[] = { 0x0f, 0x05, 0x0f, 0x05, 0xb8, 0xe9, 0xeb, 0x74, 0x48, 0x89, 39, 0,
		0, 0xe8, 0x0f, 0x84 };

	for (size_t k = 0; k < len; k++) {
		seed = seed * 1664525u + 1013904223u;
		p[k] = seed >> 31 ? rich[seed >> 20 & 15] : (uint8_t)(seed >> 16);
	}
}

static void marks_are_those_of_a_plain_look(void **state)
{
	uint8_t text[4 * ARCH_MARK_BYTES + 1];
	uint64_t m[4];

	(void)state;
	for (uint32_t seed = 1; seed < 3000; seed++) {
		fill_with_noise(text, sizeof(text), seed);
		arch_mark_jumps(text, 4, m);
		for (size_t k = 0; k < sizeof(text) - 1; k++) {
			bool jump = (text[k] & 0xfe) == 0xe8 ||
				    (text[k] == 0x0f && (text[k + 1] & 0xf0) == 0x80);

			assert_int_equal(m[k / 64] >> k % 64 & 1, jump);
		}
	}
	memset(m, 0xaa, sizeof(m));
	arch_mark_jumps(text, 0, m);
	assert_int_equal(m[0], UINT64_C(0xaaaaaaaaaaaaaaaa));
}

static void finds_the_first_block_with_a_call(void **state)
{
	uint8_t text[8 * ARCH_MARK_BYTES + 1] = { 0x05 };
	uint64_t calls = 7;

	(void)state;
	assert_int_equal(arch_find_calls(text, 8, &calls), 8);
	assert_int_equal(arch_find_calls(text, 0, &calls), 0);
	assert_int_equal(calls, 7);
	for (size_t k = 0; k < sizeof(text) - 1; k++) {
		memset(text, 0x05, sizeof(text));
		text[k] = 0x0f;
		assert_int_equal(arch_find_calls(text, 8, &calls), k / 64);
		assert_int_equal(calls, UINT64_C(1) << k % 64);
		text[k + 1] = 0x04;
		assert_int_equal(arch_find_calls(text, 8, &calls), 8);
	}
	memset(text, 0x05, sizeof(text));
	for (size_t k = 130; k < 250; k += 3)
		text[k] = 0x0f;
	assert_int_equal(arch_find_calls(text, 8, &calls), 2);
	for (size_t k = 0; k < 64; k++)
		assert_int_equal(calls >> k & 1, text[128 + k] == 0x0f);
}

/* It runs while a program's own values are in the vector registers. */
static void marking_keeps_vector_registers(void **state)
{
	uint8_t before[16][16], after[16][16], text[ARCH_MARK_BYTES + 1];
	uint64_t m;
	const uint8_t *p = text;
	uint64_t *out = &m;
	size_t n = 1;

	(void)state;
	fill_with_noise(&before[0][0], sizeof(before), 5);
	fill_with_noise(text, sizeof(text), 6);
#define LOAD(k) "movups " #k "*16(%[from]), %%xmm" #k "\n"
#define STORE(k) "movups %%xmm" #k ", " #k "*16(%[to])\n"
#define ALL(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) \
	do(14) do(15)
#define CALL(function) \
	p = text; \
	out = &m; \
	n = 1; \
	__asm__ volatile("lea -128(%%rsp), %%rsp\n" ALL(LOAD) "call " function "\n" ALL(STORE) \
			 "lea 128(%%rsp), %%rsp\n" \
			 : "+D"(p), "+S"(n), "+d"(out) \
			 : [from] "r"(before), [to] "r"(after) \
			 : "rax", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", \
			   "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
			   "xmm14", "xmm15", "memory", "cc"); \
	assert_memory_equal(before, after, sizeof(before))

	CALL("arch_mark_jumps");
	CALL("arch_find_calls");
}

static void check_bounds(const struct arch_site *s, size_t len)
{
	assert_true(s->call + 2 <= len);
	if (s->kind == ARCH_SITE_STUCK)
		return;
	assert_true(s->off + s->len <= len);
	assert_true(s->off <= s->call);
	assert_in_range(s->len, 5, 2 + 2 * ARCH_SITE_BYTES);
	assert_true(s->pre_len <= ARCH_SITE_BYTES && s->post_len <= ARCH_SITE_BYTES);
}

/* Noise rich in calls and branches, right before a page that cannot be read, and right behind one. */
static void noise_is_read_within_its_bounds(void **state)
{
	uint8_t *area = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct arch_site s[64];

	(void)state;
	assert_ptr_not_equal(area, MAP_FAILED);
	assert_int_equal(mprotect(area + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	for (unsigned round = 0; round < 4000; round++) {
		size_t len = round % 2 ? round % 40 : round % PAGE;
		uint8_t *text = area + PAGE + (round % 3 ? PAGE - len : 0);
		size_t n;

		fill_with_noise(text, len, round);
		n = scan(text, text + len, s, 64);
		for (size_t k = 0; k < n && k < 64; k++)
			check_bounds(&s[k], len);
	}
	munmap(area, 3 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_the_number),
		cmocka_unit_test(moves_the_instruction_before),
		cmocka_unit_test(moves_the_instruction_after),
		cmocka_unit_test(leaves_a_generic_call_in_place),
		cmocka_unit_test(proves_short_encodings),
		cmocka_unit_test(sees_through_bytes_that_look_like_a_number),
		cmocka_unit_test(drops_what_nobody_wants),
		cmocka_unit_test(a_jump_to_the_call_forbids_moving_before),
		cmocka_unit_test(a_jump_to_the_start_of_a_range_is_fine),
		cmocka_unit_test(a_jump_from_far_away_counts),
		cmocka_unit_test(constants_are_no_calls),
		cmocka_unit_test(a_call_without_room_is_reported),
		cmocka_unit_test(counts_past_the_end_of_the_array),
		cmocka_unit_test(finds_calls_at_both_ends),
		cmocka_unit_test(displaced_code_does_the_same),
		cmocka_unit_test(marks_are_those_of_a_plain_look),
		cmocka_unit_test(finds_the_first_block_with_a_call),
		cmocka_unit_test(marking_keeps_vector_registers),
		cmocka_unit_test(noise_is_read_within_its_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
