/* SPDX-License-Identifier: MIT */
/*
 * Unaligned loads that no compiler turns into a call.
 */
#pragma once

#include <stdint.h>

struct arch_word {
	uint64_t v;
} __attribute__((packed, may_alias));

struct arch_half {
	uint32_t v;
} __attribute__((packed, may_alias));

static inline uint64_t arch_word_at(const uint8_t *p)
{
	return ((const struct arch_word *)(const void *)p)->v;
}

static inline uint32_t arch_half_at(const uint8_t *p)
{
	return ((const struct arch_half *)(const void *)p)->v;
}
