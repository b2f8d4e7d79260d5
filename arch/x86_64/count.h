/* SPDX-License-Identifier: MIT */
/*
 * A counter that one thread changes and others may read: one instruction, not locked. A thread that is killed has counted or has not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline void arch_count_up(int32_t *n)
{
	__asm__("addl $1, %0" : "+m"(*n) : : "cc");
}

/* Return: has it become 0? */
static inline bool arch_count_down(int32_t *n)
{
	bool zero;

	__asm__("subl $1, %0" : "+m"(*n), "=@ccz"(zero));
	return zero;
}
