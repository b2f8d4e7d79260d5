/* SPDX-License-Identifier: MIT */
/*
 * What is said when the heap is misused or full. A build with -Dbuildtype=debug ends the program after that (TPI_HEAP_ABORT), so that the
 * culprit is on the stack.
 */
#include <errno.h>
#include <stdlib.h>

#include "heap-engine.h"

static const char *name_of(uint32_t tag, char room[TP_NAME_MAX])
{
	if (tpi_program_known(tpi_heap_holder(tag), room))
		return room;
	if (tag == tpi_heap_tag())
		return "this program";
	return tpi_heap_is_copy() ? "the program that this one was forked from" : "a program that is gone";
}

/* Tests that look at what is said set it. */
int tpi_heap_spare;

static void end_if_debugging(void)
{
#ifdef TPI_HEAP_ABORT
	if (!tpi_heap_spare)
		abort();
#endif
}

#define BLAME(error, ...) (tpi_complain(__VA_ARGS__), tpi_fail(error, __VA_ARGS__))

static int say(const void *ptr, const char *call)
{
	uint64_t at = (uintptr_t)ptr;
	char room[TP_NAME_MAX];
	uint32_t tag = 0;
	size_t size = 0;
	void *block = NULL;
	int r = tpi_heap_find(ptr, &block, &size, &tag);

	if (r == -EALREADY && !tag)
		return BLAME(r, "%s: %x is in " TPI_HEAP_NAME " but free already (freed twice?)", call, at);
	if (r == -EALREADY)
		return BLAME(r, "%s: %x is in " TPI_HEAP_NAME " but free already (freed twice, the last time as memory of %s)", call,
			at, name_of(tag, room));
	if (!r && block == ptr)
		return BLAME(-EFAULT, "%s: %x is an arena of %s: arenas are freed as a whole (tp_arena_destroy)", call, at, name_of(tag, room));
	if (!r)
		return BLAME(-EFAULT, "%s: %x points into a block of %s, which starts at %x and has %u bytes", call, at, name_of(tag, room),
			(uint64_t)(uintptr_t)block, (uint64_t)size);
	if (tpi_program_known(tpi_slot_holder(at), room))
		return BLAME(-EFAULT, "%s: %x is not in " TPI_HEAP_NAME ": it is private memory of %s (free it there, as it was allocated)",
			call, at, room);
	return BLAME(-EFAULT, "%s: %x is not in " TPI_HEAP_NAME, call, at);
}

int tpi_heap_blame(const void *ptr, const char *call)
{
	int r = say(ptr, call);

	end_if_debugging();
	return tpi_heap_count_error(TP_CALL_FREE, r);
}

void tpi_heap_damaged(uint32_t slab, uint32_t block)
{
	struct tpi_heap_map m;
	uint32_t class_;

	tpi_heap_map_init(&m);
	class_ = TP_HEAP_WORD_CLASS(tpi_get(m.owner[slab]));
	tpi_complain("the list of free blocks at %x has been written to (by a wild pointer, or past the end of the block before): what hangs "
		     "on block %u of %u bytes is lost",
		(uint64_t)(uintptr_t)(tpi_links(&m, slab, class_) + block), (uint64_t)block, (uint64_t)tpi_class[class_].size);
	end_if_debugging();
}

static uint64_t in_use(void)
{
	struct tpi_heap_map m;
	uint64_t n = 0;

	tpi_heap_map_init(&m);
	for (uint32_t i = 0; i < m.units; i++) {
		uint32_t kind = TP_HEAP_WORD_KIND(tpi_get(m.owner[i]));

		n += kind != TP_HEAP_FREE && kind != TP_HEAP_KEPT;
	}
	return n;
}

static uint64_t mib(uint64_t bytes)
{
	return bytes >> 20;
}

static int say_full(size_t size, size_t align)
{
	uint64_t total = mib(tpi_heap_size()), used = in_use() >> 4;

	if (size > tpi_heap_size())
		return tpi_fail(-ENOSPC, TPI_HEAP_NAME " has %u MiB, and %u MiB are wanted in one piece (" TPI_HEAP_RAISE ")", total,
			mib(size));
	if (align > 1 << 20)
		return tpi_fail(-ENOSPC, TPI_HEAP_NAME ", %u of %u MiB in use, has no room for %u MiB at a multiple of %u MiB (" TPI_HEAP_RAISE
						 ")",
			used, total, mib(size + (1 << 20) - 1), mib(align));
	if (size < (1 << 20))
		return tpi_fail(-ENOSPC, TPI_HEAP_NAME " is full: %u of %u MiB in use (" TPI_HEAP_RAISE ")", used, total);
	return tpi_fail(-ENOSPC, TPI_HEAP_NAME " is full: %u of %u MiB in use, %u MiB wanted in one piece (" TPI_HEAP_RAISE ")", used,
		total, mib(size));
}

int tpi_heap_full(size_t size, size_t align)
{
	return tpi_heap_count_error(TP_CALL_ALLOCATE, say_full(size, align));
}
