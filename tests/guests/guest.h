/* SPDX-License-Identifier: MIT */
/*
 * What the guests share. A guest is an ordinary program with one purpose that knows nothing of
 * tprun: every test runs it natively, too, and what it prints must be the same in both runs.
 */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A failed check ends the guest with a status that no test expects. */
#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: check failed: %s (%s)\n", __FILE__, __LINE__, \
				#cond, strerror(errno)); \
			exit(99); \
		} \
	} while (0)

/* Fill and verify memory with a pattern that depends on the address, so that a block which two
 * programs were given at once is noticed by both. */
static inline unsigned char guest_byte(const void *p, unsigned seed)
{
	unsigned long a = (unsigned long)p;

	return (unsigned char)((a >> 4) * 31 + seed);
}

static inline void guest_fill(void *p, size_t n, unsigned seed)
{
	memset(p, guest_byte(p, seed), n);
}

static inline int guest_intact(const void *p, size_t n, unsigned seed)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		if (b[i] != guest_byte(p, seed))
			return 0;
	return 1;
}
