/* SPDX-License-Identifier: MIT */
/* Tells the processor that this is a loop which waits for another one. */
#pragma once

static inline void arch_relax(void)
{
	__asm__ volatile("pause" ::: "memory");
}
