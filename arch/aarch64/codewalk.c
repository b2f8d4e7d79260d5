/* SPDX-License-Identifier: MIT */
/*
 * See codewalk.h. Nothing here trusts the bytes: a walk over data gives fewer proofs, no over-read.
 */
#include "codewalk.h"

#define AROUND 4 /* words on either side */

bool arch_walk_is_code(struct arch_text t, size_t place)
{
	size_t from = place > AROUND * ARCH_INSN_LEN ? place - AROUND * ARCH_INSN_LEN : place % ARCH_INSN_LEN;

	for (size_t at = from; at <= place + ARCH_INSN_LEN && at + ARCH_INSN_LEN <= t.len; at += ARCH_INSN_LEN) {
		/* Zeros may stand between functions; a text may end behind the call. */
		if (!arch_insn_is_code(arch_insn_at(t, at)) && (at > place || place - at <= ARCH_INSN_LEN))
			return false;
	}
	return true;
}

bool arch_walk_branches(struct arch_text t, size_t from, size_t to, bool (*seen)(void *arg, size_t at, size_t target),
			void *arg)
{
	for (size_t at = from; at < to && at + ARCH_INSN_LEN <= t.len; at += ARCH_INSN_LEN) {
		int64_t distance, target;

		if (!arch_insn_target(arch_insn_at(t, at), &distance))
			continue;
		target = (int64_t)at + distance;
		if (target >= 0 && (size_t)target < t.len && !seen(arg, at, (size_t)target))
			return false;
	}
	return true;
}
