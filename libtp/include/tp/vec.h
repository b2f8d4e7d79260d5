/* SPDX-License-Identifier: MIT */
/*
 * struct tp_vec: an array in memory of the group, with the very layout of libstdc++'s std::vector: C reads, grows and frees what a
 * tp::vector<T> of C++ holds, and the other way round, for a T that may be copied as bytes (trivially copyable; not bool, whose vector
 * is made of bits).
 *
 * The size of an element is given with each call, and must always be the same: sizeof(T). To read: from `begin` to `end`. A
 * struct of zero bytes is an empty vector, also in C++. The struct may be moved as bytes, as long as one copy only is used from then on.
 *
 * The elements lie in a block of the group's heap. The struct itself may lie anywhere; where other programs are to see it, it lies in a
 * block of the heap, too. Two threads that use one vector, one of them to change it, need a lock. A program that is killed within a call
 * leaves a vector that must be looked at (tp_vec_check) before it is used; at most one block is lost.
 */
#ifndef TP_VEC_H
#define TP_VEC_H

#include <tp/base.h>

struct tp_vec {
	void *begin; /* NULL: no block */
	void *end;   /* behind the last element */
	void *limit; /* behind the block's room */
};

TP_BEGIN

/*
 * tp_vec_init - makes `v` an empty vector, whatever it was before.
 *
 * Context: thread-safe, async-signal-safe, fork-safe; does not block; does not allocate. In or out of a group. Since 0.1.
 */
TP_API void tp_vec_init(struct tp_vec *v);

/*
 * tp_vec_count - how many elements of `element` bytes there are; 0 where `element` is 0, or v is NULL.
 *
 * Context: as tp_vec_init. Since 0.1.
 */
TP_API size_t tp_vec_count(const struct tp_vec *v, size_t element);

/*
 * tp_vec_at - the element of that index, counted from 0. It is the vector's, until the vector next changes.
 *
 * Context: as tp_vec_init. Return: NULL: the index is beyond the end. Since 0.1.
 */
TP_API void *tp_vec_at(const struct tp_vec *v, size_t element, size_t index);

/*
 * tp_vec_push - adds a copy of the element at `value` at the end; tp_vec_append - of the `count` elements at `values`.
 *
 * @element        bytes of one
 * @value, @values may be the vector's own elements
 *
 * Context: thread-safe for different vectors; not async-signal-safe; in a forked child as outside a group; does not block; allocates where
 * the room that there is does not do. The time for many pushes grows with the final count only. Return: 0; -EINVAL: element is 0, or
 * there are no values: NULL; -EOVERFLOW: the bytes cannot be counted; -ENOSPC: the heap is full (tp_why names the limit); -ENOTCONN: this
 * is no group, and the vector has memory or needs some; -EFAULT: the vector is none, is one of other elements, or its memory is not of
 * the group's heap (tp_why says which). On failure the vector is as it was. Since 0.1.
 */
TP_API int tp_vec_push(struct tp_vec *v, size_t element, const void *value);
TP_API int tp_vec_append(struct tp_vec *v, size_t element, const void *values, size_t count);

/*
 * tp_vec_resize - makes it `count` elements long. New ones are zero bytes. Room stays.
 *
 * Context, Return: as tp_vec_push. Since 0.1.
 */
TP_API int tp_vec_resize(struct tp_vec *v, size_t element, size_t count);

/*
 * tp_vec_reserve - makes room for at least `count` elements, so that a vector of up to that many needs no further memory. Never shrinks.
 *
 * Context, Return: as tp_vec_push. Since 0.1.
 */
TP_API int tp_vec_reserve(struct tp_vec *v, size_t element, size_t count);

/*
 * tp_vec_move - `to` gets the elements of `from`, and its own are freed; `from` is empty afterwards. to == from changes nothing.
 *
 * Context: thread-safe for different vectors; not async-signal-safe; does not block; frees. Return: 0; -EFAULT, -EALREADY: what `to` held
 * was no block of the heap, or had been freed; -ENOTCONN: `to` has memory, and this is no group. `to` has got the elements all the
 * same. Since 0.1.
 */
TP_API int tp_vec_move(struct tp_vec *to, struct tp_vec *from);

/*
 * tp_vec_check - could these bytes be a vector of such elements, that the calls here, or a tp::vector, have made?
 *
 * Context: as tp_vec_init. Return: 0; -EINVAL: element is 0; -EFAULT, and tp_why says what is wrong; -ENOTCONN: it has memory, and this
 * is no group. Since 0.1.
 */
TP_API int tp_vec_check(const struct tp_vec *v, size_t element);

/*
 * tp_vec_fini - frees the elements' memory; `v` is empty afterwards. NULL is fine. What elements point to is left alone.
 *
 * Memory that is no block of the group's heap is left alone, with the heap's named diagnostic on stderr.
 *
 * Context: thread-safe for different vectors; not async-signal-safe; does not block; frees. Since 0.1.
 */
TP_API void tp_vec_fini(struct tp_vec *v);

TP_END
#endif
