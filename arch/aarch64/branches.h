/* SPDX-License-Identifier: MIT */
#pragma once

#include "codewalk.h"

/* A function whose callers are to be counted. */
struct arch_function {
	size_t entry;     /* SIZE_MAX: none */
	size_t caller;    /* the last call of it that was seen */
	unsigned callers;
	bool jumped_to;   /* entered by a jump, too */
};

/* Counts the callers of `f` in the whole text: calls may come from anywhere. */
void arch_branches_callers(struct arch_text text, struct arch_function *f);

/*
 * Does a direct branch lead to `place`? A branch to the middle of a function comes from the same function: in the texts that
 * docs/sites.md lists from no further than ARCH_BRANCH_FAR.
 */
#define ARCH_BRANCH_FAR 0x8000
bool arch_branches_lead_to(struct arch_text text, size_t place);
