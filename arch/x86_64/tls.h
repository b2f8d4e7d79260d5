/* SPDX-License-Identifier: MIT */
/* The thread pointer, as a fresh exec leaves it. */
#pragma once

#include "syscall.h"

static inline void arch_start_thread_pointer(void)
{
	enum { ARCH_SET_FS_NR = 0x1002 };

	arch_syscall3(ARCH_NR_arch_prctl, ARCH_SET_FS_NR, 0, 0);
}
