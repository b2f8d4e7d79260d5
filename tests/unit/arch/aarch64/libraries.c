/* SPDX-License-Identifier: MIT */
/*
 * The scan on Debian 12's libraries, of which a disassembler has told how often each call is in them: in the libc, in ld.so, and in
 * musl, which has a function at cancellation points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf-text.h"
#include "insn.h"
#include "sites.h"
#include "subjects.h"

#define MAX 512
enum { LD_SO = 1, MUSL = 2 };

static struct arch_site sites[MAX];

static size_t scan(int which)
{
	struct arch_scan_opts o = { .want_generic = false };
	struct arch_scan_result r;
	const Elf64_Phdr *text;
	struct elf_file f = { 0 };
	char path[1024];
	size_t n;

	if (!subject(which, path, sizeof(path)))
		skip();
	assert_true(elf_open(path, &f));
	text = elf_text(&f);
	arch_scan_want_routed(&o);
	n = arch_sites_scan(f.p + text->p_offset, text->p_filesz, &o, sites, MAX, &r);
	assert_int_equal(r.stuck, 0);
	for (size_t k = 0; k < n; k++) {
		uint32_t w;

		memcpy(&w, f.p + text->p_offset + sites[k].call, 4);
		assert_int_equal(w, ARCH_INSN_SVC);
		assert_true(k == 0 || sites[k].call > sites[k - 1].call);
	}
	return n;
}

static unsigned of(size_t n, int nr)
{
	unsigned found = 0;

	for (size_t k = 0; k < n; k++)
		found += sites[k].nr == nr;
	return found;
}

struct expected {
	int nr;
	unsigned times;
};

static void assert_times(size_t n, const struct expected *e, size_t m)
{
	for (size_t k = 0; k < m; k++) {
		if (of(n, e[k].nr) != e[k].times)
			fail_msg("call %d: %u sites, not %u", e[k].nr, of(n, e[k].nr), e[k].times);
	}
}

static void all_calls_of_libc(void **state)
{
	static const struct expected e[] = { { 214, 1 }, { 215, 1 }, { 216, 1 }, { 222, 1 }, { 226, 1 }, { 78, 2 },  { 220, 3 },
					     { 134, 2 }, { 196, 1 }, { 197, 1 }, { 221, 1 }, { 281, 2 }, { 167, 1 }, { 230, 1 },
					     { 231, 1 }, { 56, 8 } };
	size_t n = scan(LIBC);

	(void)state;
	assert_times(n, e, sizeof(e) / sizeof(*e));
	assert_in_range(of(n, ARCH_NR_UNKNOWN), 1, 12);
	for (size_t k = 0; k < n; k++)
		assert_int_equal(sites[k].kind, sites[k].nr == 56 ? ARCH_SITE_KEEP : ARCH_SITE_CALL);
}

static void all_calls_of_the_interpreter(void **state)
{
	static const struct expected e[] = { { 214, 1 }, { 215, 1 }, { 222, 1 }, { 226, 1 }, { 78, 1 }, { 134, 2 } };

	(void)state;
	assert_times(scan(LD_SO), e, sizeof(e) / sizeof(*e));
}

static void musl_has_a_bridge(void **state)
{
	static const struct expected e[] = { { 215, 2 }, { 216, 1 }, { 222, 1 }, { 226, 1 }, { 220, 3 } };
	size_t n = scan(MUSL);
	unsigned bridges = 0;

	(void)state;
	assert_times(n, e, sizeof(e) / sizeof(*e));
	for (size_t k = 0; k < n; k++)
		bridges += sites[k].kind == ARCH_SITE_BRIDGE;
	assert_int_equal(bridges, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_calls_of_libc),
		cmocka_unit_test(all_calls_of_the_interpreter),
		cmocka_unit_test(musl_has_a_bridge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
