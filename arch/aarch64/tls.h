/* SPDX-License-Identifier: MIT */
/* The thread pointer and the keys of pointer authentication, as a fresh exec leaves them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "syscall.h"

static inline void arch_start_thread_pointer(void)
{
	enum { PR_PAC_RESET_KEYS_NR = 54 };

	__asm__ volatile("msr tpidr_el0, xzr");
	arch_syscall6(ARCH_NR_prctl, PR_PAC_RESET_KEYS_NR, 0, 0, 0, 0, 0);
}

/* What tells threads of one address space apart. */
static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("mrs %0, tpidr_el0" : "=r"(tp));
	return tp;
}

static inline bool arch_is_thread_pointer(uintptr_t value)
{
	return arch_thread_pointer() == value;
}
