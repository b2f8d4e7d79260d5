/* SPDX-License-Identifier: MIT */
/*
 * Block copies without vector registers. Ascending, so that a destination below the source may overlap it. The loads and stores are spelt
 * out, since a compiler would make a call of memcpy out of a loop.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline void arch_copy(void *dst, const void *src, size_t n)
{
	uint64_t a, b;

	for (; n >= 16; n -= 16)
		__asm__ volatile("ldp %0, %1, [%3], #16\n\tstp %0, %1, [%2], #16"
				 : "=&r"(a), "=&r"(b), "+r"(dst), "+r"(src) : : "memory");
	for (; n > 0; n--)
		__asm__ volatile("ldrb %w0, [%2], #1\n\tstrb %w0, [%1], #1" : "=&r"(a), "+r"(dst), "+r"(src) : : "memory");
}

static inline void arch_fill(void *dst, int c, size_t n)
{
	uint64_t v = UINT64_C(0x0101010101010101) * (uint8_t)c;

	for (; n >= 16; n -= 16)
		__asm__ volatile("stp %1, %1, [%0], #16" : "+r"(dst) : "r"(v) : "memory");
	for (; n > 0; n--)
		__asm__ volatile("strb %w1, [%0], #1" : "+r"(dst) : "r"(v) : "memory");
}
