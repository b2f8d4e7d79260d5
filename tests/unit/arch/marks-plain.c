/* SPDX-License-Identifier: MIT */
/* arch/aarch64/marks.S for other processors: there the code scans are tested, too. */
#include "insn.h"
#include "marks.h"
#include "words.h"

size_t arch_find_calls(const uint8_t *p, size_t n)
{
	for (size_t at = 0; at < n * ARCH_MARK_BYTES; at += ARCH_INSN_LEN) {
		if (arch_half_at(p + at) == ARCH_INSN_SVC)
			return at / ARCH_MARK_BYTES;
	}
	return n;
}
