/* SPDX-License-Identifier: MIT */
/*
 * Arrays with the layout of libstdc++'s std::vector: three pointers, all NULL or into one block.
 *
 * The block's alignment is not known here, but the size of a type is a multiple of its alignment: the lowest bit of the size will do.
 */
#include <errno.h>
#include <string.h>

#include "core.h"
#include "owned-block.h"
#include <tp/heap.h>
#include <tp/vec.h>

_Static_assert(sizeof(struct tp_vec) == 24, "the size of a std::vector");

#define BYTES_MAX ((size_t)INT64_MAX)
enum { ALIGN_MIN = 16, ALIGN_MAX = 4096 };

static size_t bytes(const void *from, const void *to)
{
	return (size_t)((uintptr_t)to - (uintptr_t)from);
}

static size_t used(const struct tp_vec *v)
{
	return bytes(v->begin, v->end);
}

static size_t room(const struct tp_vec *v)
{
	return bytes(v->begin, v->limit);
}

void tp_vec_init(struct tp_vec *v)
{
	if (v)
		*v = (struct tp_vec){NULL, NULL, NULL};
}

static int not_a_vector(const char *why)
{
	return tpi_fail(-EFAULT, "this is no vector of the group: %s", why);
}

int tp_vec_check(const struct tp_vec *v, size_t element)
{
	int r;

	if (!element)
		return tpi_fail(-EINVAL, "elements of a vector have 1 byte at least");
	if (!v)
		return not_a_vector("NULL");
	if (!v->begin)
		return v->end || v->limit ? not_a_vector("it has an end but no beginning") : 0;
	if ((uintptr_t)v->end < (uintptr_t)v->begin || (uintptr_t)v->limit < (uintptr_t)v->end)
		return not_a_vector("its end lies before its beginning, or beyond its memory");
	if (used(v) % element || room(v) % element)
		return tpi_fail(-EFAULT, "this is no vector of elements of %u bytes: it has %u bytes", (uint64_t)element,
			(uint64_t)used(v));
	r = tpi_ready();
	if (r)
		return r;
	return tpi_owned_block(v->begin, room(v)) ? 0 : not_a_vector("its memory is not a block of the group's heap");
}

size_t tp_vec_count(const struct tp_vec *v, size_t element)
{
	if (!v || !element || (uintptr_t)v->end < (uintptr_t)v->begin)
		return 0;
	return used(v) / element;
}

void *tp_vec_at(const struct tp_vec *v, size_t element, size_t index)
{
	return index < tp_vec_count(v, element) ? (char *)v->begin + index * element : NULL;
}

static size_t align_of(size_t element)
{
	size_t lowest = element & -element;

	if (lowest < ALIGN_MIN)
		return ALIGN_MIN;
	return lowest < ALIGN_MAX ? lowest : ALIGN_MAX;
}

static int too_long(size_t element, size_t count)
{
	return tpi_fail(-EOVERFLOW, "a vector of %u elements of %u bytes is too long", (uint64_t)count, (uint64_t)element);
}

/* Room for `count` elements at least. Twice what there was, unless exactly that is asked for. */
static int new_block(const struct tp_vec *v, size_t element, size_t count, bool exact, struct tp_vec *ret_new)
{
	size_t size, doubled = room(v) * 2;
	void *block;
	int r;

	if (__builtin_mul_overflow(element, count, &size) || size > BYTES_MAX)
		return too_long(element, count);
	if (!exact && size < doubled)
		size = doubled;
	r = tp_alloc(size, align_of(element), &block);
	if (r)
		return r;
	*ret_new = (struct tp_vec){block, (char *)block + used(v), (char *)block + size};
	if (used(v))
		memcpy(block, v->begin, used(v));
	return 0;
}

static void adopt_block(struct tp_vec *v, const struct tp_vec *grown)
{
	void *old = v->begin;

	*v = *grown;
	if (old)
		tp_free(old);
}

/* The values are copied before the old block goes: they may lie in it. `v` is sound. */
static int append_grown(struct tp_vec *v, size_t element, const void *values, size_t count, size_t add)
{
	struct tp_vec grown;
	int r = new_block(v, element, count, false, &grown);

	if (r)
		return r;
	memcpy(grown.end, values, add);
	grown.end = (char *)grown.end + add;
	adopt_block(v, &grown);
	return 0;
}

int tp_vec_append(struct tp_vec *v, size_t element, const void *values, size_t count)
{
	size_t add, total;
	int r = tp_vec_check(v, element);

	if (r || !count)
		return r;
	if (!values)
		return tpi_fail(-EINVAL, "there are no elements to add: NULL");
	if (__builtin_mul_overflow(element, count, &add) || add > BYTES_MAX ||
		__builtin_add_overflow(tp_vec_count(v, element), count, &total))
		return too_long(element, count);
	if (add > bytes(v->end, v->limit))
		return append_grown(v, element, values, total, add);
	memmove(v->end, values, add);
	v->end = (char *)v->end + add;
	return 0;
}

int tp_vec_push(struct tp_vec *v, size_t element, const void *value)
{
	return tp_vec_append(v, element, value, 1);
}

static int make_room(struct tp_vec *v, size_t element, size_t count, bool exact)
{
	struct tp_vec grown;
	int r = tp_vec_check(v, element);

	if (r || count <= room(v) / element)
		return r;
	r = new_block(v, element, count, exact, &grown);
	if (r)
		return r;
	adopt_block(v, &grown);
	return 0;
}

int tp_vec_reserve(struct tp_vec *v, size_t element, size_t count)
{
	return make_room(v, element, count, true);
}

int tp_vec_resize(struct tp_vec *v, size_t element, size_t count)
{
	int r = make_room(v, element, count, false);
	char *end;

	if (r || !v->begin)
		return r;
	end = (char *)v->begin + count * element;
	if (end > (char *)v->end)
		memset(v->end, 0, bytes(v->end, end));
	v->end = end;
	return 0;
}

int tp_vec_move(struct tp_vec *to, struct tp_vec *from)
{
	void *old;

	if (to == from)
		return 0;
	if (!to || !from)
		return not_a_vector("NULL");
	old = to->begin;
	*to = *from;
	tp_vec_init(from);
	return old ? tp_free(old) : 0;
}

void tp_vec_fini(struct tp_vec *v)
{
	if (!v)
		return;
	if (v->begin)
		tp_free(v->begin);
	tp_vec_init(v);
}
