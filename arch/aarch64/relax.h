/* SPDX-License-Identifier: MIT */
/* Tells the processor that this is a loop which waits for another one: `isb` takes about as long as x86's pause, `yield` does nothing on most. */
#pragma once

static inline void arch_relax(void)
{
	__asm__ volatile("isb" ::: "memory");
}
