/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_FIXTURE_H
#define TP_TESTS_FIXTURE_H

/* What tests of libtp begin and end with, for cmocka's setup and teardown. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tpgroup.h"
#include <tp/heap.h>

/* A group; the test is in none yet. */
static inline int open_group(void **state)
{
	(void)state;
	tpgroup_open(UINT64_C(64) << 20);
	return 0;
}

/* A group, and the test is its program "me". */
static inline int open_group_as_me(void **state)
{
	open_group(state);
	tpgroup_be(tpgroup_add("me"));
	return 0;
}

static inline int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

/* As a program of it: the heap is sound. */
static inline int close_sound_group(void **state)
{
	assert_int_equal(tp_heap_check(), 0);
	return close_group(state);
}

static inline uint64_t blocks_in_use(void)
{
	struct tp_heap_usage stats;

	assert_int_equal(tp_heap_stats(0, &stats), 0);
	return stats.blocks;
}

#endif
