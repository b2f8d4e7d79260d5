/* SPDX-License-Identifier: MIT */
/* What the heap holds, counted unit by unit. Others go on meanwhile: each number is right for some moment of the call. */
#include <errno.h>
#include <tp/heap.h>

#include "heap-engine.h"

struct count {
	const struct tpi_heap_map *m;
	uint32_t tag;	/* of the owner; 0: all */
	struct tp_heap_usage sum;
};

static void add_slab(struct count *n, uint32_t i, uint32_t class_)
{
	const struct tp_slab *s = &n->m->slabs[i];
	int64_t used = tpi_get(s->count) - tpi_get(s->bias) - (int64_t)(tpi_get(s->remote) >> 16);
	uint64_t blocks = used > 0 ? (uint64_t)used : 0;

	n->sum.slabs++;
	n->sum.blocks += blocks;
	n->sum.bytes += blocks * tpi_class[class_].size;
	n->sum.touched += (uint64_t)tpi_class[class_].units << TP_HEAP_UNIT_SHIFT;
}

static void add_run(struct count *n, uint32_t i, bool used)
{
	uint64_t bytes = (uint64_t)tpi_get(n->m->slabs[i].units) << TP_HEAP_UNIT_SHIFT;

	n->sum.touched += bytes;
	n->sum.blocks += used;
	n->sum.bytes += used ? bytes : 0;
}

static void add(struct count *n, uint32_t i)
{
	uint64_t w = tpi_get(n->m->owner[i]);
	uint32_t kind = TP_HEAP_WORD_KIND(w), head = TP_HEAP_WORD_HEAD(w);
	uint64_t whose = kind == TP_HEAP_PART && head < n->m->units ? tpi_get(n->m->owner[head]) : w;

	if (kind == TP_HEAP_FREE || kind == TP_HEAP_TAIL || (n->tag && TP_HEAP_WORD_TAG(whose) != n->tag))
		return;
	if (kind == TP_HEAP_SLAB)
		add_slab(n, i, TP_HEAP_WORD_CLASS(w));
	else
		add_run(n, i, kind == TP_HEAP_SPAN || kind == TP_HEAP_ARENA || kind == TP_HEAP_PART);
}

static void add_free(struct count *n)
{
	const struct tpi_heap_map *m = n->m;

	for (uint32_t i = 0; i < m->units; i++) {
		if (tpi_get(m->owner[i]))
			continue;
		n->sum.slabs_free++;
		n->sum.touched += (tpi_get(m->dirty[i / 64]) >> i % 64 & 1) << TP_HEAP_UNIT_SHIFT;
	}
}

int tp_heap_stats(tp_id owner, struct tp_heap_usage *ret_stats)
{
	struct tpi_heap_map m;
	struct count n = {.m = &m, .tag = owner ? TP_TAG(owner) : 0};
	uint32_t top;
	int r = tpi_heap_ready();

	if (r)
		return r;
	if (!ret_stats)
		return tpi_no_place();
	tpi_heap_map_init(&m);
	top = tpi_get(m.meta->top);
	n.sum.size = tpi_heap_size();
	for (uint32_t i = 0; i < top && i < m.units; i++)
		add(&n, i);
	if (!owner)
		add_free(&n);
	*ret_stats = n.sum;
	return 0;
}
