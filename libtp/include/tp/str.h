/* SPDX-License-Identifier: MIT */
/*
 * struct tp_str: a string in memory of the group, with the very layout of libstdc++'s std::string (new ABI): C reads, appends and frees
 * what a tp::string of C++ holds, and the other way round.
 *
 * A text of up to 15 bytes lies in the struct itself, and `data` then points INTO it. So the struct must never be copied by assignment
 * or memcpy: the copy of a short string points at its source. Use tp_str_move. Calls that change a string refuse such a copy (-EFAULT)
 * where they can tell it: what it points to is no block of the heap.
 *
 * To read: `data`, which is NUL-terminated, and `len`; both are the string's. The bytes may be any, NUL among them.
 *
 * A longer text lies in a block of the group's heap. The struct itself may lie anywhere; where other programs are to see it, it lies
 * in a block of the heap, too. Two threads that use one string, one of them to change it, need a lock. A program that is killed within a
 * call leaves a string that must be looked at (tp_str_check) before it is used; at most one block is lost.
 *
 * Where memory is needed outside a group the calls return -ENOTCONN; texts of up to 15 bytes need none.
 */
#ifndef TP_STR_H
#define TP_STR_H

#include <tp/base.h>

#define TP_STR_SHORT_MAX 15 /* bytes that need no block */

struct tp_str {
	char *data; /* NUL-terminated; == local for short ones */
	size_t len; /* bytes, without the NUL */
	union {
		char local[TP_STR_SHORT_MAX + 1];
		size_t capacity; /* where data != local: bytes that the block has room for, without the NUL */
	};
};

TP_BEGIN

/*
 * tp_str_init - makes `s` an empty string, whatever it was before.
 *
 * A struct of zero bytes counts as an empty string in every call here, but not in C++.
 *
 * Context: thread-safe, async-signal-safe, fork-safe; does not block; does not allocate. In or out of a group. Since 0.1.
 */
TP_API void tp_str_init(struct tp_str *s);

/*
 * tp_str_set - makes the text of `s` a copy of `text`; tp_str_set_n - of the `n` bytes at `bytes`.
 *
 * The source may be a part of the string itself. A source of NULL is an error, but for n = 0.
 *
 * Context: thread-safe for different strings; not async-signal-safe; in a forked child as outside a group; does not block; allocates
 * where the text does not fit into the room that there is. Return: 0; -EINVAL: NULL; -EOVERFLOW: n is absurd; -ENOSPC: the heap is full
 * (tp_why names the limit); -ENOTCONN: memory is needed, and this is no group; -EFAULT: the string is no string, or its memory is not of
 * the group's heap (tp_why says which). On failure the string is as it was. Since 0.1.
 */
TP_API int tp_str_set(struct tp_str *s, const char *text);
TP_API int tp_str_set_n(struct tp_str *s, const char *bytes, size_t n);

/*
 * tp_str_append, tp_str_append_n - adds a copy of the text, or of the n bytes, at the end.
 *
 * Context, Return: as tp_str_set. The time for many appends grows with the final length only. Since 0.1.
 */
TP_API int tp_str_append(struct tp_str *s, const char *text);
TP_API int tp_str_append_n(struct tp_str *s, const char *bytes, size_t n);

/*
 * tp_str_reserve - makes room for at least `capacity` bytes, so that a text up to that length needs no further memory. Never shrinks.
 *
 * Context, Return: as tp_str_set. Since 0.1.
 */
TP_API int tp_str_reserve(struct tp_str *s, size_t capacity);

/*
 * tp_str_clear - the text becomes empty; the room stays.
 *
 * Context: as tp_str_init. Since 0.1.
 */
TP_API void tp_str_clear(struct tp_str *s);

/*
 * tp_str_move - `to` gets the text of `from` without a copy of it, and its own is freed; `from` is empty afterwards.
 *
 * Both must be initialised. to == from changes nothing.
 *
 * Context: thread-safe for different strings; not async-signal-safe; does not block; frees. Return: 0; -EFAULT: `from` is no string
 * (see tp_str_check), or what `to` held was no block of the heap; in the first case both are as they were. Since 0.1.
 */
TP_API int tp_str_move(struct tp_str *to, struct tp_str *from);

/*
 * tp_str_check - could these bytes be a string that the calls here, or a tp::string, have made?
 *
 * What can be told: a copy of a short string by assignment or memcpy, a std::string with another allocator, a length beyond the
 * capacity, a missing NUL. In a group a long text must be a whole block of the group's heap. Bytes that are wrong by chance in the right way
 * cannot be told.
 *
 * Context: as tp_str_init. Return: 0; -EFAULT, and tp_why says what is wrong; -ENOTCONN: the text is long, and this is no group. Since 0.1.
 */
TP_API int tp_str_check(const struct tp_str *s);

/*
 * tp_str_fini - frees the text; `s` is empty afterwards. NULL is fine.
 *
 * A text that is no block of the group's heap is left alone, with the heap's named diagnostic on stderr. Outside a group a long text is
 * left alone.
 *
 * Context: thread-safe for different strings; not async-signal-safe; does not block; frees. Since 0.1.
 */
TP_API void tp_str_fini(struct tp_str *s);

TP_END
#endif
