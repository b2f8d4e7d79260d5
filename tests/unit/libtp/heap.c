/* SPDX-License-Identifier: MIT */
/* Blocks: distinct, aligned, kept intact, freed by anybody; misuse is named and does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "tpgroup.h"
#include <tp/heap.h>

enum { HEAP = 64 << 20 };

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(HEAP);
	tpgroup_be(tpgroup_add("me"));
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

static uint64_t random_state = 88172645463325252;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* The diagnostics go to stderr, which is for people; here they are looked at, and are no noise. */
static int read_stderr(int (*fn)(void *arg), void *arg, char *ret_text, size_t size)
{
	int pipe_fd[2], saved = dup(2), r;
	ssize_t n;

	assert_int_equal(pipe2(pipe_fd, O_NONBLOCK), 0);
	dup2(pipe_fd[1], 2);
	r = fn(arg);
	dup2(saved, 2);
	n = read(pipe_fd[0], ret_text, size - 1);
	ret_text[n > 0 ? n : 0] = '\0';
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	close(saved);
	return r;
}

static int free_it(void *arg)
{
	return tp_free(arg);
}

static void expect_blame(void *ptr, int error, const char *say)
{
	char text[400];

	assert_int_equal(read_stderr(free_it, ptr, text, sizeof(text)), error);
	if (!strstr(text, say) || !strchr(text, '\n') || strchr(text, '\n')[1])
		fail_msg("\"%s\" instead of one line with \"%s\"", text, say);
	assert_non_null(strstr(tp_why(), say));
}

static void outside_a_group_nothing_is_given(void **state)
{
	struct tp_heap_usage stats;
	void *p = &p;
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(tp_malloc(1) || tp_calloc(1, 1) || tp_realloc(NULL, 1) || tp_aligned_alloc(16, 1) ||
			tp_alloc(1, 1, &p) != -ENOTCONN || p != &p || tp_free(&p) != -ENOTCONN || tp_usable_size(&p) ||
			tp_heap_check() != -ENOTCONN || tp_heap_stats(0, &stats) != -ENOTCONN || tp_free(NULL));
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void sizes_and_alignments(void **state)
{
	(void)state;
	for (size_t size = 0; size < 300000; size += size < 2000 ? 1 : size < 20000 ? 97 : 4999) {
		uint64_t *p = tp_malloc(size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		assert_true(tp_usable_size(p) >= size);
		memset(p, 0x5a, size);
		assert_int_equal(tp_free(p), 0);
	}
	for (size_t align = 1; align <= 8 << 20; align *= 2)
		for (size_t size = 1; size < 400000; size = size * 3 + 1) {
			char *p = tp_aligned_alloc(align, size);

			assert_non_null(p);
			assert_int_equal((uintptr_t)p % align, 0);
			assert_true(tp_usable_size(p) >= size);
			p[0] = p[size - 1] = 1;
			assert_int_equal(tp_free(p), 0);
		}
	assert_int_equal(tp_heap_check(), 0);
}

/* The heap starts at a multiple of 1 GiB, and at no larger power of two. */
static void alignments_beyond_the_heaps_own(void **state)
{
	const size_t gib = (size_t)1 << 30, sizes[] = {1, 100, 5000, 200000, 3 << 20};
	struct tp_arena *a;
	void *p;

	(void)state;
	tpgroup_open(6 * (uint64_t)gib);
	tpgroup_be(tpgroup_add("me"));
	assert_int_equal(tp_arena_create(&a), 0);
	for (size_t align = gib / 2; align <= 4 * gib; align *= 2)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			assert_int_equal(tp_alloc(sizes[i], align, &p), 0);
			assert_int_equal((uintptr_t)p % align, 0);
			memset(p, 1, sizes[i]);
			assert_int_equal(tp_free(p), 0);
			p = tp_arena_alloc(a, sizes[i], align);
			assert_non_null(p);
			assert_int_equal((uintptr_t)p % align, 0);
			assert_null(tp_arena_destroy(a));
			assert_int_equal(tp_arena_create(&a), 0);
		}
	p = NULL;
	assert_int_equal(tp_alloc(1, 8 * gib, &p), -ENOSPC);
	assert_non_null(strstr(tp_why(), "no room for 1 MiB at a multiple of 8192 MiB"));
	assert_null(tp_arena_alloc(a, 1, 8 * gib));
	assert_null(p);
	assert_int_equal(tp_heap_check(), 0);
	tpgroup_close();
}

static void what_cannot_be_had_is_refused(void **state)
{
	volatile size_t half = SIZE_MAX / 2, four_gib = (size_t)1 << 32;
	void *p = NULL;

	(void)state;
	assert_int_equal(tp_alloc(SIZE_MAX, 16, &p), -EINVAL);
	assert_int_equal(tp_alloc(16, 24, &p), -EINVAL);
	assert_int_equal(tp_alloc(UINT64_C(1) << 40, 16, &p), -ENOSPC);
	assert_non_null(strstr(tp_why(), "has 64 MiB, and "));
	assert_non_null(strstr(tp_why(), "--heap SIZE"));
	assert_int_equal(tp_alloc(1, (size_t)1 << 40, &p), -ENOSPC);
	assert_null(p);
	assert_null(tp_calloc(half, 3));
	assert_null(tp_calloc(four_gib, four_gib));
	assert_null(tp_malloc(half));
	assert_int_equal(tp_free(NULL), 0);
	assert_int_equal(tp_usable_size(NULL), 0);
}

static void calloc_gives_zeros_even_of_used_memory(void **state)
{
	(void)state;
	for (size_t size = 8; size < 4 << 20; size = size * 5 / 2) {
		char *p = tp_malloc(size), *q;

		memset(p, 0xff, size);
		tp_free(p);
		q = tp_calloc(1, size);
		for (size_t i = 0; i < size; i++)
			if (q[i])
				fail_msg("byte %zu of %zu", i, size);
		tp_free(q);
	}
}

static void realloc_keeps_what_was_written(void **state)
{
	char *p = NULL;
	size_t size = 0;

	(void)state;
	for (int i = 0; i < 400; i++) {
		size_t want = 1 + (size_t)(next_random() % (i % 8 ? 3000 : 500000)), keep = size < want ? size : want;

		p = tp_realloc(p, want);
		assert_non_null(p);
		for (size_t k = 0; k < keep; k++)
			if (p[k] != (char)(k * 7))
				fail_msg("byte %zu after %zu to %zu", k, size, want);
		for (size_t k = 0; k < want; k++)
			p[k] = (char)(k * 7);
		size = want;
	}
	/* One that fails leaves the block as it was. */
	assert_null(tp_realloc(p, (size_t)1 << 40));
	assert_int_equal(p[size - 1], (char)((size - 1) * 7));
	assert_int_equal(tp_free(p), 0);
}

struct live {
	unsigned char *p;
	size_t size;
	unsigned char fill;
};

static size_t random_size(void)
{
	uint64_t r = next_random();

	switch (r % 16) {
	case 0: return r >> 8 & 0x3ffff;
	case 1:
	case 2: return r >> 8 & 0x7fff;
	default: return r >> 8 & 0x3ff;
	}
}

static void check_fill(const struct live *l)
{
	for (size_t i = 0; i < l->size; i++)
		if (l->p[i] != l->fill)
			fail_msg("%p: byte %zu of %zu", (void *)l->p, i, l->size);
}

static void blocks_do_not_overlap(void **state)
{
	static struct live live[600];
	struct tp_heap_usage stats;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		struct live *l = &live[next_random() % 600];

		if (l->p) {
			check_fill(l);
			assert_int_equal(tp_free(l->p), 0);
			l->p = NULL;
			continue;
		}
		*l = (struct live){NULL, random_size(), (unsigned char)i};
		l->p = tp_malloc(l->size);
		assert_non_null(l->p);
		memset(l->p, l->fill, l->size);
	}
	assert_int_equal(tp_heap_check(), 0);
	for (int i = 0; i < 600; i++)
		tp_free(live[i].p);
	assert_int_equal(tp_heap_check(), 0);
	assert_int_equal(tp_heap_stats(0, &stats), 0);
	assert_int_equal(stats.size, HEAP);
	assert_int_equal(stats.blocks, 0);
	assert_int_equal(stats.bytes, 0);
}

static void a_full_heap_says_so_and_all_of_it_comes_back(void **state)
{
	static const size_t sizes[] = {16, 1000, 5000, 16384, 80000, 131072, 1 << 20};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		void **list = NULL, **p;
		size_t n = 0;

		while ((p = tp_malloc(sizes[s]))) {
			*p = list;
			list = p;
			n++;
		}
		assert_true(n * sizes[s] > HEAP / 100 * 85);
		assert_non_null(strstr(tp_why(), "the group's heap is full: "));
		for (; list; list = p, n--) {
			p = *list;
			assert_int_equal(tp_free(list), 0);
		}
		assert_int_equal(n, 0);
		assert_int_equal(tp_heap_check(), 0);
	}
}

/* What a thread kept is taken from it when memory is short; its memory of that must not lead it to another, shorter run. */
static void a_kept_run_that_was_taken_is_forgotten(void **state)
{
	void *p = tp_malloc(300000), *q, **list = NULL, **next;

	(void)state;
	tp_free(p);
	while ((next = tp_malloc(1 << 20))) {
		*next = list;
		list = next;
	}
	for (; list; list = next) {
		next = *list;
		tp_free(list);
	}
	q = tp_malloc(150000);
	assert_ptr_equal(q, p);
	tp_free(q);
	q = tp_malloc(300000);
	assert_true(tp_usable_size(q) >= 300000);
	assert_int_equal(tp_heap_check(), 0);
}

static uint64_t resident(void)
{
	uint64_t n = 0;

	for (uint64_t at = 0; at < HEAP; at += 4096) {
		unsigned char v = 0;

		if (mincore((void *)(TP_HEAP_BASE + at), 4096, &v) == 0)
			n += v & 1;
	}
	return n * 4096;
}

static void memory_goes_back_to_the_kernel(void **state)
{
	static void *p[600];

	(void)state;
	for (int round = 0; round < 3; round++) {
		size_t size = round == 0 ? 100000 : round == 1 ? 16000 : 90;
		int n = round == 0 ? 500 : 600;

		if (round < 2) {
			for (int i = 0; i < n; i++) {
				p[i] = tp_malloc(size);
				memset(p[i], 1, size);
			}
			for (int i = 0; i < n; i++)
				tp_free(p[i]);
		} else {
			void **list = NULL, **q;

			for (int i = 0; i < 500000; i++) {
				q = tp_malloc(size);
				*q = list;
				list = q;
			}
			for (; list; list = q) {
				q = *list;
				tp_free(list);
			}
		}
		assert_true(resident() <= HEAP / 5);
	}
}

/* What is left of a large block stays where it is; the rest can be had again, and its memory is gone. */
static void a_large_block_shrinks_where_it_is(void **state)
{
	const size_t mib = 1 << 20;
	struct tp_heap_usage before, after;
	char *p = tp_malloc(40 * mib), *q;

	(void)state;
	assert_non_null(p);
	memset(p, 0x5a, 40 * mib);
	assert_null(tp_malloc(40 * mib));
	assert_int_equal(tp_heap_stats(0, &before), 0);
	assert_ptr_equal(tp_realloc(p, 10 * mib), p);
	assert_int_equal(tp_usable_size(p), 10 * mib);
	assert_int_equal(tp_heap_stats(0, &after), 0);
	assert_true(after.touched <= before.touched - 30 * mib && after.bytes == before.bytes - 30 * mib);
	assert_int_equal(tp_heap_check(), 0);
	q = tp_calloc(1, 40 * mib);
	assert_non_null(q);
	for (size_t i = 0; i < 40 * mib; i += 4096)
		assert_int_equal(q[i], 0);
	assert_true(p[0] == 0x5a && p[10 * mib - 1] == 0x5a);
	assert_int_equal(tp_free(q), 0);
	assert_ptr_equal(tp_realloc(p, 300000), p);
	assert_int_equal(tp_usable_size(p), 5 << 16);
	assert_int_equal(tp_free(p), 0);
	assert_int_equal(tp_heap_check(), 0);
}

static int realloc_it(void *arg)
{
	return tp_realloc(arg, 10) != NULL;
}

static void foreign_pointers_are_named(void **state)
{
	char text[400];
	static uint64_t mine[4];
	void *span = tp_malloc(1 << 20), *small = tp_malloc(100);

	(void)state;
	expect_blame(mine, -EFAULT, "is not in the group's heap");
	expect_blame((void *)8, -EFAULT, "is not in the group's heap");
	expect_blame((void *)(TP_HEAP_BASE + HEAP), -EFAULT, "is not in the group's heap");
	expect_blame((char *)span + 4096, -EFAULT, "points into a block of me, which starts at");
	expect_blame((char *)small + 16, -EFAULT, "points into a block of me, which starts at");
	expect_blame((char *)small + 1, -EFAULT, "has 112 bytes");
	assert_int_equal(tp_usable_size(mine), 0);
	assert_int_equal(tp_usable_size((char *)small + 16), 0);
	assert_int_equal(read_stderr(realloc_it, (char *)small + 16, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "realloc: "));
	assert_int_equal(tp_free(span), 0);
	assert_int_equal(tp_free(small), 0);
	assert_int_equal(tp_heap_check(), 0);
}

static void what_is_freed_twice_is_named(void **state)
{
	static const size_t sizes[] = {16, 100, 1024, 9000, 60000, 1 << 20};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		void *before = tp_malloc(sizes[s]), *p = tp_malloc(sizes[s]), *after = tp_malloc(sizes[s]);

		assert_int_equal(tp_free(p), 0);
		expect_blame(p, -EALREADY, "free already");
		assert_int_equal(tp_free(before), 0);
		expect_blame(p, -EALREADY, "free already");
		assert_int_equal(tp_free(after), 0);
	}
	assert_int_equal(tp_heap_check(), 0);
}

/* A thread finds its own slabs by the last bits of the unit's number: two that have the same push each other out, and nothing else. */
static void slabs_in_the_same_place(void **state)
{
	char *a = tp_malloc(64), *between = tp_malloc(255 << 16), *b = tp_malloc(80), *more[100];

	(void)state;
	assert_int_equal((uintptr_t)a >> 16 & 255, (uintptr_t)b >> 16 & 255);
	assert_int_not_equal((uintptr_t)a >> 16, (uintptr_t)b >> 16);
	for (int i = 0; i < 100; i++)
		assert_non_null(more[i] = tp_malloc(i % 2 ? 64 : 80));
	for (int i = 0; i < 100; i++) {
		assert_int_equal(tp_free(more[i]), 0);
		assert_int_equal(tp_usable_size(i % 2 ? b : a), i % 2 ? 80 : 64);
	}
	for (int i = 0; i < 100; i++) {
		expect_blame(more[i], -EALREADY, "freed twice, the last time as memory of me");
		assert_int_equal(tp_heap_check(), 0);
	}
	assert_int_equal(tp_free(a), 0);
	assert_int_equal(tp_free(b), 0);
	expect_blame(a, -EALREADY, "free already");
	expect_blame(b, -EALREADY, "free already");
	assert_int_equal(tp_free(between), 0);
	assert_int_equal(tp_heap_check(), 0);
}

/* Written to after it was freed, all of it: the next user of the memory has that, and nobody else notices. */
static void a_write_after_the_free_harms_no_list(void **state)
{
	static void *p[1000];

	(void)state;
	for (int i = 0; i < 1000; i++)
		p[i] = tp_malloc(200);
	for (int i = 0; i < 1000; i++) {
		tp_free(p[i]);
		memset(p[i], 0x41, 200);
	}
	assert_int_equal(tp_heap_check(), 0);
	for (int i = 0; i < 1000; i++)
		assert_non_null(p[i] = tp_malloc(200));
	expect_blame((char *)p[0] + 8, -EFAULT, "points into a block");
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tp_free(p[i]), 0);
}

static int take_some(void *arg)
{
	for (int i = 0; i < 100; i++)
		((void **)arg)[i] = tp_malloc(200);
	return 0;
}

/* A wild pointer has hit the links at a slab's start: named, found by the check, and no memory is given out twice. */
static void damaged_links_are_named(void **state)
{
	char *p = tp_malloc(200), text[1000];
	volatile uint16_t *links = (volatile uint16_t *)((uintptr_t)p & ~UINT64_C(0xffff));
	void *got[100];

	(void)state;
	for (int i = 0; i < 400; i++)
		links[i] = 0x4141;
	assert_int_equal(tp_heap_check(), -EUCLEAN);
	assert_non_null(strstr(tp_why(), "held by me"));
	read_stderr(take_some, got, text, sizeof(text));
	assert_non_null(strstr(text, "has been written to"));
	for (int i = 0; i < 100; i++) {
		assert_true(got[i] && got[i] != p);
		for (int k = 0; k < i; k++)
			assert_ptr_not_equal(got[i], got[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(outside_a_group_nothing_is_given, open_group, close_group),
		cmocka_unit_test_setup_teardown(sizes_and_alignments, open_group, close_group),
		cmocka_unit_test(alignments_beyond_the_heaps_own),
		cmocka_unit_test_setup_teardown(what_cannot_be_had_is_refused, open_group, close_group),
		cmocka_unit_test_setup_teardown(calloc_gives_zeros_even_of_used_memory, open_group, close_group),
		cmocka_unit_test_setup_teardown(realloc_keeps_what_was_written, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_large_block_shrinks_where_it_is, open_group, close_group),
		cmocka_unit_test_setup_teardown(blocks_do_not_overlap, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_full_heap_says_so_and_all_of_it_comes_back, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_kept_run_that_was_taken_is_forgotten, open_group, close_group),
		cmocka_unit_test_setup_teardown(memory_goes_back_to_the_kernel, open_group, close_group),
		cmocka_unit_test_setup_teardown(foreign_pointers_are_named, open_group, close_group),
		cmocka_unit_test_setup_teardown(what_is_freed_twice_is_named, open_group, close_group),
		cmocka_unit_test_setup_teardown(slabs_in_the_same_place, open_group, close_group),
		cmocka_unit_test_setup_teardown(a_write_after_the_free_harms_no_list, open_group, close_group),
		cmocka_unit_test_setup_teardown(damaged_links_are_named, open_group, close_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
