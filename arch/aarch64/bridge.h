/* SPDX-License-Identifier: MIT */
/*
 * The one function through which glibc (2.41 and later) and musl make every call at which
 * pthread_cancel may act. Their signal handlers compare the interrupted address with that function's
 * bounds, between the look at the flag and the system call: a thread that were in a stub then would sleep
 * on, cancelled but not woken. So the function stays as it is, and its one caller is led to a
 * stub first, from where all roads go through the whole function again.
 */
#pragma once

#include "codewalk.h"
#include "sites.h"

/*
 * The function's entry, if the system call at `call` is that of such a function; else SIZE_MAX.
 */
size_t arch_bridge_entry(struct arch_text text, size_t call);

/* Turns the site of such a call into one of kind ARCH_SITE_BRIDGE. */
void arch_bridge_take(struct arch_site *s, size_t entry, size_t caller);
