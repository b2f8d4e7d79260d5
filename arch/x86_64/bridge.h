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
 * Turns a site whose call is that of such a function into one of kind ARCH_SITE_BRIDGE.
 *
 * Return: false if it is another call, or the function has not exactly one direct caller.
 */
bool arch_bridge_take(struct arch_site *s, struct arch_text text);
