/* SPDX-License-Identifier: MIT */
/* Size classes: which block a size gets, and how a run is cut into such blocks. ABI: the programs of a group cut slabs alike. */
#ifndef TPI_HEAP_CLASS_H
#define TPI_HEAP_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"

enum {
	TPI_CLASSES = 48,
	TPI_SMALL_MAX = 1024,	   /* by a table of 16-byte steps */
	TPI_MEDIUM_MAX = 16 << 10, /* of 256-byte steps; above: of 4 KiB steps, in slabs of 8 units */
	TPI_CLASS_MAX = 128 << 10,
};

struct tpi_class {
	uint32_t size;
	uint32_t step;	  /* 2^32 / (size / 16), rounded up: see tpi_class_starts */
	uint32_t limit;	  /* 16-byte places in whole blocks */
	uint16_t cap;	  /* blocks */
	uint16_t batch;	  /* blocks that are carved at once */
	uint16_t worth;	  /* so many free blocks make a slab worth taking */
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

/* Does a block start at that 16-byte step of a slab? A division by multiplication; exact for steps below 2^16, as the test shows. */
static inline bool tpi_class_starts(const struct tpi_class *c, uint32_t n)
{
	return n < c->limit && n * c->step <= c->step - 1;
}

#endif
