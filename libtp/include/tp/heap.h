/* SPDX-License-Identifier: MIT */
/*
 * The group's heap: memory at the same address in every program of the group.
 *
 * A block may be freed by any program, whatever its own malloc is, and outlives the program that made it. Nobody waits for anybody: a
 * program that is stopped or killed inside of any of these calls holds nothing that others need, and loses one block at most.
 *
 * What a dead program had allocated stays, since others may be using it; what it had in an arena of its own is freed.
 *
 * Sizes are bytes. Blocks are aligned to 16. Blocks above 128 KiB are rounded up to 64 KiB.
 */
#ifndef TP_HEAP_H
#define TP_HEAP_H

#include <tp/base.h>

TP_BEGIN

/*
 * tp_malloc - allocates a block.
 * @size: 0 gives a block as well
 *
 * Context: thread-safe; not async-signal-safe; a forked child is in no group; does not block; allocates.
 * Return: the block, owned by who has the pointer; its content is undefined. NULL, and tp_why says why: this process is in no group, the
 *         heap is full (it names the limit), the size is absurd, the program has more threads than libtp can tell apart (12,288).
 * Since 0.1.
 */
TP_API void *tp_malloc(size_t size) __attribute__((malloc, alloc_size(1)));

/*
 * tp_calloc - allocates an array of zeros.
 * @count: elements
 * @size: of each; a product that overflows is refused
 *
 * Context, Return: as tp_malloc. Since 0.1.
 */
TP_API void *tp_calloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));

/*
 * tp_realloc - changes the size of a block, which may move.
 * @ptr: a block of any program; NULL: as tp_malloc. Not to be used afterwards, unless NULL is returned: then it is as it was.
 * @size: 0 gives the smallest block, it does not free
 *
 * Context: as tp_malloc.
 * Return: the block; NULL: as tp_malloc, or ptr is none that may be freed (see tp_free).
 * Since 0.1.
 */
TP_API void *tp_realloc(void *ptr, size_t size) __attribute__((alloc_size(2)));

/*
 * tp_aligned_alloc - allocates a block that starts at a multiple of `align`.
 * @align: a power of two, 0 is as 1; as large as the heap allows
 * @size: need not be a multiple of align
 *
 * Context: as tp_malloc.
 * Return: as tp_malloc; NULL also for an alignment that is no power of two.
 * Since 0.1.
 */
TP_API void *tp_aligned_alloc(size_t align, size_t size) __attribute__((malloc, alloc_size(2)));

/*
 * tp_usable_size - how many bytes of a block may be used: at least what was asked for.
 *
 * Context: thread-safe, async-signal-safe, does not block, does not allocate.
 * Return: 0: NULL, or not the start of a block, or in no group.
 * Since 0.1.
 */
TP_API size_t tp_usable_size(const void *ptr);

/*
 * tp_free - frees a block, whichever program made it.
 * @ptr: what one of the calls above returned; NULL is fine
 *
 * A pointer that is not a block in use is refused and does no harm; one line on stderr, and tp_why, say what it is and whose. libtp that was
 * built with -Dbuildtype=debug ends the program then. A block that was freed twice is recognised unless it was written to in between.
 *
 * Context: thread-safe; not async-signal-safe; a forked child is in no group; does not block; may give memory back to the kernel.
 * Return: 0; -EFAULT: not a block of the heap; -EALREADY: free already; -ENOTCONN, -EPROTO: in no group.
 * Since 0.1.
 */
TP_API int tp_free(void *ptr);

/*
 * tp_alloc - as tp_aligned_alloc, with the reason as its result.
 *
 * Context: as tp_malloc.
 * Return: 0; -ENOSPC: the heap is full (tp_why names the limit); -EINVAL: align is no power of two, or no block can be that large;
 *         -EAGAIN: more threads than libtp can tell apart; -ENOTCONN, -EPROTO: in no group.
 * Since 0.1.
 */
TP_API int tp_alloc(size_t size, size_t align, void **ret_ptr);

/*
 * tp_heap_check - walks all of the heap's state, while others go on.
 *
 * Finds what wild writes or bugs have done to it, not leaks. Takes time with the heap's size.
 *
 * Context: thread-safe, async-signal-safe, does not block, does not allocate.
 * Return: 0: sound; -EUCLEAN: tp_why names the first thing that is not; -ENOTCONN, -EPROTO: in no group.
 * Since 0.1.
 */
TP_API int tp_heap_check(void);

/* Memory is counted for the program that worked last with the slab of 64 KiB or more in which small blocks lie together. */
struct tp_heap_usage {
	uint64_t size;		/* of the heap: the limit, bytes */
	uint64_t slabs;		/* that are cut into blocks */
	uint64_t slabs_free;	/* units of 64 KiB that are free; for owner 0 only */
	uint64_t blocks;	/* in use */
	uint64_t bytes;		/* in blocks in use, as tp_usable_size counts */
	uint64_t touched;	/* bytes of slabs, large blocks and arenas, and of free units that have not been given back */
	uint64_t reserved[2];	/* 0 */
};

/*
 * tp_heap_stats - what the heap holds.
 * @owner: a program, dead or alive; 0: all
 *
 * Context: thread-safe, async-signal-safe, does not block, does not allocate; others go on meanwhile.
 * Return: 0; -ENOTCONN, -EPROTO: in no group.
 * Since 0.1.
 */
TP_API int tp_heap_stats(tp_id owner, struct tp_heap_usage *ret_stats);

/* Many blocks that are freed, or handed over, at once. Its pointer is as good in every program as a block's. */
struct tp_arena;

/*
 * tp_arena_create - an empty arena of this program. If the program dies and has not given it away, it is freed.
 *
 * Context: thread-safe; not async-signal-safe; does not block; allocates 64 KiB.
 * Return: 0; -ENOSPC: the heap is full; -EAGAIN: too many threads; -ENOTCONN, -EPROTO: in no group.
 * Since 0.1.
 */
TP_API int tp_arena_create(struct tp_arena **ret_arena);

/*
 * tp_arena_alloc - allocates in an arena.
 * @arena: of this program; one thread at a time may allocate in it
 * @size: 0 is as 1
 * @align: a power of two; 0 is 16
 *
 * The block is freed with the arena, and not by tp_free.
 *
 * Context: not thread-safe for one arena; not async-signal-safe; does not block; allocates.
 * Return: the block, its content is undefined; NULL: the heap is full, the arena is another program's or none, or align is no power of two;
 *         tp_why says which.
 * Since 0.1.
 */
TP_API void *tp_arena_alloc(struct tp_arena *arena, size_t size, size_t align);

/*
 * tp_arena_give - hands an arena with all that is in it to another program.
 * @arena: of this program, which must not allocate in it or destroy it any more
 * @receiver: answers for it from now on: may allocate in it, destroys it, and if it dies it is freed. One store; it need not be told.
 *
 * Context: thread-safe but for calls with the same arena; does not block, does not allocate.
 * Return: 0; -EPERM: the arena is another program's; -EFAULT: it is none; -ESRCH: no such program is running; -EAGAIN: too many threads;
 *         -ENOTCONN, -EPROTO: in no group.
 * Since 0.1.
 */
TP_API int tp_arena_give(struct tp_arena *arena, tp_id receiver);

/*
 * tp_arena_destroy - frees an arena with all that is in it.
 * @arena: of this program; NULL is fine. One that is another's or none is left alone, and named on stderr.
 *
 * Context: thread-safe but for calls with the same arena; does not block; may give memory back to the kernel.
 * Return: NULL.
 * Since 0.1.
 */
TP_API struct tp_arena *tp_arena_destroy(struct tp_arena *arena);

TP_END
#endif
