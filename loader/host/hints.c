/* SPDX-License-Identifier: MIT */
/*
 * Where a search for free pages may start: for each power of two, the lowest page at which a free run of that length might
 * begin. Without it, a program that holds 60 GiB in a million pieces would look through all of them for each next one.
 *
 * The bounds are exact but for what is said below, although searchers and freers take no lock:
 *
 *	a searcher	reads frees and the bound, searches, raises bounds by CAS, and reads frees again: if it has
 *			changed, a run may have appeared below; the bounds go back to what they were.
 *	a freer		clears the bits, adds 1 to frees, and lowers each bound that is above its run.
 *
 * All of these are sequentially consistent, so either the freer sees the raised bound, or the searcher the freer's 1. A
 * bound is only ever too low, which costs time. What can hide a run until something below it is freed: a vfork child that
 * dies between its clear and its lowering, and a second searcher that starts from a bound that a first is about to take back.
 */
#include "host.h"

#define HUGE_PAGES 512u

static unsigned log2_up(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (unsigned)__builtin_clz(n - 1);
}

static unsigned log2_down(uint32_t n)
{
	return 31 - (unsigned)__builtin_clz(n);
}

/* The bounds for an alignment; NULL: none are kept. */
static uint32_t *bounds_of(struct tp_hints *h, uint32_t align)
{
	if (align == 1)
		return h->any;
	return align == HUGE_PAGES ? h->huge : NULL;
}

static uint32_t load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static void lower(uint32_t *bound, uint32_t page)
{
	uint32_t now = load(bound);

	while (now > page &&
	       !__atomic_compare_exchange_n(bound, &now, page, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

struct tpi_hint tpi_hint_get(const struct tp_hints *h, uint32_t n, uint32_t align)
{
	struct tpi_hint had = { 0, load(&h->frees), n, align };
	const uint32_t *bounds = bounds_of((struct tp_hints *)h, align);

	if (bounds)
		had.page = load(&bounds[log2_down(n)]);
	return had;
}

/* A search for had->n pages found no run that starts below `page`. */
void tpi_hint_raise(struct tp_hints *h, const struct tpi_hint *had, uint32_t page)
{
	uint32_t *bounds = bounds_of(h, had->align), before[TP_HINTS];
	unsigned first = log2_up(had->n);

	if (!bounds)
		return;
	for (unsigned i = first; i < TP_HINTS; i++) {
		before[i] = load(&bounds[i]);
		if (before[i] < page)
			__atomic_compare_exchange_n(&bounds[i], &(uint32_t){ before[i] }, page, false, __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST);
	}
	if (load(&h->frees) == had->frees)
		return;
	for (unsigned i = first; i < TP_HINTS; i++)
		lower(&bounds[i], before[i] < had->page ? before[i] : had->page);
}

/* Pages from `page` on became free: a run of 1 << i may now start up to that many pages earlier. */
void tpi_hint_freed(struct tp_hints *h, uint32_t page)
{
	__atomic_fetch_add(&h->frees, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < TP_HINTS; i++) {
		uint32_t low = page > (1u << i) ? page - (1u << i) + 1 : 0;

		lower(&h->any[i], low);
		lower(&h->huge[i], low);
	}
}

/* A claim that fails held some pages for a moment, which a searcher may have passed by: they have become free. */
bool tpi_hint_claim(struct tp_hints *h, uint64_t *bitmap, uint32_t page, uint32_t n)
{
	if (tpi_pages_next(bitmap, page, page + n, true) != page + n)
		return false;
	if (tpi_pages_claim(bitmap, page, n))
		return true;
	tpi_hint_freed(h, page);
	return false;
}
