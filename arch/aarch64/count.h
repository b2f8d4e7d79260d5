/* SPDX-License-Identifier: MIT */
/*
 * A counter that one thread changes and others may read: a plain load and a plain store. A thread that is killed has counted or has not;
 * a signal handler must not count.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline void arch_count_up(int32_t *n)
{
	__atomic_store_n(n, __atomic_load_n(n, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* Return: has it become 0? */
static inline bool arch_count_down(int32_t *n)
{
	int32_t left = __atomic_load_n(n, __ATOMIC_RELAXED) - 1;

	__atomic_store_n(n, left, __ATOMIC_RELAXED);
	return left == 0;
}
