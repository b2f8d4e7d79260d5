/* SPDX-License-Identifier: MIT */
/* LD_PRELOAD is given back as the caller had it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "malloc/region.h"

/* The entries in order, joined by blanks. */
static void expect(const char *const *entries, const char *expected)
{
	char text[8][200], *envp[9], got[800] = "";
	size_t n = 0;

	for (; entries[n]; n++)
		envp[n] = strcpy(text[n], entries[n]);
	envp[n] = NULL;
	tpi_preload_forget(envp);
	for (char **e = envp; *e; e++) {
		strcat(got, *e);
		strcat(got, " ");
	}
	assert_string_equal(got, expected);
}

#define ENTRIES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void only_ours(void **state)
{
	(void)state;
	expect(ENTRIES("A=1", "LD_PRELOAD=/usr/lib/libtp-malloc.so", "B=2"), "A=1 B=2 ");
	expect(ENTRIES("LD_PRELOAD=/libtp-malloc.so"), "");
	expect(ENTRIES("A=1", "LD_PRELOAD=/x/libtp-malloc.so"), "A=1 ");
}

static void with_others(void **state)
{
	(void)state;
	expect(ENTRIES("LD_PRELOAD=/x/libtp-malloc.so:/a.so", "B=2"), "LD_PRELOAD=/a.so B=2 ");
	expect(ENTRIES("LD_PRELOAD=/x/libtp-malloc.so:libm.so.6:/a b.so"), "LD_PRELOAD=libm.so.6:/a b.so ");
	expect(ENTRIES("LD_PRELOAD=/x/libtp-malloc.so:/y/libtp-malloc.so"), "LD_PRELOAD=/y/libtp-malloc.so ");
}

static void not_ours(void **state)
{
	(void)state;
	expect(ENTRIES("A=1"), "A=1 ");
	expect(ENTRIES("LD_PRELOAD=", "B="), "LD_PRELOAD= B= ");
	expect(ENTRIES("LD_PRELOAD=/a.so:/x/libtp-malloc.so"), "LD_PRELOAD=/a.so:/x/libtp-malloc.so ");
	expect(ENTRIES("LD_PRELOAD=/x/mylibtp-malloc.so"), "LD_PRELOAD=/x/mylibtp-malloc.so ");
	expect(ENTRIES("XLD_PRELOAD=/x/libtp-malloc.so"), "XLD_PRELOAD=/x/libtp-malloc.so ");
	tpi_preload_forget(NULL);
}

/* As a shell may hand it on: more than one entry of that name. */
static void twice(void **state)
{
	(void)state;
	expect(ENTRIES("LD_PRELOAD=/x/libtp-malloc.so", "A=1", "LD_PRELOAD=/x/libtp-malloc.so:/a.so"), "A=1 LD_PRELOAD=/a.so ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_ours),
		cmocka_unit_test(with_others),
		cmocka_unit_test(not_ours),
		cmocka_unit_test(twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
