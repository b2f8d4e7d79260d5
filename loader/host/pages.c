/* SPDX-License-Identifier: MIT */
/*
 * Which pages of a unit are spoken for: one bit a page, at a fixed offset from the unit's base.
 *
 * Invariant: a page that is mapped in the unit has its bit set. The reverse may fail for a moment (claimed, not mapped
 * yet) or, when a vfork child dies inside the routine, for good: such a page is lost until the program ends.
 *
 *   claim   fetch_or ACQ_REL of each word: whoever turned a bit from 0 to 1 owns the page; on a conflict its own bits
 *           go back. Two overlapping claims may both fail; each then looks elsewhere.
 *   map     only after a successful claim.
 *   clear   fetch_and RELEASE, only after the pages were unmapped; pairs with the claim's acquire, so the next owner's
 *           mmap comes after our munmap.
 *
 * There is no lock, so a thread may be killed, stopped or interrupted by a signal handler that maps memory anywhere here.
 */
#include "host.h"

#define WORD_BITS 64u

uint64_t *tpi_bitmap(uint64_t unit_base)
{
	return (uint64_t *)(unit_base + TP_SLOT_BITMAP);
}

/* The bits of word `w` that lie in pages [first, first + n). */
static uint64_t word_mask(uint32_t w, uint32_t first, uint32_t n)
{
	uint32_t lo = w * WORD_BITS, end = first + n;
	uint64_t mask = ~UINT64_C(0);

	if (first > lo)
		mask &= ~UINT64_C(0) << (first - lo);
	if (end < lo + WORD_BITS)
		mask &= ~(~UINT64_C(0) << (end - lo));
	return mask;
}

static uint32_t last_word(uint32_t first, uint32_t n)
{
	return (first + n - 1) / WORD_BITS;
}

bool tpi_pages_claim(uint64_t *bitmap, uint32_t first, uint32_t n)
{
	for (uint32_t w = first / WORD_BITS; w <= last_word(first, n); w++) {
		uint64_t mask = word_mask(w, first, n);
		uint64_t old = __atomic_fetch_or(&bitmap[w], mask, __ATOMIC_ACQ_REL);

		if (!(old & mask))
			continue;
		__atomic_fetch_and(&bitmap[w], ~(mask & ~old), __ATOMIC_RELEASE);
		if (w * WORD_BITS > first)
			tpi_pages_clear(bitmap, first, w * WORD_BITS - first);
		return false;
	}
	return true;
}

uint32_t tpi_pages_set(uint64_t *bitmap, uint32_t first, uint32_t n)
{
	uint32_t fresh = 0;

	for (uint32_t w = first / WORD_BITS; w <= last_word(first, n); w++) {
		uint64_t mask = word_mask(w, first, n);
		uint64_t old = __atomic_fetch_or(&bitmap[w], mask, __ATOMIC_ACQ_REL);

		for (uint64_t m = mask & ~old; m; m &= m - 1)
			fresh++;
	}
	return fresh;
}

uint32_t tpi_pages_clear(uint64_t *bitmap, uint32_t first, uint32_t n)
{
	uint32_t cleared = 0;

	for (uint32_t w = first / WORD_BITS; w <= last_word(first, n); w++) {
		uint64_t mask = word_mask(w, first, n), old;

		/* An untouched word stays untouched: clearing it would only fault its page in. */
		if (!(__atomic_load_n(&bitmap[w], __ATOMIC_RELAXED) & mask))
			continue;
		old = __atomic_fetch_and(&bitmap[w], ~mask, __ATOMIC_RELEASE);
		if ((old & mask) == ~UINT64_C(0)) {
			cleared += WORD_BITS;
			continue;
		}
		for (uint64_t m = mask & old; m; m &= m - 1)
			cleared++;
	}
	return cleared;
}

bool tpi_page_test(const uint64_t *bitmap, uint32_t page)
{
	return __atomic_load_n(&bitmap[page / WORD_BITS], __ATOMIC_ACQUIRE) >> (page % WORD_BITS) & 1;
}

/* First page in [from, to) whose bit equals `set`, or `to`. */
uint32_t tpi_pages_next(const uint64_t *bitmap, uint32_t from, uint32_t to, bool set)
{
	for (uint32_t w = from / WORD_BITS; w * WORD_BITS < to; w++) {
		uint64_t v = __atomic_load_n(&bitmap[w], __ATOMIC_ACQUIRE);
		uint32_t page;

		if (!set)
			v = ~v;
		if (w == from / WORD_BITS)
			v &= ~UINT64_C(0) << (from % WORD_BITS);
		if (!v)
			continue;
		page = w * WORD_BITS + (uint32_t)__builtin_ctzll(v);
		return page < to ? page : to;
	}
	return to;
}

/* The lowest run of n clear pages in [from, to) that starts at a multiple of `align` pages; UINT32_MAX if there is none. */
uint32_t tpi_pages_find(const uint64_t *bitmap, uint32_t from, uint32_t to, uint32_t n, uint32_t align)
{
	while (from < to && n <= to - from) {
		uint32_t start = tpi_pages_next(bitmap, from, to, false), end;

		start = (start + align - 1) & ~(align - 1);
		if (start >= to || n > to - start)
			break;
		end = tpi_pages_next(bitmap, start, start + n, true);
		if (end == start + n)
			return start;
		from = end + 1;
	}
	return UINT32_MAX;
}
