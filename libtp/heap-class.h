/* SPDX-License-Identifier: MIT */
/* Size classes: which block a size gets, and how a run is cut into such blocks. ABI: the programs of a group cut slabs alike. */
#ifndef TPI_HEAP_CLASS_H
#define TPI_HEAP_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"
#include "tp/abi/heap.h"

enum {
	TPI_CLASSES = 48,
	TPI_DENSE = 21,		   /* classes below this have their links at the slab's start */
	TPI_SMALL_MAX = 1024,	   /* by a table of 16-byte steps */
	TPI_MEDIUM_MAX = 16 << 10, /* of 256-byte steps; above: of 4 KiB steps, in slabs of 8 units */
	TPI_CLASS_MAX = 128 << 10,
};

struct tpi_class {
	uint64_t step;	  /* 2^64 / size, rounded up: see tpi_class_block */
	uint32_t size;
	uint16_t first;	  /* number of the first block */
	uint16_t cap;	  /* blocks */
	uint16_t batch;	  /* blocks that are carved at once */
	uint16_t worth;	  /* so many free blocks make a slab worth taking */
	uint16_t shift;	  /* block n starts at (n - shift) * size */
	uint8_t line;	  /* of 64 bytes, where a slab's links start if they are in it */
	uint8_t units;	  /* of a slab */
	uint8_t held_max; /* slabs a thread holds besides the one it allocates from */
};

/* 64: whatever a word's class bits say is a valid index; a class that is none has no blocks. */
extern const struct tpi_class tpi_class[64] TPI_HIDDEN;
extern const uint8_t tpi_class_of_16[TPI_SMALL_MAX / 16 + 1] TPI_HIDDEN;
extern const uint8_t tpi_class_of_256[TPI_MEDIUM_MAX / 256] TPI_HIDDEN;
extern const uint8_t tpi_class_of_4096[TPI_CLASS_MAX / 4096] TPI_HIDDEN;

/* size <= TPI_CLASS_MAX; 0 gets the smallest. */
static inline uint32_t tpi_class_of(size_t size)
{
	if (tpi_likely(size <= TPI_SMALL_MAX))
		return tpi_class_of_16[(size + 15) / 16];
	if (size <= TPI_MEDIUM_MAX)
		return tpi_class_of_256[(size - 1) / 256];
	return tpi_class_of_4096[(size - 1) / 4096];
}

/*
 * The number of the block that starts at that offset in a slab; false: none does. The product's high half is the quotient, its low half less
 * than `step` if nothing is left over (Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019): exact for offsets below 2^32.
 */
static inline bool tpi_class_block(const struct tpi_class *c, uint32_t off, uint32_t *ret_block)
{
	unsigned __int128 product = (unsigned __int128)off * c->step;
	uint32_t block = (uint32_t)(product >> 64) + c->shift;

	*ret_block = block;
	return block - c->first < c->cap && (uint64_t)product < c->step;
}

#endif
