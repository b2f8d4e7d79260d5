/* SPDX-License-Identifier: MIT */
/* For assembly and C: what a stub keeps on the stack while the routine runs (see stub.c). */
#pragma once

#define ARCH_STUB_SAVED 32
