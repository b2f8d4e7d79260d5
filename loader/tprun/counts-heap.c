/* SPDX-License-Identifier: MIT */
/* What each program holds of the heap, from its metadata: as tp_heap_stats counts, but from outside, and for all programs in one pass. */
#include "heap-class.h"
#include "tprun/counts.h"

struct heap {
	const struct tp_slab *slabs;
	const uint64_t *owner;
	uint32_t units;
};

static struct tp_count_row *row_of(struct tp_counts *counts, uint32_t tag)
{
	for (size_t i = 0; i < counts->nrows; i++)
		if (TP_TAG(counts->rows[i].id) == tag)
			return &counts->rows[i];
	return NULL;
}

static void add_slab(const struct tp_slab *s, uint32_t class_, struct tp_count_row *row)
{
	int64_t used = (int64_t)s->count - s->bias - (int64_t)(s->remote >> 16);

	if (used <= 0 || used > (int64_t)TP_HEAP_UNIT)
		return;
	row->blocks += (uint64_t)used;
	row->bytes += (uint64_t)used * tpi_class[class_].size;
}

static void add_unit(const struct heap *h, uint32_t i, struct tp_counts *counts)
{
	uint64_t w = __atomic_load_n(&h->owner[i], __ATOMIC_RELAXED), whose = w;
	uint32_t kind = TP_HEAP_WORD_KIND(w), head = TP_HEAP_WORD_HEAD(w);
	struct tp_count_row *row;

	if (kind == TP_HEAP_PART && head < h->units)
		whose = __atomic_load_n(&h->owner[head], __ATOMIC_RELAXED);
	if (kind != TP_HEAP_SLAB && kind != TP_HEAP_SPAN && kind != TP_HEAP_ARENA && kind != TP_HEAP_PART)
		return;
	row = row_of(counts, TP_HEAP_WORD_TAG(whose));
	if (!row)
		return;
	if (kind == TP_HEAP_SLAB) {
		add_slab(&h->slabs[i], TP_HEAP_WORD_CLASS(w), row);
		return;
	}
	row->blocks++;
	row->bytes += (uint64_t)h->slabs[i].units << TP_HEAP_UNIT_SHIFT;
}

void tp_counts_read_heap(const struct tp_look *look, struct tp_counts *counts)
{
	uint32_t units = (uint32_t)(look->segment->areas[TP_AREA_HEAP].size >> TP_HEAP_UNIT_SHIFT);
	const struct tp_heap *meta;
	struct heap h = {.units = units};
	uint32_t top;

	if (!units || units > TP_HEAP_UNITS_MAX)
		return;
	meta = tp_look_area(look, TP_AREA_HEAP_META, TP_HEAP_META_SIZE(units));
	if (!meta)
		return;
	h.slabs = (const struct tp_slab *)((const char *)meta + TP_HEAP_SLABS_OFF);
	h.owner = (const uint64_t *)((const char *)meta + TP_HEAP_OWNER_OFF(units));
	top = __atomic_load_n(&meta->top, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < top && i < units; i++)
		add_unit(&h, i, counts);
}
