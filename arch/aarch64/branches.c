/* SPDX-License-Identifier: MIT */
/* See branches.h. A word of data that looks like a branch only costs a choice. */
#include "branches.h"

static void count_caller(struct arch_function *f, size_t at, bool call)
{
	if (!call) {
		f->jumped_to = true;
		return;
	}
	f->caller = at;
	f->callers++;
}

void arch_branches_callers(struct arch_text text, struct arch_function *f)
{
	f->callers = 0;
	f->jumped_to = false;
	for (size_t at = f->entry % ARCH_INSN_LEN; at + ARCH_INSN_LEN <= text.len; at += ARCH_INSN_LEN) {
		uint32_t w = arch_insn_at(text, at);
		int64_t distance;

		if (arch_insn_target(w, &distance) && at + (size_t)distance == f->entry)
			count_caller(f, at, arch_insn_flow(w) == ARCH_FLOW_CALL);
	}
}

static bool is_elsewhere(void *arg, size_t at, size_t target)
{
	(void)at;
	return target != *(const size_t *)arg;
}

bool arch_branches_lead_to(struct arch_text text, size_t place)
{
	size_t from = place > ARCH_BRANCH_FAR ? place - ARCH_BRANCH_FAR : place % ARCH_INSN_LEN;

	return !arch_walk_branches(text, from, place + ARCH_BRANCH_FAR, is_elsewhere, &place);
}
