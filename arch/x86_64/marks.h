/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ARCH_MARK_BYTES 64 /* bytes of text per struct arch_marks */

/* One bit for each of 64 bytes of text, the first one lowest. */
struct arch_marks {
	uint64_t calls; /* 0f 05 */
	uint64_t jumps; /* e8, e9, 0f 80 to 0f 8f: near calls and jumps */
};

/*
 * Marks n * 64 bytes of text at `p`; one byte more must be readable. In assembly, since it uses vector
 * registers, which the code around it must not: it puts back those that it uses.
 */
void arch_mark(const uint8_t *p, size_t n, struct arch_marks *out);
