/* SPDX-License-Identifier: MIT */
/* Which block does a pointer lie in, and is it in use? A few loads. */
#include <errno.h>

#include "heap-engine.h"

static int find_in_slab(const struct tpi_heap_map *m, uint32_t slab, uint64_t word, uint64_t off, void **ret_block, size_t *ret_size)
{
	const struct tpi_class *c = &tpi_class[TP_HEAP_WORD_CLASS(word)];
	uint32_t block;

	if (!c->size)
		return -EFAULT;
	block = (uint32_t)(off / c->size) + c->shift;
	if (!tpi_block_ok(c, block))
		return -EFAULT;
	if (tpi_get(tpi_links(m, slab, TP_HEAP_WORD_CLASS(word))[block]) != TP_HEAP_IN_USE)
		return -EALREADY;
	*ret_block = tpi_block(c, slab, block);
	*ret_size = c->size;
	return 0;
}

static int find_in_run(const struct tpi_heap_map *m, uint32_t head, uint64_t off, void **ret_block, size_t *ret_size)
{
	uint32_t units = tpi_get(m->slabs[head].units);

	if (off >> TP_HEAP_UNIT_SHIFT >= units)
		return -EFAULT;
	*ret_block = tpi_unit(head);
	*ret_size = (size_t)units << TP_HEAP_UNIT_SHIFT;
	return 0;
}

static uint32_t tag_of(const struct tpi_heap_map *m, uint64_t word)
{
	if (TP_HEAP_WORD_KIND(word) == TP_HEAP_PART && TP_HEAP_WORD_HEAD(word) < m->units)
		word = tpi_get(m->owner[TP_HEAP_WORD_HEAD(word)]);
	return TP_HEAP_WORD_TAG(word);
}

int tpi_heap_find(const void *ptr, void **ret_block, size_t *ret_size, uint32_t *ret_tag)
{
	uint64_t off = (uint64_t)(uintptr_t)ptr - TPI_HEAP_BASE, word;
	struct tpi_heap_map m;
	uint32_t i;
	int r = -EALREADY;

	tpi_heap_map_init(&m);
	if (off >> TP_HEAP_UNIT_SHIFT >= m.units)
		return -EFAULT;
	i = (uint32_t)(off >> TP_HEAP_UNIT_SHIFT);
	word = tpi_get(m.owner[i]);
	if (TP_HEAP_WORD_KIND(word) == TP_HEAP_TAIL && TP_HEAP_WORD_HEAD(word) < m.units) {
		i = TP_HEAP_WORD_HEAD(word);
		word = tpi_get(m.owner[i]);
	}
	off -= (uint64_t)i << TP_HEAP_UNIT_SHIFT;
	switch (TP_HEAP_WORD_KIND(word)) {
	case TP_HEAP_SLAB: r = find_in_slab(&m, i, word, off, ret_block, ret_size); break;
	case TP_HEAP_SPAN:
	case TP_HEAP_ARENA:
	case TP_HEAP_PART: r = find_in_run(&m, i, off, ret_block, ret_size); break;
	default: return i < tpi_get(m.meta->top) ? -EALREADY : -EFAULT;
	}
	*ret_tag = tag_of(&m, word);
	return r;
}
