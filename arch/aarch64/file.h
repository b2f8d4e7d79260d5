/* SPDX-License-Identifier: MIT */
/* The kernel's struct stat, as far as it is used, and flags of openat that differ between processors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ARCH_O_NOFOLLOW 0100000

struct arch_stat {
	uint64_t words[18]; /* the kernel fills 16 */
};

static inline uint64_t arch_stat_size(const struct arch_stat *st)
{
	return st->words[6];
}

/* When content or attributes changed last, in seconds. */
static inline int64_t arch_stat_changed(const struct arch_stat *st)
{
	return (int64_t)st->words[13];
}

/* A regular file of this user that nobody else can open. */
static inline bool arch_stat_private(const struct arch_stat *st, uint32_t uid)
{
	uint32_t mode = (uint32_t)st->words[2];

	return (mode & 0170000) == 0100000 && !(mode & 077) && (uint32_t)st->words[3] == uid;
}
