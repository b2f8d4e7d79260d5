/* SPDX-License-Identifier: MIT */
/* The thread pointer, as a fresh exec leaves it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "syscall.h"

static inline void arch_start_thread_pointer(void)
{
	enum { ARCH_SET_FS_NR = 0x1002 };

	arch_syscall3(ARCH_NR_arch_prctl, ARCH_SET_FS_NR, 0, 0);
}

/* What tells threads of one address space apart. */
static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("mov %%fs:0, %0" : "=r"(tp));
	return tp;
}

static inline bool arch_is_thread_pointer(uintptr_t value)
{
	bool is;

	__asm__("cmp %%fs:0, %1" : "=@ccz"(is) : "r"(value));
	return is;
}
