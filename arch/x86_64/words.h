/* SPDX-License-Identifier: MIT */
/*
 * Eight bytes at a time, for scans that must not use vector registers.
 */
#pragma once

#include <stdint.h>

struct arch_word {
	uint64_t v;
} __attribute__((packed, may_alias));

struct arch_half {
	uint32_t v;
} __attribute__((packed, may_alias));

#define ARCH_EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

static inline uint64_t arch_word_at(const uint8_t *p)
{
	return ((const struct arch_word *)(const void *)p)->v;
}

static inline uint32_t arch_half_at(const uint8_t *p)
{
	return ((const struct arch_half *)(const void *)p)->v;
}

/*
 * The top bit of each byte that is zero. Bytes above a zero one may be marked by mistake, so hits
 * are looked at again; no zero byte is missed.
 */
static inline uint64_t arch_zero_bytes(uint64_t v)
{
	return (v - ARCH_EACH_BYTE(0x01)) & ~v & ARCH_EACH_BYTE(0x80);
}

/* Index of the first marked byte; the marks must not be 0. */
static inline unsigned arch_first_byte(uint64_t marks)
{
	return (unsigned)__builtin_ctzll(marks) / 8;
}
