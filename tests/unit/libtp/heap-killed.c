/* SPDX-License-Identifier: MIT */
/*
 * A program is killed after every single instruction of each call of the heap. After each death the heap is sound as it was left, is sound once
 * the dead have been looked after, has lost one block at most, and still gives and takes memory. Of the long calls only some instructions are
 * tried, unless TP_EVERY_INSTRUCTION is set; an argument is a pattern of the tests to run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap-near.h"
#include "killstep.h"
#include "tpgroup.h"
#include <tp/heap.h>

enum { HEAP = 512 << 20, MANY = 12 };

/* What the test and the victim know of each other: lies in the heap, as a block of the test. */
struct scene {
	uint64_t blocks;     /* in use before this victim */
	uint64_t holds;	     /* blocks that the victim has from its setup */
	int fewest, most;    /* blocks that the victim may leave behind beyond these, killed or finished; -1: it frees one of the test's */
	void *block[MANY];   /* the test's, for the victim to free */
	void *own[MANY];     /* the victim's */
	void *dead[41];	     /* of one that died before */
	struct tp_arena *arena;
	size_t size;
	uint64_t receiver;
};

static struct scene *scene;
static uint64_t me;

static int open_group(void **state)
{
	(void)state;
	tpgroup_open(HEAP);
	me = tpgroup_add("me");
	tpgroup_be(me);
	scene = tp_calloc(1, sizeof(*scene));
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tpgroup_close();
	return 0;
}

static uint64_t blocks(void)
{
	struct tp_heap_usage s;

	if (tp_heap_stats(0, &s))
		return UINT64_MAX;
	return s.blocks;
}

static int complain(const char *what, const struct killstep_point *at)
{
	fprintf(stderr, "step %llu: %s: %s\n", (unsigned long long)at->step, what, tp_why());
	return 1;
}

static bool memory_can_be_had(void)
{
	static const size_t sizes[] = {16, 48, 1024, 16384, 40000, 300000};
	void *p[6];
	bool good = true;

	for (int i = 0; i < 6; i++) {
		p[i] = tp_malloc(sizes[i]);
		if (p[i])
			memset(p[i], 0xee, sizes[i]);
		good = good && p[i];
	}
	for (int i = 0; i < 6; i++)
		good = tp_free(p[i]) == 0 && good;
	return good;
}

static int look(void *arg, const struct killstep_point *at)
{
	struct scene *s = arg;
	int64_t left;

	if (tp_heap_check())
		return complain("as it was left", at);
	tpi_reap(tpi_heap_mine());
	if (tp_heap_check())
		return complain("after the dead were looked after", at);
	left = (int64_t)(blocks() - s->blocks - s->holds);
	if (left < s->fewest || left > s->most) {
		fprintf(stderr, "step %llu: %lld blocks are left, not %d to %d\n", (unsigned long long)at->step, (long long)left,
			s->fewest, s->most);
		return 1;
	}
	if (!memory_can_be_had() || tp_heap_check())
		return complain("no memory any more", at);
	return 0;
}

static void start(void *arg)
{
	struct scene *s = arg;

	tpi_reap(tpi_heap_mine());
	s->blocks = blocks();
	s->holds = 0;
}

static void step_through(int (*setup)(void *), int (*call)(void *), void (*prepare)(void *), int fewest, int most, uint64_t stride)
{
	struct killstep k = {.prepare = prepare, .setup = setup, .call = call, .check = look};
	uint64_t points;

	k.stride = getenv("TP_EVERY_INSTRUCTION") ? 1 : stride;
	scene->fewest = fewest;
	scene->most = most;
	points = killstep(&k, scene);
	print_message("%llu points\n", (unsigned long long)points);
	assert_true(points > 10);
}

static int warm(void *arg)
{
	struct scene *s = arg;

	return tp_free(tp_malloc(s->size));
}

static int take(void *arg)
{
	struct scene *s = arg;

	return tp_malloc(s->size) == NULL;
}

static void allocating(void **state)
{
	(void)state;
	scene->size = 64;
	step_through(warm, take, start, 0, 1, 1);
}

static void the_first_block_of_all(void **state)
{
	(void)state;
	scene->size = 2000;
	step_through(NULL, take, start, 0, 1, 13);
}

static int take_own(void *arg, uint64_t n)
{
	struct scene *s = arg;

	for (uint64_t i = 0; i < n; i++) {
		s->own[i] = tp_malloc(s->size);
		if (!s->own[i])
			return 1;
	}
	s->holds = n;
	return 0;
}

static int take_one(void *arg)
{
	return take_own(arg, 1);
}

static int take_four(void *arg)
{
	return take_own(arg, 4);
}

static int take_nine(void *arg)
{
	return take_own(arg, 9);
}

static int free_first(void *arg)
{
	struct scene *s = arg;

	return tp_free(s->own[0]);
}

static void freeing_ones_own(void **state)
{
	(void)state;
	scene->size = 64;
	step_through(take_one, free_first, start, -1, 0, 1);
}

/* The slab is full: another has to be made, and this one is nobody's from then on. */
static void allocating_when_the_slab_is_full(void **state)
{
	(void)state;
	scene->size = 16384;
	step_through(take_four, take, start, 0, 1, 11);
}

/* Own[0..3] fill a slab that is shared then; freeing takes it back. */
static int free_into_a_full_one(void *arg)
{
	struct scene *s = arg;

	return tp_free(s->own[0]);
}

static void freeing_into_a_full_slab(void **state)
{
	(void)state;
	scene->size = 16384;
	step_through(take_nine, free_into_a_full_one, start, -1, 0, 3);
}

static int three_of_four_freed(void *arg)
{
	struct scene *s = arg;
	int r = take_own(arg, 9);

	for (int i = 1; i < 4; i++)
		r |= tp_free(s->own[i]);
	s->holds -= 3;
	return r;
}

static void freeing_the_last_of_a_slab(void **state)
{
	(void)state;
	scene->size = 16384;
	step_through(three_of_four_freed, free_first, start, -1, 0, 3);
}

/* The test has allocated a block for each victim. */
static void start_with_a_block(void *arg)
{
	struct scene *s = arg;

	s->block[0] = tp_malloc(s->size);
	start(arg);
}

static int free_the_tests(void *arg)
{
	struct scene *s = arg;

	return tp_free(s->block[0]);
}

static void freeing_anothers(void **state)
{
	(void)state;
	scene->size = 80;
	step_through(warm, free_the_tests, start_with_a_block, -1, 0, 2);
}

/* As another program does: a push into a slab that is held. */
static bool push_as_another(void *ptr, size_t size)
{
	struct tpi_heap *t = tpi_heap_mine();
	uint64_t off = (uint64_t)(uintptr_t)ptr - TPI_HEAP_BASE;
	uint32_t slab = (uint32_t)(off >> TP_HEAP_UNIT_SHIFT);
	uint32_t class_ = tpi_class_of(size);

	return tpi_slab_free_other(t, slab, TP_HEAP_WORD(1, 1, TP_HEAP_SLAB, class_), (uint32_t)(off % TP_HEAP_UNIT / size) + tpi_class[class_].shift);
}

static int others_freed_three(void *arg)
{
	struct scene *s = arg;
	int r = take_own(arg, 4);

	for (int i = 0; i < 3; i++)
		r |= !push_as_another(s->own[i], s->size);
	s->holds = 1;
	return r;
}

static void collecting_what_others_freed(void **state)
{
	(void)state;
	scene->size = 16384;
	step_through(others_freed_three, take, start, 0, 1, 3);
}

static void a_large_block(void **state)
{
	(void)state;
	scene->size = 300000;
	step_through(warm, take, start, 0, 1, 3);
}

static void a_large_block_of_fresh_memory(void **state)
{
	(void)state;
	scene->size = 900000;
	step_through(NULL, take, start, 0, 1, 17);
}

static void freeing_a_large_block(void **state)
{
	(void)state;
	scene->size = 300000;
	step_through(take_one, free_first, start, -1, 0, 3);
}

static void freeing_anothers_large_block(void **state)
{
	(void)state;
	scene->size = 300000;
	step_through(warm, free_the_tests, start_with_a_block, -1, 0, 3);
}

/* More than a thread keeps: it goes back to all, and to the kernel. */
static void freeing_a_very_large_block(void **state)
{
	(void)state;
	scene->size = 40 << 20;
	step_through(take_one, free_first, start, -1, 0, 97);
}

static int make_smaller(void *arg)
{
	struct scene *s = arg;

	return tp_realloc(s->own[0], 200000) != s->own[0];
}

static void shrinking_a_large_block(void **state)
{
	(void)state;
	scene->size = 1 << 20;
	step_through(take_one, make_smaller, start, 0, 0, 3);
}

static int resize(void *arg)
{
	struct scene *s = arg;

	return tp_realloc(s->own[0], 5000) == NULL;
}

static void growing_a_block(void **state)
{
	(void)state;
	scene->size = 100;
	step_through(take_one, resize, start, 0, 1, 17);
}

/* A program that dies with slabs of all kinds, a large block, and an arena. */
static int die_with_all(void *arg)
{
	struct scene *s = arg;

	for (int i = 0; i < 40; i++)
		s->dead[i] = tp_malloc(i < 20 ? 16384 : 200);
	for (int i = 0; i < 40; i += 3) {
		tp_free(s->dead[i]);
		s->dead[i] = NULL;
	}
	tp_free(tp_malloc(300000));
	s->dead[40] = tp_malloc(300000);
	if (tp_arena_create(&s->arena) || !tp_arena_alloc(s->arena, 100000, 0))
		return 1;
	return s->dead[40] == NULL;
}

/* 40 blocks less 14, and the large one. */
static void start_with_a_dead_one(void *arg)
{
	uint64_t id = tpgroup_add("dead"), before;
	pid_t pid;

	tpi_reap(tpi_heap_mine());
	before = blocks();
	pid = tpgroup_fork(id, die_with_all, arg);
	if (tpgroup_join(pid, id))
		fail_msg("the dead one failed");
	scene->blocks = before + 27;
	scene->holds = 0;
}

/* And what it had can be freed. */
static int look_and_free(void *arg, const struct killstep_point *at)
{
	int r = look(arg, at);

	for (int i = 0; i < 41; i++)
		if (tp_free(scene->dead[i]))
			return complain("a block of the dead one", at);
	return r || tp_heap_check() || blocks() != scene->blocks - 27;
}

static int reap(void *arg)
{
	(void)arg;
	tpi_reap(tpi_heap_mine());
	return 0;
}

static void looking_after_the_dead(void **state)
{
	struct killstep k = {.prepare = start_with_a_dead_one, .setup = warm, .call = reap, .check = look_and_free};

	(void)state;
	k.stride = getenv("TP_EVERY_INSTRUCTION") ? 1 : 211;
	scene->size = 64;
	scene->fewest = scene->most = 0;
	assert_true(killstep(&k, scene) > 10);
}

static int leave(void *arg)
{
	(void)arg;
	tpi_slab_leave(tpi_heap_mine());
	return 0;
}

static void ending_a_thread(void **state)
{
	(void)state;
	scene->size = 16384;
	step_through(three_of_four_freed, leave, start, 0, 0, 11);
}

static int make_arena(void *arg)
{
	struct scene *s = arg;

	return tp_arena_create(&s->arena);
}

/* Whatever an arena of the dead had comes back. */
static void making_an_arena(void **state)
{
	(void)state;
	scene->size = 64;
	step_through(warm, make_arena, start, 0, 0, 5);
}

static int use_arena(void *arg)
{
	struct scene *s = arg;

	return !tp_arena_alloc(s->arena, 60000, 0) || !tp_arena_alloc(s->arena, 60000, 0);
}

static void allocating_in_an_arena(void **state)
{
	(void)state;
	step_through(make_arena, use_arena, start, 0, 0, 11);
}

static int have_arena(void *arg)
{
	return make_arena(arg) || use_arena(arg) || use_arena(arg);
}

static int destroy_arena(void *arg)
{
	struct scene *s = arg;

	tp_arena_destroy(s->arena);
	return 0;
}

static void destroying_an_arena(void **state)
{
	(void)state;
	step_through(have_arena, destroy_arena, start, 0, 0, 11);
}

static int give_arena(void *arg)
{
	struct scene *s = arg;

	return tp_arena_give(s->arena, s->receiver);
}

/* It is the victim's and gone with it, or the test's, whole. */
static int look_at_given(void *arg, const struct killstep_point *at)
{
	struct scene *s = arg;
	uint64_t owned;

	if (tp_heap_check())
		return complain("as it was left", at);
	tpi_reap(tpi_heap_mine());
	owned = blocks() - s->blocks;
	if (owned) {
		if (!tp_arena_alloc(s->arena, 100, 0))
			return complain("not usable", at);
		tp_arena_destroy(s->arena);
	}
	if (at->finished && !owned)
		return complain("not given", at);
	return blocks() != s->blocks || tp_heap_check();
}

static void giving_an_arena(void **state)
{
	struct killstep k = {.prepare = start, .setup = have_arena, .call = give_arena, .check = look_at_given};

	(void)state;
	scene->receiver = me;
	assert_true(killstep(&k, scene) > 10);
}

static int die(void *arg)
{
	(void)arg;
	return 0;
}

/* Killed between taking the head and saying how far it would go: the head's entry tells of an earlier life, when it was long. */
static void a_run_that_was_only_begun_harms_no_neighbour(void **state)
{
	uint64_t id = tpgroup_add("dead");
	char *first = tp_malloc(200000), *second = tp_malloc(8 << 20);
	struct tpi_heap *t = tpi_heap_mine();
	uint32_t head = (uint32_t)(((uintptr_t)first - TPI_HEAP_BASE) >> TP_HEAP_UNIT_SHIFT);

	(void)state;
	memset(second, 0x77, 8 << 20);
	tpgroup_join(tpgroup_fork(id, die, NULL), id);
	t->map.slabs[head].reach = 100;
	t->map.owner[head] = TP_HEAP_WORD(TP_TAG(id), 1, TP_HEAP_HELD, 0);
	tpi_reap(t);
	for (size_t i = 0; i < 8 << 20; i++)
		if (second[i] != 0x77)
			fail_msg("byte %zu is gone", i);
	assert_int_equal(tp_heap_check(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_group, close_group)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(allocating),
		TEST(the_first_block_of_all),
		TEST(freeing_ones_own),
		TEST(allocating_when_the_slab_is_full),
		TEST(freeing_into_a_full_slab),
		TEST(freeing_the_last_of_a_slab),
		TEST(freeing_anothers),
		TEST(collecting_what_others_freed),
		TEST(a_large_block),
		TEST(a_large_block_of_fresh_memory),
		TEST(freeing_a_large_block),
		TEST(freeing_anothers_large_block),
		TEST(freeing_a_very_large_block),
		TEST(shrinking_a_large_block),
		TEST(growing_a_block),
		TEST(looking_after_the_dead),
		TEST(ending_a_thread),
		TEST(making_an_arena),
		TEST(allocating_in_an_arena),
		TEST(destroying_an_arena),
		TEST(giving_an_arena),
		TEST(a_run_that_was_only_begun_harms_no_neighbour),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
