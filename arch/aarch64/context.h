/* SPDX-License-Identifier: MIT */
/* The registers of a routed call, as enter.S leaves them on the program's stack. */
#pragma once

#include <stdint.h>

struct arch_frame {
	uint64_t arg[6]; /* in system-call order */
	uint64_t nr;     /* on ARCH_ROUTE_SWITCH: the new stack pointer */
	uint64_t done;   /* where the stub goes on */
};

/* What the routine tells enter.S to do. */
enum arch_verdict {
	ARCH_ROUTE_DONE = 0,   /* the result is final */
	ARCH_ROUTE_RAW = 1,    /* let the stub execute the call itself, with the registers of the frame */
	ARCH_ROUTE_SWITCH = 2, /* final, and go on with the stack pointer in frame.nr */
};

struct arch_outcome {
	int64_t result;
	uint64_t verdict; /* enum arch_verdict */
};
