/* SPDX-License-Identifier: MIT */
/*
 * Runs of units: taken from the free ones, kept for a while, given back.
 *
 * Taking: the head by CAS 0 -> HELD, then `reach`, then each tail by CAS 0 -> TAIL with the head's number; the kind that it is to have is
 * stored last, by the caller. Giving back: the head is HELD again, then the tails are set to 0 from the last to the first, then the head.
 * So at each instruction a tail that says "head h" has an h that is not free, and whoever finds h HELD by a dead program (heap-reap.c) gives
 * back h and those of the units up to `reach` that name it: no unit is lost, and none that has been taken by another meanwhile is touched.
 *
 * Orders: the CAS that takes a unit acquires what the release store of 0 by its former holder published: its entry in slabs[], its memory
 * given back or not. KEPT is left by CAS only, since anybody may take it.
 *
 * Known weakness: `dirty` of the heap drifts when a program dies between a bit and the count, until the next death is looked at.
 */
#include <errno.h>

#include "heap-engine.h"

static void raise_top(const struct tpi_heap_map *m, uint32_t end)
{
	uint32_t top = tpi_get(m->meta->top);

	while (top < end &&
		!__atomic_compare_exchange_n(&m->meta->top, &top, end, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static bool claim(const struct tpi_heap_map *m, uint32_t i, uint64_t word)
{
	uint64_t none = 0;

	return __atomic_compare_exchange_n(&m->owner[i], &none, word, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Sets tails and head free; what of the run has been taken by others already, or never was taken, stays. */
void tpi_run_release(const struct tpi_heap_map *m, uint32_t head, uint32_t reach)
{
	uint64_t tail = TP_HEAP_WORD(0, head, TP_HEAP_TAIL, 0);

	for (uint32_t k = reach; k-- > 1;)
		if (tpi_get(m->owner[head + k]) == tail)
			__atomic_store_n(&m->owner[head + k], 0, __ATOMIC_RELEASE);
	__atomic_store_n(&m->owner[head], 0, __ATOMIC_RELEASE);
	tpi_bits_clear(m->busy, head, reach);
}

/*
 * The bits call a unit free that is not. Partner: tpi_run_release, which stores owner = 0 and then clears the bit (seq_cst). Either its
 * clearing comes after this setting, and stays; or before it, and then this load sees the 0.
 */
static void mend_busy(const struct tpi_heap_map *m, uint32_t i)
{
	tpi_bits_set(m->busy, i, 1);
	if (__atomic_load_n(&m->owner[i], __ATOMIC_SEQ_CST) == 0)
		tpi_bits_clear(m->busy, i, 1);
}

bool tpi_run_take_at(struct tpi_heap *t, uint32_t head, uint32_t units, uint32_t *ret_other)
{
	const struct tpi_heap_map *m = &t->map;
	uint64_t tail = TP_HEAP_WORD(0, head, TP_HEAP_TAIL, 0);

	raise_top(m, head + units);
	if (!claim(m, head, tpi_word(t, TP_HEAP_HELD, 0))) {
		*ret_other = head;
		return false;
	}
	tpi_set(m->slabs[head].reach, units);
	tpi_then();
	for (uint32_t k = 1; k < units; k++) {
		if (claim(m, head + k, tail))
			continue;
		*ret_other = head + k;
		tpi_run_release(m, head, k);
		return false;
	}
	tpi_set(m->slabs[head].units, units);
	return true;
}

/* Return: does the run's memory read as zero? */
static bool take_bits(const struct tpi_heap_map *m, uint32_t head, uint32_t units)
{
	uint32_t dirty = tpi_bits_clear(m->dirty, head, units);

	tpi_bits_set(m->busy, head, units);
	if (dirty)
		__atomic_fetch_sub(&m->meta->dirty, dirty, __ATOMIC_RELAXED);
	return dirty == 0;
}

static bool take_from(struct tpi_heap *t, uint32_t at, uint32_t units, uint32_t align, uint32_t *ret_head, bool *ret_zero)
{
	while (tpi_bits_find(&t->map, units, align, &at)) {
		uint32_t other;

		if (tpi_run_take_at(t, at, units, &other)) {
			*ret_head = at;
			*ret_zero = take_bits(&t->map, at, units) && !t->copy;
			return true;
		}
		mend_busy(&t->map, other);
		/* What failed is past for this search, whatever the bits say: it ends. */
		at = other + 1;
	}
	return false;
}

/*
 * The lowest that fits: what was in use lately is used again, and high memory comes free. Where to start is a hint that may be too high when
 * another gave back a unit meanwhile, so now and then the search starts at the very bottom.
 */
static bool take(struct tpi_heap *t, uint32_t units, uint32_t align, uint32_t *ret_head, bool *ret_zero)
{
	uint32_t low = ++t->takes % 64 ? tpi_get(t->map.meta->low) : 0;

	if (!take_from(t, low, units, align, ret_head, ret_zero) &&
		(low == 0 || !take_from(t, 0, units, align, ret_head, ret_zero)))
		return false;
	if (units == 1 && low <= *ret_head)
		__atomic_compare_exchange_n(&t->map.meta->low, &low, *ret_head + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return true;
}

static void lower_low(const struct tpi_heap_map *m, uint32_t head)
{
	uint32_t low = tpi_get(m->meta->low);

	while (head < low &&
		!__atomic_compare_exchange_n(&m->meta->low, &low, head, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void forget_kept(struct tpi_kept *k, uint32_t j)
{
	k->n--;
	k->total -= k->units[j];
	for (; j < k->n; j++) {
		k->unit[j] = k->unit[j + 1];
		k->units[j] = k->units[j + 1];
	}
}

static bool unkeep(struct tpi_heap *t, uint32_t head, uint64_t kept)
{
	return __atomic_compare_exchange_n(&t->map.owner[head], &kept, tpi_word(t, TP_HEAP_HELD, 0), false,
		__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* The newest of those kept that fits without waste: its memory is in the caches. */
static bool get_kept(struct tpi_heap *t, uint32_t units, uint32_t align, uint32_t slack, uint32_t *ret_head)
{
	struct tpi_kept *k = &t->kept;

	for (uint32_t j = k->n; j-- > 0;) {
		uint32_t head = k->unit[j], had = k->units[j];

		if (had < units || had > units + slack || tpi_unit_aligned(head, align) != head)
			continue;
		forget_kept(k, j);
		if (!unkeep(t, head, tpi_word(t, TP_HEAP_KEPT, 0)))
			continue;
		if (tpi_get(t->map.slabs[head].units) == had) {
			*ret_head = head;
			return true;
		}
		/* Taken from this thread when memory was short, and by now another run that it keeps. */
		tpi_run_put(t, head);
	}
	return false;
}

/* Short of memory: what threads keep for themselves is taken from them. */
static void put_all_kept(struct tpi_heap *t)
{
	uint32_t top = tpi_get(t->map.meta->top);

	for (uint32_t i = 0; i < top && i < t->map.units; i++) {
		uint64_t w = tpi_get(t->map.owner[i]);

		if (TP_HEAP_WORD_KIND(w) == TP_HEAP_KEPT && !tpi_heap_beyond(t, w) && unkeep(t, i, w))
			tpi_run_put(t, i);
	}
}

static int get(struct tpi_heap *t, uint32_t units, uint32_t align, uint32_t slack, uint32_t *ret_head, bool *ret_zero)
{
	*ret_zero = false;
	if (get_kept(t, units, align, slack, ret_head))
		return 0;
	tpi_reap_if_deaths(t);
	if (take(t, units, align, ret_head, ret_zero))
		return 0;
	tpi_reap(t);
	put_all_kept(t);
	return take(t, units, align, ret_head, ret_zero) ? 0 : -ENOSPC;
}

int tpi_run_get(struct tpi_heap *t, uint32_t units, uint32_t align, uint32_t slack, uint32_t *ret_head, bool *ret_zero)
{
	int r;

	tpi_heap_check_fork();
	r = get(t, units, align, slack, ret_head, ret_zero);
	if (r == 0 && t->may_keep < 2 * TPI_KEPT_MAX)
		t->may_keep++;
	return r;
}

/*
 * How many units are really the run's. Whoever died while taking it, or giving it back, has left a `reach` that goes over units of
 * others, or is that of the head's earlier life. Tails are taken upwards and given back downwards: the first that names another head ends it.
 */
static uint32_t units_of(const struct tpi_heap_map *m, uint32_t head)
{
	uint32_t reach = tpi_get(m->slabs[head].reach), n = 1;
	uint64_t tail = TP_HEAP_WORD(0, head, TP_HEAP_TAIL, 0);

	while (n < reach && n < m->units - head && tpi_get(m->owner[head + n]) == tail)
		n++;
	return n;
}

void tpi_run_put(struct tpi_heap *t, uint32_t head)
{
	const struct tpi_heap_map *m = &t->map;
	uint32_t reach = units_of(m, head);
	bool purge;

	purge = tpi_purge_now(t, reach) && tpi_heap_drop(tpi_unit(head), (uint64_t)reach << TP_HEAP_UNIT_SHIFT) == 0;
	if (!purge)
		__atomic_fetch_add(&m->meta->dirty, tpi_bits_set(m->dirty, head, reach), __ATOMIC_RELAXED);
	tpi_run_release(m, head, reach);
	lower_low(m, head);
	if (!purge)
		tpi_purge_around(t, head);
}

static void put_oldest_kept(struct tpi_heap *t)
{
	uint32_t head = t->kept.unit[0];

	forget_kept(&t->kept, 0);
	if (unkeep(t, head, tpi_word(t, TP_HEAP_KEPT, 0)))
		tpi_run_put(t, head);
}

void tpi_run_put_kept(struct tpi_heap *t)
{
	while (t->kept.n)
		put_oldest_kept(t);
}

/*
 * For this thread's next need, if it has any: who only frees what others allocate gives it back at once, while it is in the caches, and they
 * use it again.
 */
void tpi_run_keep(struct tpi_heap *t, uint32_t head)
{
	struct tpi_kept *k = &t->kept;
	uint32_t units = tpi_get(t->map.slabs[head].units);

	tpi_own_drop(t, head);
	__atomic_store_n(&t->map.owner[head], tpi_word(t, TP_HEAP_HELD, 0), __ATOMIC_RELEASE);
	if (t->guest || units > k->limit || !t->may_keep) {
		tpi_run_put(t, head);
		return;
	}
	t->may_keep--;
	while (k->n == TPI_KEPT_MAX || k->total + units > k->limit)
		put_oldest_kept(t);
	__atomic_store_n(&t->map.owner[head], tpi_word(t, TP_HEAP_KEPT, 0), __ATOMIC_RELEASE);
	k->unit[k->n] = head;
	k->units[k->n++] = units;
	k->total += units;
}

/*
 * Gives back a run's end. Until `units` is smaller all of it is the run's; after that the rest is between units and reach, goes from the last
 * to the first, and goes with the run if this program dies on the way (units_of).
 */
void tpi_run_shrink(struct tpi_heap *t, uint32_t head, uint32_t units)
{
	const struct tpi_heap_map *m = &t->map;
	struct tp_slab *s = &m->slabs[head];
	uint32_t had = units_of(m, head), n = had - units;

	if (had <= units)
		return;
	tpi_set(s->units, units);
	tpi_then();
	if (tpi_heap_drop(tpi_unit(head + units), (uint64_t)n << TP_HEAP_UNIT_SHIFT))
		__atomic_fetch_add(&m->meta->dirty, tpi_bits_set(m->dirty, head + units, n), __ATOMIC_RELAXED);
	for (uint32_t k = had; k-- > units;)
		__atomic_store_n(&m->owner[head + k], 0, __ATOMIC_RELEASE);
	tpi_bits_clear(m->busy, head + units, n);
	tpi_set(s->reach, units);
	lower_low(m, head + units);
}
