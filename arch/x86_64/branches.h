/* SPDX-License-Identifier: MIT */
#pragma once

#include "codewalk.h"
#include "sites.h"

/*
 * struct arch_site's `targets`: bit k is set if a branch leads to call - 15 + k.
 */
#define ARCH_TARGETS_BEFORE 15

/*
 * How far from a site branches into its neighbourhood are looked for. A branch to the middle of a function comes
 * from the same function: in the texts that docs/sites.md lists from no further than 1 KiB.
 */
#define ARCH_BRANCH_FAR 0x8000

void arch_branch_mark(struct arch_site *s, size_t to);

/* A function whose callers are to be counted. */
struct arch_function {
	size_t entry;     /* SIZE_MAX: none */
	size_t caller;    /* the last call of it that was seen */
	unsigned callers;
	bool jumped_to;   /* entered by a jump, too */
};

/*
 * Looks at every byte around the sites as if a near jump or call started there, and marks those that lead into
 * the neighbourhood of a site; counts the callers of `f`, if there is one, in the whole text. Real branches are all
 * among them; a chance hit only costs a choice. Call and entry must be set before, sites be in ascending order.
 */
void arch_branches_far(struct arch_text text, struct arch_site *sites, size_t n, struct arch_function *f);
