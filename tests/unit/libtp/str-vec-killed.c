/* SPDX-License-Identifier: MIT */
/*
 * A program is killed after every instruction of a call that changes a string or a vector. What is left is the old content, or the new, or is
 * told to be neither (-EFAULT); the text can be read in any case; one block is lost at most, and the heap is sound. Only some instructions
 * are tried, unless TP_EVERY_INSTRUCTION is set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "killstep.h"
#include <tp/heap.h>
#include <tp/str.h>
#include <tp/vec.h>

#define SHORT "short text"
#define LONG  "a text that is longer than fifteen bytes"
#define MORE  ", and some more to make it grow"

/* In the heap. */
struct scene {
	struct tp_str str;
	struct tp_vec vec;
	const char *text;
	size_t count;
	uint64_t blocks; /* in use before the call */
};

static int complain(const char *what, const struct killstep_point *at)
{
	fprintf(stderr, "step %llu: %s: %s\n", (unsigned long long)at->step, what, tp_why());
	return 1;
}

static void prepare(void *arg)
{
	struct scene *s = arg;

	tp_str_init(&s->str);
	tp_vec_init(&s->vec);
	if (tp_str_set(&s->str, s->text) < 0)
		abort();
	for (size_t i = 0; i < s->count; i++)
		if (tp_vec_push(&s->vec, sizeof(i), &i) < 0)
			abort();
	s->blocks = blocks_in_use();
}

/* The call may have taken one block that nobody has now, or not freed the one that it replaced. */
static int check_heap(const struct scene *s, const struct killstep_point *at)
{
	uint64_t now;

	if (tp_heap_check())
		return complain("the heap is not sound", at);
	now = blocks_in_use();
	return now > s->blocks + 2 ? complain("more than one block is lost", at) : 0;
}

/* Has its block: a new program can use it and free it. */
static int use_up(struct scene *s, const struct killstep_point *at)
{
	if (tp_str_check(&s->str) == 0 && tp_str_append(&s->str, "x") < 0)
		return complain("the string cannot be used", at);
	if (tp_vec_check(&s->vec, sizeof(size_t)) == 0 && tp_vec_push(&s->vec, sizeof(size_t), &(size_t){0}) < 0)
		return complain("the vector cannot be used", at);
	if (tp_str_check(&s->str) == 0)
		tp_str_fini(&s->str);
	if (tp_vec_check(&s->vec, sizeof(size_t)) == 0)
		tp_vec_fini(&s->vec);
	return tp_heap_check() ? complain("the heap is not sound afterwards", at) : 0;
}

/* A program's first allocation is the heap's own affair: see heap-killed.c. */
static int warm_up(void *arg)
{
	(void)arg;
	for (size_t size = 16; size <= 256; size += 16)
		if (tp_free(tp_malloc(size)))
			return 1;
	return 0;
}

static uint64_t stride(void)
{
	return getenv("TP_EVERY_INSTRUCTION") ? 1 : 3;
}

static int append(void *arg)
{
	struct scene *s = arg;

	return tp_str_append(&s->str, MORE) < 0;
}

static int check_string(void *arg, const struct killstep_point *at)
{
	struct scene *s = arg;
	size_t len = strlen(s->text);
	int r = tp_str_check(&s->str);

	if (at->finished && (r < 0 || at->result || s->str.len != len + strlen(MORE)))
		return complain("the call has not done its work", at);
	if (r < 0 && r != -EFAULT)
		return complain("the string is refused for another reason", at);
	if (r == 0 && s->str.len != len && s->str.len != len + strlen(MORE))
		return complain("the string has a length that it never had", at);
	if (memcmp(s->str.data, s->text, len))
		return complain("the text is gone", at);
	return check_heap(s, at) || use_up(s, at);
}

static void append_to(struct scene *s, const char *text)
{
	struct killstep k = {.prepare = prepare, .setup = warm_up, .call = append, .check = check_string, .stride = stride()};

	s->text = text;
	s->count = 0;
	assert_true(killstep(&k, s) > 10);
}

static void a_short_string_grows(void **state)
{
	append_to(*state, SHORT);
}

static void a_long_string_grows(void **state)
{
	append_to(*state, LONG);
}

static int push(void *arg)
{
	struct scene *s = arg;

	return tp_vec_push(&s->vec, sizeof(s->count), &s->count) < 0;
}

static int check_vector(void *arg, const struct killstep_point *at)
{
	struct scene *s = arg;
	size_t count = tp_vec_count(&s->vec, sizeof(size_t));
	int r = tp_vec_check(&s->vec, sizeof(size_t));

	if (at->finished && (r < 0 || at->result || count != s->count + 1))
		return complain("the call has not done its work", at);
	if (r < 0 && r != -EFAULT)
		return complain("the vector is refused for another reason", at);
	if (r == 0 && count != s->count && count != s->count + 1)
		return complain("the vector has a length that it never had", at);
	for (size_t i = 0; r == 0 && i < count; i++)
		if (*(size_t *)tp_vec_at(&s->vec, sizeof(size_t), i) != i)
			return complain("an element is wrong", at);
	return check_heap(s, at) || use_up(s, at);
}

static void push_to(struct scene *s, size_t count)
{
	struct killstep k = {.prepare = prepare, .setup = warm_up, .call = push, .check = check_vector, .stride = stride()};

	s->text = SHORT;
	s->count = count;
	assert_true(killstep(&k, s) > 10);
}

static void an_empty_vector_grows(void **state)
{
	push_to(*state, 0);
}

static void a_full_vector_grows(void **state)
{
	push_to(*state, 16);
}

static void a_vector_with_room_grows(void **state)
{
	push_to(*state, 11);
}

static int open_scene(void **state)
{
	open_group_as_me(state);
	*state = tp_calloc(1, sizeof(struct scene));
	return *state ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_string_grows),
		cmocka_unit_test(a_long_string_grows),
		cmocka_unit_test(an_empty_vector_grows),
		cmocka_unit_test(a_full_vector_grows),
		cmocka_unit_test(a_vector_with_room_grows),
	};

	return cmocka_run_group_tests(tests, open_scene, close_group);
}
