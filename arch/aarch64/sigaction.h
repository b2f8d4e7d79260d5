/* SPDX-License-Identifier: MIT */
/* struct sigaction as the kernel takes it, and the way back from a handler. */
#pragma once

#include <stdint.h>

struct arch_sigaction {
	uint64_t handler;
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

/* Without it the kernel would use the vDSO's, which a program may have unmapped. */
#define ARCH_SA_RESTORER 0x04000000u

__attribute__((visibility("hidden"))) void arch_sigreturn(void); /* enter.S */
