/* SPDX-License-Identifier: MIT */
/*
 * What a dead holder left of a slab, set right by the program that has taken it (owner[] names that one, so no third works on it; others
 * may push into `remote` at any time).
 *
 * Where a death can cut, and what is found:
 *	allocate, after free ← next        a block that is in neither list: lost, counted as in use
 *	free, after the link                the same
 *	push, after the link                the same
 *	collect, after free ← head          `free` is the end of `remote`, or all of it: `remote` is true, so free ← 0
 *	carve, after free ← first           blocks in `free` beyond `carved`: carved ← what the list shows
 *	count, bias                         not looked at: counted anew
 *
 * Each repair is one store, and the next to come finds it done or not done: this may be cut short as well.
 *
 * A list that was damaged by a stray write is cut where it stops to make sense; what hung on it counts as in use.
 */
#include "heap-engine.h"

struct walk {
	uint32_t n;	/* blocks */
	uint32_t carved; /* at least so many were carved */
	bool met;	/* the list went through the block that was looked for */
};

/* `from` on; no block is visited twice unless the list is damaged, and then the bound ends it. */
static struct walk walk(const uint16_t *link, const struct tpi_class *c, uint32_t slab, uint32_t from, uint32_t look_for)
{
	struct walk w = {0};

	for (uint32_t block = from; tpi_block_ok(c, block) && w.n < c->cap; w.n++) {
		uint32_t order = tpi_carve_order(c, slab, block);

		if (block == look_for)
			w.met = true;
		w.carved = w.carved > order ? w.carved : order;
		block = tpi_get(link[block]);
	}
	return w;
}

int32_t tpi_slab_recover(const struct tpi_heap_map *m, uint32_t slab, uint32_t class_)
{
	const struct tpi_class *c = &tpi_class[class_];
	const uint16_t *link = tpi_links(m, slab, class_);
	struct tp_slab *s = &m->slabs[slab];
	/* The lists' links: acquire, partner of push. */
	uint32_t remote = __atomic_load_n(&s->remote, __ATOMIC_ACQUIRE), pushed = remote >> 16;
	struct walk there = walk(link, c, slab, remote & 0xffff, tpi_get(s->free)), here;

	if (there.met)
		tpi_set(s->free, 0);
	here = walk(link, c, slab, tpi_get(s->free), 0);
	if (here.carved > s->carved)
		tpi_set(s->carved, here.carved);
	if (s->carved > c->cap)
		tpi_set(s->carved, c->cap);
	/* `remote` may hold more than it counts, see collect: what it counts is subtracted when it is collected, the rest is now. */
	tpi_set(s->count, (int32_t)(s->carved - here.n - (there.n > pushed ? there.n - pushed : 0)));
	s->bias = 0;
	return tpi_get(s->count) - (int32_t)pushed;
}
