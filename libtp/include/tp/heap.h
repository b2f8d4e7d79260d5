/* SPDX-License-Identifier: MIT */
/* The group's heap: blocks that any program may free and that outlive their maker. Arenas: many blocks, freed or handed over at once. */
#ifndef TP_HEAP_H
#define TP_HEAP_H

#include <tp/base.h>

TP_BEGIN

/* tp_malloc and its kin - as in <stdlib.h>, but in the group segment. NULL: tp_why says why (-ENOTCONN, or the heap is full). */
TP_API void *tp_malloc(size_t size) __attribute__((malloc, alloc_size(1)));
TP_API void *tp_calloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));
TP_API void *tp_realloc(void *ptr, size_t size) __attribute__((alloc_size(2)));
TP_API void *tp_aligned_alloc(size_t align, size_t size) __attribute__((malloc, alloc_size(2)));
TP_API size_t tp_usable_size(const void *ptr);

/* tp_free - any program's block. Named diagnostic on stderr for a pointer that is not one, or is free already; abort only in the
 * debug build. Return: 0, -EFAULT (foreign), -EALREADY (freed already). NULL is fine. */
TP_API int tp_free(void *ptr);

/* tp_alloc - the same with a reason: -ENOSPC (tp_why names the limit), -EINVAL (align is no power of two, size is absurd). */
TP_API int tp_alloc(size_t size, size_t align, void **ret_ptr);

/* tp_heap_check - walks all of the heap's state. 0: sound; -EUCLEAN: tp_why names the first thing that is not. */
TP_API int tp_heap_check(void);

struct tp_heap_stats {
	uint64_t size;		/* of the heap, bytes: the limit */
	uint64_t slabs, slabs_free;
	uint64_t blocks, bytes;	/* in use */
	uint64_t touched;	/* bytes of slabs and spans that hold memory */
};
/* tp_heap_stats - owner 0: all; else what slabs and spans of that program hold. */
TP_API int tp_heap_stats(tp_id owner, struct tp_heap_stats *ret_stats);

struct tp_arena;
TP_API int tp_arena_create(struct tp_arena **ret_arena);
TP_API void *tp_arena_alloc(struct tp_arena *arena, size_t size, size_t align);
/* tp_arena_give - the receiver may destroy it even when this program has died: says who answers for it from now on. */
TP_API int tp_arena_give(struct tp_arena *arena, tp_id receiver);
TP_API struct tp_arena *tp_arena_destroy(struct tp_arena *arena);

TP_END
#endif
