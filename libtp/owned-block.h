/* SPDX-License-Identifier: MIT */
/* What strings and vectors keep their content in: a whole block of the group's heap. */
#ifndef TPI_OWNED_BLOCK_H
#define TPI_OWNED_BLOCK_H

#include "core.h"
#include "heap-engine.h"

/* A block in use starts at `ptr` and has room for `size` bytes. After tpi_ready. */
static inline bool tpi_owned_block(const void *ptr, size_t size)
{
	void *block;
	size_t usable;
	uint32_t tag;

	return tpi_heap_find(ptr, &block, &usable, &tag) == 0 && block == ptr && usable >= size;
}

#endif
