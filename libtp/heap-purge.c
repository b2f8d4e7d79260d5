/* SPDX-License-Identifier: MIT */
/*
 * When memory goes back to the kernel.
 *
 * A hole costs a system call and makes the next touch dear, and one in the middle of a huge page breaks it up. So free units keep their
 * memory, up to a limit; beyond a smaller one, 2 MiB that have become free as a whole are given back as a whole; beyond the limit, and for
 * runs that are large themselves, each run is given back as it comes.
 */
#include "heap-engine.h"

enum {
	CHUNK = 32,	    /* units of 2 MiB */
	EASY = 8 * CHUNK,   /* dirty free units that nobody minds */
	LIMIT = 32 * CHUNK, /* and at most; both no more than a sixteenth of the heap */
};

static bool above(const struct tpi_heap *t, int64_t limit)
{
	int64_t part = t->map.units / 16;

	return tpi_get(t->map.meta->dirty) > (limit < part ? limit : part);
}

bool tpi_purge_now(struct tpi_heap *t, uint32_t units)
{
	return units >= 2 * CHUNK || above(t, LIMIT);
}

static uint32_t of_chunk(const uint64_t *bits, uint32_t chunk)
{
	return (uint32_t)(tpi_get(bits[chunk / 2]) >> chunk % 2 * 32);
}

/* The unit has just become free: has its chunk? */
void tpi_purge_around(struct tpi_heap *t, uint32_t unit)
{
	const struct tpi_heap_map *m = &t->map;
	uint32_t chunk = unit / CHUNK, at = chunk * CHUNK, other;

	if (!above(t, EASY) || of_chunk(m->busy, chunk) || !of_chunk(m->dirty, chunk))
		return;
	if (at + CHUNK > m->units || !tpi_run_take_at(t, at, CHUNK, &other))
		return;
	if (tpi_heap_drop(tpi_unit(at), CHUNK * TP_HEAP_UNIT) == 0)
		__atomic_fetch_sub(&m->meta->dirty, tpi_bits_clear(m->dirty, at, CHUNK), __ATOMIC_RELAXED);
	tpi_run_release(m, at, CHUNK);
}
