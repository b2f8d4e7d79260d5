/* SPDX-License-Identifier: MIT */
/*
 * RLIMIT_DATA, which Linux counts for a whole address space, kept for one program: its private writable pages.
 *
 * Nearly no program has such a limit, so a second bitmap of the first unit's pages is made only when one is set, at the
 * start or later; what was mapped before counts as far as it is brk. Pages of further units do not count.
 */
#include "host.h"

void tpi_data_start(struct tp_control *c)
{
	uint64_t none = 0, at;

	if (c->data_bitmap)
		return;
	at = tpi_space_take(c, TPI_ZONE_MMAP, TP_SLOT_BITMAP_SIZE, TP_PAGE_SIZE);
	if (!at)
		return;
	if (tpi_failed(tpi_mmap(at, TP_SLOT_BITMAP_SIZE, PROT_READ | PROT_WRITE,
				TPI_MAP_ANON | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0))) {
		tpi_space_give(c, at, TP_SLOT_BITMAP_SIZE);
		return;
	}
	__atomic_compare_exchange_n(&c->data_bitmap, &none, at, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	if (c->brk_now > c->brk_start)
		tpi_data_note(c, c->brk_start, tpi_page_up(c->brk_now) - c->brk_start, true);
}

bool tpi_data_over(const struct tp_control *c, uint64_t more)
{
	uint64_t limit = __atomic_load_n(&c->rlimit_data[0], __ATOMIC_RELAXED);

	return limit != UINT64_MAX && (__atomic_load_n(&c->data_pages, __ATOMIC_RELAXED) << TP_PAGE_SHIFT) + more > limit;
}

void tpi_data_note(struct tp_control *c, uint64_t addr, uint64_t len, bool counts)
{
	uint64_t *bitmap = (uint64_t *)__atomic_load_n(&c->data_bitmap, __ATOMIC_ACQUIRE);
	uint32_t first = (uint32_t)((addr - c->base) >> TP_PAGE_SHIFT), n = (uint32_t)(len >> TP_PAGE_SHIFT);

	if (!bitmap || !len || addr < c->base || addr + len > c->base + TP_UNIT_SIZE)
		return;
	if (counts)
		__atomic_fetch_add(&c->data_pages, tpi_pages_set(bitmap, first, n), __ATOMIC_RELAXED);
	else
		__atomic_fetch_sub(&c->data_pages, tpi_pages_clear(bitmap, first, n), __ATOMIC_RELAXED);
}
