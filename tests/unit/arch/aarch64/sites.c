/* SPDX-License-Identifier: MIT */
/*
 * The scan for system calls: one test for each shape of code, as words; what replaces them; then words that are no code.
 * Nothing of it runs here, so it is tested on other processors as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "insn.h"
#include "marks.h"
#include "sites.h"
#include "stub.h"
#include "tp/abi/layout.h"

#define SVC	     0xd4000001u
#define NOP	     0xd503201fu
#define RET	     0xd65f03c0u
#define MOV_X8(n)    (0xd2800008u | (uint32_t)(n) << 5)
#define MOV_W20(n)   (0x52800014u | (uint32_t)(n) << 5)
#define MOV_X8_X20   0xaa1403e8u
#define MOV_W8_W0    0x2a0003e8u
#define MOV_X0_0     0xd2800000u
#define B(words)     (0x14000000u | ((uint32_t)(words) & 0x3ffffff))
#define BL(words)    (0x94000000u | ((uint32_t)(words) & 0x3ffffff))
#define CBZ_X0(words) (0xb4000000u | ((uint32_t)(words) & 0x7ffff) << 5)
#define ADRP_X0	     0x90000000u
#define LDRSW_X8     0xb9800068u /* ldrsw x8, [x3] */

enum { OPENAT = 56, READLINKAT = 78, MUNMAP = 215, MMAP = 222, GETPID = 172 };

#define SCAN(words, out, max) scan(words, sizeof(words), out, max)

static struct arch_scan_result last;

static size_t scan(const uint32_t *words, size_t len, struct arch_site *out, size_t max)
{
	struct arch_scan_opts o = { .want_generic = false };

	arch_scan_want_routed(&o);
	return arch_sites_scan((const uint8_t *)words, len, &o, out, max, &last);
}

static void assert_site(const struct arch_site *s, unsigned kind, int nr, size_t off, size_t call)
{
	assert_int_equal(s->kind, kind);
	assert_int_equal(s->nr, nr);
	assert_int_equal(s->off, off * 4);
	assert_int_equal(s->call, call * 4);
	assert_int_equal(s->len, 4);
}

static void replaces_the_call(void **state)
{
	static const uint32_t code[] = { NOP, MOV_X8(MMAP), SVC, RET };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(code, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, MMAP, 2, 2);
	assert_int_equal(s[0].resume, 3 * 4);
	assert_int_equal(last.calls, 1);
	assert_int_equal(last.stuck, 0);
}

static void finds_a_number_that_was_put_there_earlier(void **state)
{
	static const uint32_t code[] = { NOP, MOV_X8(READLINKAT), MOV_X0_0, MOV_X0_0, MOV_X0_0, MOV_X0_0, SVC, RET };
	static const uint32_t copied[] = { NOP, MOV_W20(MUNMAP), NOP, MOV_X8_X20, SVC, RET };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(code, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, READLINKAT, 6, 6);
	assert_int_equal(SCAN(copied, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, MUNMAP, 4, 4);
}

static void leaves_other_calls_alone(void **state)
{
	static const uint32_t code[] = { NOP, MOV_X8(GETPID), SVC, RET, NOP, NOP };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(code, s, 2), 0);
	assert_int_equal(last.calls, 1);
}

/* The unwinder must find its way from a cancelled open: the call stays where it is. */
static void keeps_the_call_of_a_cancellation_point(void **state)
{
	static const uint32_t code[] = { NOP, NOP, MOV_X8(OPENAT), SVC, RET };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(code, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_KEEP, OPENAT, 2, 3);
	assert_int_equal(s[0].resume, 4 * 4);
	assert_int_equal(s[0].pre_len, 4);
	assert_memory_equal(s[0].pre, &code[2], 4);
}

/* A branch to the call would go round a stub before it; adrp would point elsewhere in one. */
static void replaces_it_where_it_cannot_be_kept(void **state)
{
	static const uint32_t entered[] = { CBZ_X0(3), NOP, MOV_X8(OPENAT), SVC, RET };
	static const uint32_t relative[] = { NOP, MOV_X8(OPENAT), ADRP_X0, SVC, RET };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(entered, s, 2), 1);
	assert_int_equal(s[0].kind, ARCH_SITE_CALL);
	assert_int_equal(SCAN(relative, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, OPENAT, 3, 3);
}

static void assert_generic(const uint32_t *code, size_t len, size_t call)
{
	struct arch_site s[2];

	assert_int_equal(scan(code, len, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_CALL, ARCH_NR_UNKNOWN, call, call);
}

/* What is not proved is decided at run time: a number from a caller, from memory, from before a call, from two ways. */
static void leaves_doubt_to_the_stub(void **state)
{
	static const uint32_t from_caller[] = { NOP, MOV_W8_W0, MOV_X0_0, SVC, RET };
	static const uint32_t from_memory[] = { NOP, LDRSW_X8, SVC, RET };
	static const uint32_t from_before_a_call[] = { NOP, MOV_X8(GETPID), BL(100), SVC, RET };
	static const uint32_t from_two_ways[] = { NOP, MOV_X8(MMAP), B(2), MOV_X8(GETPID), SVC, RET };
	static const uint32_t joined[] = { CBZ_X0(3), NOP, MOV_X8(GETPID), NOP, SVC, RET };

	(void)state;
	assert_generic(from_caller, sizeof(from_caller), 3);
	assert_generic(from_memory, sizeof(from_memory), 2);
	assert_generic(from_before_a_call, sizeof(from_before_a_call), 3);
	assert_generic(from_two_ways, sizeof(from_two_ways), 4);
	assert_generic(joined, sizeof(joined), 4);
}

/* Data in a text looks like a call by chance: what is around it must look like code, too. */
static void takes_no_data_for_a_call(void **state)
{
	static const uint32_t zeros[] = { 0, 0, 0, 0, SVC, 0, 0, 0 };
	static const uint32_t text[] = { 0x6e206f6e, 0x20746f6e, 0x00000a21, SVC, 0x00000001, 0 };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(zeros, s, 2), 0);
	assert_int_equal(SCAN(text, s, 2), 0);
	assert_int_equal(last.calls, 0);
}

#define CP_FUNCTION                                                                                                     \
	0xb9400000u, 0x35000100u + 0x40u, 0xaa0103e8u, 0xaa0203e0u, 0xaa0303e1u, 0xaa0403e2u, 0xaa0503e3u, 0xaa0603e4u,     \
		0xaa0703e5u, SVC, RET, B(20)
#define BTI_C 0xd503245fu

static void bridges_the_function_at_cancellation_points(void **state)
{
	static const uint32_t musl[] = { NOP, BL(3), RET, NOP, CP_FUNCTION };
	static const uint32_t guarded[] = { NOP, BL(2), RET, BTI_C, CP_FUNCTION };
	static const uint32_t called_twice[] = { BL(4), BL(3), RET, NOP, CP_FUNCTION };
	static const uint32_t jumped_to[] = { NOP, BL(3), RET, B(1), CP_FUNCTION };
	struct arch_site s[2];

	(void)state;
	assert_int_equal(SCAN(musl, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_BRIDGE, ARCH_NR_UNKNOWN, 1, 13);
	assert_int_equal(s[0].resume, 4 * 4);
	assert_int_equal(SCAN(guarded, s, 2), 1);
	assert_site(&s[0], ARCH_SITE_BRIDGE, ARCH_NR_UNKNOWN, 1, 13);
	assert_int_equal(s[0].resume, 3 * 4);
	assert_int_equal(SCAN(called_twice, s, 2), 1);
	assert_int_equal(s[0].kind, ARCH_SITE_CALL);
	assert_int_equal(SCAN(jumped_to, s, 2), 1);
	assert_int_equal(s[0].kind, ARCH_SITE_CALL);
}

static void counts_what_has_no_room(void **state)
{
	static const uint32_t code[] = { NOP, MOV_X8(MMAP), SVC, RET, NOP, MOV_X8(MMAP), SVC, RET };
	struct arch_site s[1];

	(void)state;
	assert_int_equal(SCAN(code, s, 1), 2);
	assert_int_equal(last.stuck, 1);
}

/* The search over blocks of 64 bytes must find each place in them, and the rest behind the last whole one. */
static void finds_calls_at_every_place(void **state)
{
	uint32_t code[50];
	struct arch_site s[2];

	(void)state;
	for (size_t at = 5; at < 49; at++) {
		for (size_t k = 0; k < 50; k++)
			code[k] = NOP;
		code[at - 1] = MOV_X8(MMAP);
		code[at] = SVC;
		assert_int_equal(SCAN(code, s, 2), 1);
		assert_site(&s[0], ARCH_SITE_CALL, MMAP, at, at);
	}
	assert_int_equal(arch_find_calls((const uint8_t *)code, 0), 0);
}

/* What the stub's words do, as far as a reader of branches can tell. */
struct stub {
	uint32_t w[ARCH_STUB_MAX / 4];
	uint64_t at, n;
};

#define TEXT  UINT64_C(0x203280b60000)
#define ENTRY UINT64_C(0xffff92c41240)

static struct stub stub_of(const struct arch_site *s, uint64_t at, uint64_t control)
{
	struct stub b = { .at = at };

	b.n = arch_stub_write((uint8_t *)b.w, at, s, TEXT, control, ENTRY);
	return b;
}

static unsigned branches_to(const struct stub *b, uint64_t to)
{
	unsigned n = 0;

	for (uint64_t k = 0; k < ARCH_STUB_MAX / 4 - 4; k++) {
		int64_t distance;

		n += arch_insn_target(b->w[k], &distance) && b->at + 4 * k + (uint64_t)distance == to;
	}
	return n;
}

static bool has(const struct stub *b, uint32_t w)
{
	for (uint64_t k = 0; k < ARCH_STUB_MAX / 4 - 4; k++) {
		if (b->w[k] == w)
			return true;
	}
	return false;
}

static uint64_t literal(const struct stub *b, unsigned k)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)b->w + ARCH_STUB_MAX - 16 + 8 * k, 8);
	return v;
}

static void a_stub_comes_back_behind_the_call(void **state)
{
	const struct arch_site s = { .off = 0x1000, .call = 0x1000, .resume = 0x1004, .nr = MMAP, .kind = ARCH_SITE_CALL, .len = 4 };
	struct stub b = stub_of(&s, TEXT + 0x1b0000, 0x203000000000);

	(void)state;
	assert_int_equal(b.n, ARCH_STUB_MAX);
	assert_int_equal(branches_to(&b, TEXT + 0x1004), 2); /* answered, and made by the stub */
	assert_true(has(&b, SVC));
	assert_int_equal(literal(&b, 0), ENTRY);
	assert_int_equal(literal(&b, 1), 0x203000000000);
}

static void a_stub_goes_back_to_a_call_that_stays(void **state)
{
	const struct arch_site s = { .off = 0xffc, .call = 0x1000, .resume = 0x1004, .nr = OPENAT, .kind = ARCH_SITE_KEEP, .len = 4,
				     .pre_len = 4, .pre = { 0x08, 0x07, 0x80, 0xd2 } };
	struct stub b = stub_of(&s, TEXT + 0x1b0000, 0);

	(void)state;
	assert_int_equal(b.w[0], MOV_X8(OPENAT));
	assert_int_equal(branches_to(&b, TEXT + 0x1004), 1);
	assert_int_equal(branches_to(&b, TEXT + 0x1000), 1);
	assert_false(has(&b, SVC));
}

static void a_bridge_goes_through_the_whole_function(void **state)
{
	const struct arch_site s = { .off = 0x2000, .call = 0x1024, .resume = 0x1000, .nr = -1, .kind = ARCH_SITE_BRIDGE, .len = 4 };
	struct stub b = stub_of(&s, TEXT + 0x1b0000, 0);

	(void)state;
	assert_int_equal(branches_to(&b, TEXT + 0x1000), 1);
	assert_true(has(&b, RET));
	assert_false(has(&b, SVC));
}

static void a_site_becomes_one_branch(void **state)
{
	struct arch_site s = { .off = 0x1000, .call = 0x1000, .resume = 0x1004, .nr = MMAP, .kind = ARCH_SITE_CALL, .len = 4 };
	uint32_t w = 0;

	(void)state;
	arch_site_redirect((uint8_t *)&w, &s, TEXT, TEXT + 0x1000 + 0x80);
	assert_int_equal(w, 0x14000020);
	arch_site_redirect((uint8_t *)&w, &s, TEXT, TEXT + 0x1000 - 4);
	assert_int_equal(w, 0x17ffffff);
	s.kind = ARCH_SITE_BRIDGE;
	arch_site_redirect((uint8_t *)&w, &s, TEXT, TEXT + 0x1000 + 0x80);
	assert_int_equal(w, 0x94000020);
}

/* 128 MiB either way, to the byte; a stub that is closer than ARCH_STUB_REACH is close enough. */
static void what_is_too_far_is_refused(void **state)
{
	const struct arch_site s = { .off = 0x1000, .call = 0x1000, .resume = 0x1004, .nr = MMAP, .kind = ARCH_SITE_CALL, .len = 4 };

	(void)state;
	assert_int_not_equal(arch_insn_branch(ARCH_INSN_B, 0x10000000, 0x17fffffc), 0);
	assert_int_equal(arch_insn_branch(ARCH_INSN_B, 0x10000000, 0x18000000), 0);
	assert_int_not_equal(arch_insn_branch(ARCH_INSN_B, 0x10000000, 0x08000000), 0);
	assert_int_equal(arch_insn_branch(ARCH_INSN_B, 0x10000000, 0x07fffffc), 0);
	assert_int_equal(arch_insn_branch(ARCH_INSN_B, 0x10000000, 0x10000002), 0);
	assert_int_equal(stub_of(&s, TEXT + ARCH_STUB_REACH - ARCH_STUB_MAX, 0).n, ARCH_STUB_MAX);
	assert_int_equal(stub_of(&s, TEXT + 0x1000 - ARCH_STUB_REACH, 0).n, ARCH_STUB_MAX);
	assert_int_equal(stub_of(&s, TEXT + 0x9000000, 0).n, 0);
	assert_int_equal(stub_of(&s, TEXT - 0x9000000, 0).n, 0);
}

/* A shared stub finds the control block from its own address: and x16, x16, #-TP_UNIT_SIZE. */
static void a_shared_stub_clears_the_right_bits(void **state)
{
	const struct arch_site s = { .off = 0, .call = 0, .resume = 4, .nr = MMAP, .kind = ARCH_SITE_CALL, .len = 4 };
	struct stub b = stub_of(&s, TEXT + 0x1b0000, 0);
	unsigned ones = 64 - TP_UNIT_SHIFT;

	(void)state;
	assert_int_equal(b.w[2], 0x10000010); /* adr x16, . */
	assert_int_equal(b.w[3] & 0xff800000, 0x92000000);
	assert_int_equal(b.w[3] & 0x3ff, 16 << 5 | 16);
	assert_int_equal(b.w[3] >> 22 & 1, 1);		/* N: an element of 64 bits */
	assert_int_equal(b.w[3] >> 10 & 63, ones - 1);	/* imms: so many ones */
	assert_int_equal(b.w[3] >> 16 & 63, ones);	/* immr: rotated right, to the top */
}

/* Any words at all: no crash, no over-read, and every site that is found is a call. */
static void survives_noise(void **state)
{
	uint32_t code[256];
	struct arch_site s[64];

	(void)state;
	srand(4);
	for (int round = 0; round < 20000; round++) {
		size_t len = 1 + (size_t)rand() % 256, n;

		for (size_t k = 0; k < len; k++)
			code[k] = rand() % 8 ? (uint32_t)rand() << 16 ^ (uint32_t)rand() : SVC;
		n = scan(code, len * 4 - (size_t)rand() % 4, s, 64);
		for (size_t k = 0; k < n && k < 64; k++)
			assert_int_equal(code[s[k].call / 4], SVC);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaces_the_call),
		cmocka_unit_test(finds_a_number_that_was_put_there_earlier),
		cmocka_unit_test(leaves_other_calls_alone),
		cmocka_unit_test(keeps_the_call_of_a_cancellation_point),
		cmocka_unit_test(replaces_it_where_it_cannot_be_kept),
		cmocka_unit_test(leaves_doubt_to_the_stub),
		cmocka_unit_test(takes_no_data_for_a_call),
		cmocka_unit_test(bridges_the_function_at_cancellation_points),
		cmocka_unit_test(counts_what_has_no_room),
		cmocka_unit_test(finds_calls_at_every_place),
		cmocka_unit_test(a_stub_comes_back_behind_the_call),
		cmocka_unit_test(a_stub_goes_back_to_a_call_that_stays),
		cmocka_unit_test(a_bridge_goes_through_the_whole_function),
		cmocka_unit_test(a_site_becomes_one_branch),
		cmocka_unit_test(what_is_too_far_is_refused),
		cmocka_unit_test(a_shared_stub_clears_the_right_bits),
		cmocka_unit_test(survives_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
