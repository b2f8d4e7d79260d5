/* SPDX-License-Identifier: MIT */
/* Block copies without vector registers: one instruction that every x86_64 of the last decade does by the cache line. */
#pragma once

#include <stddef.h>

static inline void arch_copy(void *dst, const void *src, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
}

static inline void arch_fill(void *dst, int c, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(dst), "+c"(n) : "a"(c) : "memory");
}
