/* SPDX-License-Identifier: MIT */
#pragma once

#include "codewalk.h"
#include "sites.h"

/*
 * struct arch_site's `targets`: bit k is set if a branch leads to call - 15 + k.
 */
#define ARCH_TARGETS_BEFORE 15

void arch_branch_mark(struct arch_site *s, size_t to);

/*
 * Looks at every byte of the text as if a near jump started there, and marks those that lead into
 * the neighbourhood of a site. Real ones are all among them; a chance hit only costs a choice. Calls
 * are left out: what they enter is a function, and none starts inside another one's last steps
 * before a system call.
 */
void arch_branches_far(struct arch_text text, struct arch_site *sites, size_t n);
