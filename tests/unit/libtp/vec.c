/* SPDX-License-Identifier: MIT */
/* Vectors: growth, aliasing, alignment, bad input, other elements. C++ looks at them in cpp-layout.cpp. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "fixture.h"
#include <tp/heap.h>
#include <tp/vec.h>

struct point {
	int64_t x, y, z;
};

static void it_grows_element_by_element(void **state)
{
	uint64_t before = blocks_in_use();
	struct tp_vec v = {0};
	int moves = 0;

	(void)state;
	for (int64_t i = 0; i < 10000; i++) {
		void *begin = v.begin;

		assert_int_equal(tp_vec_push(&v, sizeof(struct point), &(struct point){i, -i, 2 * i}), 0);
		moves += v.begin != begin;
	}
	assert_int_equal(tp_vec_count(&v, sizeof(struct point)), 10000);
	assert_true(moves < 20);
	for (int64_t i = 0; i < 10000; i++) {
		struct point *p = tp_vec_at(&v, sizeof(struct point), (size_t)i);

		assert_true(p->x == i && p->y == -i && p->z == 2 * i);
	}
	assert_null(tp_vec_at(&v, sizeof(struct point), 10000));
	assert_null(tp_vec_at(&v, sizeof(struct point), SIZE_MAX));
	assert_int_equal(blocks_in_use(), before + 1);
	tp_vec_fini(&v);
	assert_null(v.begin);
	assert_int_equal(blocks_in_use(), before);
}

static void its_own_elements_can_be_added(void **state)
{
	struct tp_vec v = {0};

	(void)state;
	assert_int_equal(tp_vec_push(&v, 8, &(uint64_t){7}), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tp_vec_push(&v, 8, v.begin), 0);
	for (size_t i = 0; i < 1001; i++)
		assert_int_equal(*(uint64_t *)tp_vec_at(&v, 8, i), 7);
	*(uint64_t *)tp_vec_at(&v, 8, 1000) = 9;
	assert_int_equal(tp_vec_append(&v, 8, v.begin, 1001), 0);
	assert_int_equal(tp_vec_count(&v, 8), 2002);
	assert_int_equal(*(uint64_t *)tp_vec_at(&v, 8, 2001), 9);
	tp_vec_fini(&v);
}

static void resizing_gives_zeroes(void **state)
{
	struct tp_vec v = {0};

	(void)state;
	assert_int_equal(tp_vec_resize(&v, 4, 0), 0);
	assert_null(v.begin);
	assert_int_equal(tp_vec_resize(&v, 4, 100), 0);
	memset(v.begin, 0xff, 400);
	assert_int_equal(tp_vec_resize(&v, 4, 10), 0);
	assert_int_equal(tp_vec_count(&v, 4), 10);
	assert_int_equal(tp_vec_resize(&v, 4, 50), 0);
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(*(uint32_t *)tp_vec_at(&v, 4, i), i < 10 ? UINT32_MAX : 0);
	tp_vec_fini(&v);
}

static void reserved_room_is_used(void **state)
{
	struct tp_vec v = {0};
	void *begin;

	(void)state;
	assert_int_equal(tp_vec_reserve(&v, 24, 1000), 0);
	begin = v.begin;
	assert_int_equal(tp_vec_resize(&v, 24, 1000), 0);
	assert_ptr_equal(v.begin, begin);
	assert_int_equal(tp_vec_reserve(&v, 24, 10), 0);
	assert_ptr_equal(v.begin, begin);
	tp_vec_fini(&v);
}

/* The size of a type is a multiple of its alignment. */
static void elements_are_aligned(void **state)
{
	static const size_t sizes[] = {1, 8, 24, 32, 48, 64, 192, 256, 4096, 12288};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tp_vec v = {0};

		for (size_t count = 1; count < 40; count += 3) {
			assert_int_equal(tp_vec_resize(&v, sizes[i], count), 0);
			assert_int_equal((uintptr_t)v.begin % (sizes[i] & -sizes[i]), 0);
		}
		tp_vec_fini(&v);
	}
}

static void moving_takes_the_block_along(void **state)
{
	uint64_t before = blocks_in_use();
	struct tp_vec from = {0}, to = {0};
	void *begin;

	(void)state;
	assert_int_equal(tp_vec_resize(&from, 8, 10), 0);
	assert_int_equal(tp_vec_resize(&to, 8, 20), 0);
	begin = from.begin;
	assert_int_equal(tp_vec_move(&to, &to), 0);
	assert_int_equal(tp_vec_count(&to, 8), 20);
	assert_int_equal(tp_vec_move(&to, &from), 0);
	assert_ptr_equal(to.begin, begin);
	assert_int_equal(tp_vec_count(&to, 8), 10);
	assert_null(from.begin);
	tp_vec_fini(&to);
	assert_int_equal(blocks_in_use(), before);
}

static void refused(struct tp_vec *v, size_t element, const char *why)
{
	struct tp_vec before = *v;

	assert_int_equal(tp_vec_check(v, element), -EFAULT);
	assert_non_null(strstr(tp_why(), why));
	assert_int_equal(tp_vec_push(v, element, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), -EFAULT);
	assert_int_equal(tp_vec_resize(v, element, 1), -EFAULT);
	assert_int_equal(tp_vec_reserve(v, element, 1), -EFAULT);
	assert_memory_equal(v, &before, sizeof(before));
}

static void what_is_no_vector_is_refused(void **state)
{
	char *block = tp_malloc(240), *private = malloc(240);
	struct tp_vec v = {private, private + 240, private + 240};

	(void)state;
	refused(&v, 24, "not a block");
	v = (struct tp_vec){block, block + 72, block + 240};
	assert_int_equal(tp_vec_check(&v, 24), 0);
	refused(&v, 16, "elements of 16 bytes");
	v = (struct tp_vec){block + 24, block + 72, block + 240};
	refused(&v, 24, "not a block");
	v = (struct tp_vec){block, block + 2400, block + 4800};
	refused(&v, 24, "not a block");
	v = (struct tp_vec){block, block - 24, block + 240};
	refused(&v, 24, "before its beginning");
	v = (struct tp_vec){block, block + 240, block + 24};
	refused(&v, 24, "beyond its memory");
	v = (struct tp_vec){NULL, block, block};
	refused(&v, 24, "no beginning");
	free(private);
	assert_int_equal(tp_free(block), 0);
	v = (struct tp_vec){block, block + 72, block + 240};
	refused(&v, 24, "not a block");
}

static void bad_input_has_an_answer(void **state)
{
	struct tp_vec v = {0};
	size_t n;

	(void)state;
	assert_int_equal(tp_vec_push(&v, 8, &(uint64_t){7}), 0);
	assert_int_equal(tp_vec_push(&v, 8, NULL), -EINVAL);
	assert_int_equal(tp_vec_append(&v, 8, NULL, 0), 0);
	assert_int_equal(tp_vec_push(&v, 0, &n), -EINVAL);
	assert_int_equal(tp_vec_resize(&v, 0, 1), -EINVAL);
	assert_int_equal(tp_vec_resize(&v, 8, SIZE_MAX), -EOVERFLOW);
	assert_int_equal(tp_vec_reserve(&v, 8, SIZE_MAX / 8), -EOVERFLOW);
	assert_int_equal(tp_vec_append(&v, 8, &n, SIZE_MAX / 8), -EOVERFLOW);
	assert_int_equal(tp_vec_append(&v, 8, &n, SIZE_MAX), -EOVERFLOW);
	assert_int_equal(tp_vec_reserve(&v, 8, UINT64_C(1) << 37), -ENOSPC);
	assert_int_equal(tp_vec_push(NULL, 8, &n), -EFAULT);
	assert_int_equal(tp_vec_count(NULL, 8), 0);
	assert_int_equal(tp_vec_count(&v, 0), 0);
	assert_int_equal(tp_vec_count(&v, 8), 1);
	tp_vec_fini(NULL);
	tp_vec_fini(&v);
}

static void outside_a_group_memory_is_refused(void **state)
{
	struct tp_vec v = {0}, held = {0};

	(void)state;
	assert_int_equal(tp_vec_resize(&held, 8, 3), 0);
	tpi_disconnect();
	assert_int_equal(tp_vec_push(&v, 8, &(uint64_t){7}), -ENOTCONN);
	assert_int_equal(tp_vec_push(&held, 8, &(uint64_t){7}), -ENOTCONN);
	assert_int_equal(tp_vec_resize(&v, 8, 0), 0);
	tp_vec_fini(&v);
	tpgroup_be(tpgroup_add("me"));
	assert_int_equal(tp_vec_count(&held, 8), 3);
	tp_vec_fini(&held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_grows_element_by_element),
		cmocka_unit_test(its_own_elements_can_be_added),
		cmocka_unit_test(resizing_gives_zeroes),
		cmocka_unit_test(reserved_room_is_used),
		cmocka_unit_test(elements_are_aligned),
		cmocka_unit_test(moving_takes_the_block_along),
		cmocka_unit_test(what_is_no_vector_is_refused),
		cmocka_unit_test(bad_input_has_an_answer),
		cmocka_unit_test(outside_a_group_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, open_group_as_me, close_sound_group);
}
