/* SPDX-License-Identifier: MIT */
/* Strings: short and long, growth, aliasing, bad input, and what is left when the heap is full. C++ looks at them in cpp-layout.cpp. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "fixture.h"
#include <tp/heap.h>
#include <tp/str.h>

static void holds(const struct tp_str *s, const char *text)
{
	assert_int_equal(tp_str_check(s), 0);
	assert_int_equal(s->len, strlen(text));
	assert_string_equal(s->data, text);
}

static void fifteen_bytes_need_no_block(void **state)
{
	uint64_t before = blocks_in_use();
	struct tp_str s;

	(void)state;
	tp_str_init(&s);
	holds(&s, "");
	assert_int_equal(tp_str_set(&s, "123456789012345"), 0);
	holds(&s, "123456789012345");
	assert_ptr_equal(s.data, s.local);
	assert_int_equal(blocks_in_use(), before);
	assert_int_equal(tp_str_append_n(&s, "6", 1), 0);
	holds(&s, "1234567890123456");
	assert_int_equal(blocks_in_use(), before + 1);
	tp_str_fini(&s);
	holds(&s, "");
	assert_int_equal(blocks_in_use(), before);
}

/* Every length up to 5,000, bytes of all values among them. */
static void it_grows_byte_by_byte(void **state)
{
	struct tp_str s;

	(void)state;
	tp_str_init(&s);
	for (size_t i = 0; i < 5000; i++) {
		char byte = (char)i;

		assert_int_equal(tp_str_append_n(&s, &byte, 1), 0);
		assert_int_equal(s.len, i + 1);
		assert_int_equal(s.data[s.len], 0);
	}
	for (size_t i = 0; i < s.len; i++)
		assert_int_equal((unsigned char)s.data[i], i % 256);
	tp_str_fini(&s);
}

static void a_string_can_be_its_own_source(void **state)
{
	struct tp_str s;

	(void)state;
	tp_str_init(&s);
	assert_int_equal(tp_str_set(&s, "abcdefgh"), 0);
	assert_int_equal(tp_str_append(&s, s.data), 0);
	holds(&s, "abcdefghabcdefgh");
	assert_int_equal(tp_str_append_n(&s, s.data + 4, 12), 0);
	holds(&s, "abcdefghabcdefghefghabcdefgh");
	while (s.len < 2000) {
		size_t len = s.len;

		assert_int_equal(tp_str_append_n(&s, s.data, s.len), 0);
		assert_int_equal(s.len, 2 * len);
		assert_memory_equal(s.data, s.data + len, len);
	}
	assert_int_equal(tp_str_set_n(&s, s.data + 2, 4), 0);
	holds(&s, "cdef");
	tp_str_fini(&s);
}

static void reserved_room_is_used(void **state)
{
	struct tp_str s;
	char *block;

	(void)state;
	tp_str_init(&s);
	assert_int_equal(tp_str_set(&s, "short"), 0);
	assert_int_equal(tp_str_reserve(&s, 1000), 0);
	holds(&s, "short");
	assert_true(s.capacity >= 1000);
	block = s.data;
	while (s.len < 1000)
		assert_int_equal(tp_str_append(&s, "x"), 0);
	assert_ptr_equal(s.data, block);
	tp_str_clear(&s);
	holds(&s, "");
	assert_ptr_equal(s.data, block);
	tp_str_fini(&s);
}

static void moving_takes_the_text_along(void **state)
{
	static const char *const texts[] = {"", "short", "one that is longer than fifteen bytes"};
	uint64_t before = blocks_in_use();
	struct tp_str from, to;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 3; j++) {
			tp_str_init(&from);
			tp_str_init(&to);
			assert_int_equal(tp_str_set(&from, texts[i]), 0);
			assert_int_equal(tp_str_set(&to, texts[j]), 0);
			assert_int_equal(tp_str_move(&to, &from), 0);
			holds(&to, texts[i]);
			holds(&from, "");
			assert_int_equal(tp_str_move(&to, &to), 0);
			holds(&to, texts[i]);
			tp_str_fini(&to);
			tp_str_fini(&from);
			assert_int_equal(blocks_in_use(), before);
		}
	}
}

static void zero_bytes_are_an_empty_string(void **state)
{
	struct tp_str s, to;

	(void)state;
	memset(&s, 0, sizeof(s));
	assert_int_equal(tp_str_check(&s), 0);
	assert_int_equal(tp_str_append(&s, "text"), 0);
	holds(&s, "text");
	memset(&s, 0, sizeof(s));
	tp_str_clear(&s);
	holds(&s, "");
	memset(&s, 0, sizeof(s));
	memset(&to, 0, sizeof(to));
	assert_int_equal(tp_str_move(&to, &s), 0);
	holds(&to, "");
	tp_str_fini(&to);
}

static void refused(struct tp_str *s, const char *why)
{
	struct tp_str before = *s, to;

	assert_int_equal(tp_str_check(s), -EFAULT);
	assert_non_null(strstr(tp_why(), why));
	assert_int_equal(tp_str_append(s, "more"), -EFAULT);
	assert_int_equal(tp_str_set(s, "other"), -EFAULT);
	assert_int_equal(tp_str_reserve(s, 1000), -EFAULT);
	tp_str_init(&to);
	assert_int_equal(tp_str_move(&to, s), -EFAULT);
	assert_memory_equal(s, &before, sizeof(before));
	holds(&to, "");
}

/* Wherever the source lies: on the stack, or in a block of the heap. */
static void a_byte_copy_of_a_short_string_is_refused(void **state)
{
	static const char *const texts[] = {"", "a", "abc", "123456789012345"};
	struct tp_str *s = tp_malloc(2 * sizeof(*s)), source, copy;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (int at = 0; at < 2; at++) {
			tp_str_init(&s[at]);
			assert_int_equal(tp_str_set(&s[at], texts[i]), 0);
			memcpy(&copy, &s[at], sizeof(copy));
			refused(&copy, "copied as bytes");
		}
		tp_str_init(&source);
		assert_int_equal(tp_str_set(&source, texts[i]), 0);
		memcpy(&copy, &source, sizeof(copy));
		refused(&copy, "copied as bytes");
	}
	assert_int_equal(tp_free(s), 0);
}

static void other_memory_is_refused(void **state)
{
	struct tp_str s = {.data = malloc(101), .len = 50, .capacity = 100};
	char *block = tp_malloc(500);

	(void)state;
	memset(s.data, 'x', 101);
	s.data[50] = '\0';
	refused(&s, "not a block");
	free(s.data);
	memset(block, 'x', 500);
	s.data = block;
	refused(&s, "NUL");
	s.len = 200;
	refused(&s, "beyond its capacity");
	s.capacity = 100000;
	refused(&s, "not a block");
	s.data = block + 16;
	s.capacity = 100;
	refused(&s, "not a block");
	s.data = block;
	s.len = 50;
	assert_int_equal(tp_free(block), 0);
	refused(&s, "not a block");
}

static void bad_input_has_an_answer(void **state)
{
	struct tp_str s;

	(void)state;
	tp_str_init(&s);
	assert_int_equal(tp_str_set(&s, "kept"), 0);
	assert_int_equal(tp_str_set(&s, NULL), -EINVAL);
	assert_int_equal(tp_str_append(&s, NULL), -EINVAL);
	assert_int_equal(tp_str_append_n(&s, NULL, 3), -EINVAL);
	assert_int_equal(tp_str_append_n(&s, NULL, 0), 0);
	assert_int_equal(tp_str_append_n(&s, "x", SIZE_MAX), -EOVERFLOW);
	assert_int_equal(tp_str_append_n(&s, "x", SIZE_MAX - 2), -EOVERFLOW);
	assert_int_equal(tp_str_reserve(&s, SIZE_MAX), -EOVERFLOW);
	assert_int_equal(tp_str_set(NULL, "x"), -EFAULT);
	assert_int_equal(tp_str_check(NULL), -EFAULT);
	tp_str_fini(NULL);
	holds(&s, "kept");
}

static void a_full_heap_leaves_the_string(void **state)
{
	struct tp_str s;

	(void)state;
	tp_str_init(&s);
	assert_int_equal(tp_str_set(&s, "what was there before"), 0);
	assert_int_equal(tp_str_reserve(&s, UINT64_C(1) << 40), -ENOSPC);
	assert_non_null(strstr(tp_why(), "heap"));
	holds(&s, "what was there before");
	tp_str_fini(&s);
}

/* In a forked child the memory is there, but it is nobody's in the group. */
static void outside_a_group_short_texts_work(void **state)
{
	struct tp_str s, held;
	uint64_t id;

	(void)state;
	tp_str_init(&held);
	assert_int_equal(tp_str_set(&held, "a text of the group's heap"), 0);
	tpi_disconnect();
	tp_str_init(&s);
	assert_int_equal(tp_str_set(&s, "123456789012345"), 0);
	assert_int_equal(tp_str_append(&s, "6"), -ENOTCONN);
	holds(&s, "123456789012345");
	assert_int_equal(tp_str_append(&held, "x"), -ENOTCONN);
	assert_string_equal(held.data, "a text of the group's heap");
	tp_str_fini(&s);
	id = tpgroup_add("me");
	tpgroup_be(id);
	tp_str_fini(&held);
}

/* Made by one program, continued by another, freed by a third. */
static int make(void *arg)
{
	struct tp_str *s = arg;

	return tp_str_set(s, "made by a program that is gone");
}

static int go_on(void *arg)
{
	return tp_str_append(arg, ", continued by another");
}

static void strings_go_from_program_to_program(void **state)
{
	struct tp_str *s = tp_malloc(sizeof(*s));
	uint64_t id;

	(void)state;
	tp_str_init(s);
	id = tpgroup_add("maker");
	assert_int_equal(tpgroup_join(tpgroup_fork(id, make, s), id), 0);
	id = tpgroup_add("successor");
	assert_int_equal(tpgroup_join(tpgroup_fork(id, go_on, s), id), 0);
	holds(s, "made by a program that is gone, continued by another");
	tp_str_fini(s);
	assert_int_equal(tp_free(s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifteen_bytes_need_no_block),
		cmocka_unit_test(it_grows_byte_by_byte),
		cmocka_unit_test(a_string_can_be_its_own_source),
		cmocka_unit_test(reserved_room_is_used),
		cmocka_unit_test(moving_takes_the_text_along),
		cmocka_unit_test(zero_bytes_are_an_empty_string),
		cmocka_unit_test(a_byte_copy_of_a_short_string_is_refused),
		cmocka_unit_test(other_memory_is_refused),
		cmocka_unit_test(bad_input_has_an_answer),
		cmocka_unit_test(a_full_heap_leaves_the_string),
		cmocka_unit_test(outside_a_group_short_texts_work),
		cmocka_unit_test(strings_go_from_program_to_program),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_sound_group);
}
