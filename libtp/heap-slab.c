/* SPDX-License-Identifier: MIT */
/*
 * Slabs: blocks of one class.
 *
 * Layout: tp/abi/heap.h. A thread allocates from one slab a class, and holds a few more into which it has freed. Everything else is
 * SHARED: above all the full ones, which are nobody's business until somebody frees into them.
 *
 * Invariant. A block that was carved is in use, or in `free`, or in `remote`, or lost by a death (at most one a death). The two lists are
 * apart, or `free` is the end of `remote`: then a collect was cut short, and `remote` alone is true (heap-recover.c).
 *
 *	allocate           head's link → free; link ← IN_USE; count + 1                          (tpi_slab_pop)
 *	free, own slab     link ← free; free ← block; count - 1                                  (tpi_slab_put)
 *	free, other's      link ← head of remote; CAS remote (release)                           (tpi_slab_free_away)
 *	collect            free ← head of remote; THEN CAS remote → 0 (acquire); count - n       collect
 *	carve              link the new blocks; free ← first; THEN carved + n                    carve
 *	share              last, count exact; owner ← SHARED (seq_cst); look at remote (seq_cst) tpi_slab_publish
 *	take               CAS owner SHARED → own (acq_rel); fields are exact                    tpi_slab_take
 *
 * Orders. A push (tpi_slab_push) releases the link and what the freeing program did with the block; collect's acquire is its partner. In it
 * an old `remote` that has come round to the same value is harmless: it is the link's right value again. share and push are a Dekker pair,
 * all four operations seq_cst: either the sharer sees the push, or the pusher sees that the slab is SHARED; whoever does looks whether the
 * slab has become empty, or worth taking. share's exchange also releases all fields to the taker's CAS.
 *
 * A stopped or dead holder blocks nobody: others push. A dead one's slabs are taken over by heap-reap.c.
 *
 * Known weakness: what an idle thread holds (one slab and at most held_max a class) stays with it even when others have freed all of it.
 */
#include <errno.h>
#include <string.h>

#include "heap-fast.h"

/* Could the slab still give so many blocks: not yet carved, free, or freed by others? What others freed is on a line that they write. */
static bool has_room(const struct tp_slab *s, const struct tpi_class *c, int32_t n)
{
	int32_t more = n - (c->cap - (tpi_get(s->count) - s->bias));

	return more <= 0 || (int32_t)tpi_remote_count(tpi_get(s->remote)) >= more;
}

/* What others freed becomes the free list, which is empty. */
static bool collect(struct tp_slab *s, const struct tpi_class *c)
{
	uint32_t r = __atomic_load_n(&s->remote, __ATOMIC_ACQUIRE);

	do {
		if (!tpi_block_ok(c, r & 0xffff))
			return false;
		tpi_set(s->free, (uint16_t)r);
		tpi_then();
	} while (!__atomic_compare_exchange_n(&s->remote, &r, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	tpi_set(s->count, s->count - (int32_t)tpi_remote_count(r));
	return true;
}

static bool carve(struct tp_slab *s, const struct tpi_class *c, uint32_t slab, uint16_t *link)
{
	uint32_t from = s->carved, n = c->batch, next = 0;

	if (from >= c->cap)
		return false;
	n = n < c->cap - from ? n : c->cap - from;
	for (uint32_t k = from + n; k > from; k--) {
		uint32_t block = tpi_carve_block(c, slab, k);

		tpi_set(link[block], (uint16_t)next);
		next = block;
	}
	tpi_set(s->free, (uint16_t)next);
	tpi_then();
	tpi_set(s->carved, from + n);
	return true;
}

static uint32_t active(const struct tpi_heap *t, uint32_t class_)
{
	return (uint32_t)(t->slab[class_] - t->map.slabs);
}

/* For tpi_heap_pop_small, too. */
static void set_active(struct tpi_heap *t, uint32_t class_, struct tp_slab *s)
{
	uint32_t from = class_ ? tpi_class[class_ - 1].size / 16 + 1 : 0, to = tpi_class[class_].size / 16;

	t->slab[class_] = s;
	for (uint32_t k = from; k <= to && k <= TPI_SMALL_MAX / 16; k++)
		t->slab_of_16[k] = s;
}

static void activate(struct tpi_heap *t, uint32_t class_, uint32_t slab)
{
	struct tp_slab *s = &t->map.slabs[slab];

	tpi_set(s->count, s->count + TPI_ACTIVE);
	s->bias = TPI_ACTIVE;
	set_active(t, class_, s);
	tpi_own_add(t, slab, class_);
}

/* There is no slab to allocate from; it was `slab`, still held. */
static bool deactivate(struct tpi_heap *t, uint32_t class_, uint32_t *ret_slab)
{
	struct tp_slab *s = t->slab[class_];

	if (s == &t->none)
		return false;
	*ret_slab = active(t, class_);
	set_active(t, class_, &t->none);
	tpi_set(s->count, s->count - s->bias);
	s->bias = 0;
	return true;
}

static void forget_held(struct tpi_held *h, uint32_t j)
{
	for (h->n--; j < h->n; j++)
		h->unit[j] = h->unit[j + 1];
}

static bool pick_held(struct tpi_heap *t, uint32_t class_, uint32_t *ret_slab)
{
	const struct tpi_class *c = &tpi_class[class_];
	struct tpi_held *h = &t->held[class_];

	for (uint32_t j = 0; j < h->n; j++) {
		if (!has_room(&t->map.slabs[h->unit[j]], c, c->worth))
			continue;
		*ret_slab = h->unit[j];
		forget_held(h, j);
		return true;
	}
	return false;
}

static bool pick_shared(struct tpi_heap *t, uint32_t class_, uint32_t *ret_slab)
{
	while (tpi_room_take(&t->map, class_, ret_slab))
		if (tpi_slab_take(t, *ret_slab, class_))
			return true;
	return false;
}

/* Short of memory: any slab with any room. */
static bool pick_any(struct tpi_heap *t, uint32_t class_, uint32_t *ret_slab)
{
	uint32_t top = tpi_get(t->map.meta->top);

	for (uint32_t i = 0; i < top && i < t->map.units; i++)
		if (has_room(&t->map.slabs[i], &tpi_class[class_], 1) && tpi_slab_take(t, i, class_)) {
			*ret_slab = i;
			return true;
		}
	return false;
}

static void set_up_many(struct tp_slab *s, const struct tpi_class *c, char *unit, const uint16_t *links)
{
	memset(unit, 0, (size_t)c->first * c->size);
	tpi_set(s->many.unit, (uintptr_t)unit >> TP_HEAP_UNIT_SHIFT);
	tpi_set(s->many.step, c->step);
	tpi_set(s->many.links, (uintptr_t)links);
	tpi_set(s->many.base, (uintptr_t)unit);
	tpi_set(s->many.size, c->size);
	tpi_set(s->many.max, (uint32_t)c->first + c->cap - 1);
}

static void set_up_links(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	struct tp_slab *s = &t->map.slabs[slab];
	uint16_t *links = tpi_links(&t->map, slab, class_);

	if (class_ < TPI_DENSE)
		set_up_many(s, &tpi_class[class_], tpi_unit(slab), links);
	else
		memset(s->link, 0, sizeof(s->link));
	tpi_set(links[0], TP_HEAP_NO_BLOCK);
}

static bool make(struct tpi_heap *t, uint32_t class_, uint32_t *ret_slab)
{
	const struct tpi_class *c = &tpi_class[class_];
	struct tp_slab *s;
	bool zero;

	if (tpi_run_get(t, c->units, 1, 0, ret_slab, &zero))
		return false;
	s = &t->map.slabs[*ret_slab];
	tpi_set(s->free, 0);
	tpi_set(s->remote, 0);
	tpi_set(s->count, 0);
	tpi_set(s->carved, 0);
	s->bias = 0;
	set_up_links(t, *ret_slab, class_);
	__atomic_store_n(&t->map.owner[*ret_slab], tpi_word(t, TP_HEAP_SLAB, class_), __ATOMIC_RELEASE);
	return true;
}

static bool refill(struct tpi_heap *t, uint32_t class_)
{
	const struct tpi_class *c = &tpi_class[class_];
	struct tp_slab *s = t->slab[class_];
	uint32_t next, old;

	if (s != &t->none && (collect(s, c) || carve(s, c, active(t, class_), tpi_links(&t->map, active(t, class_), class_))))
		return true;
	if (!pick_held(t, class_, &next) && !pick_shared(t, class_, &next) && !make(t, class_, &next) &&
		!pick_any(t, class_, &next))
		return false;
	if (deactivate(t, class_, &old))
		tpi_slab_publish(t, old, class_);
	activate(t, class_, next);
	return true;
}

/* The first link of the free list makes no sense: somebody wrote to it. What hangs on it is lost; what was carved stays counted. */
static void drop_damaged(struct tpi_heap *t, uint32_t class_)
{
	struct tp_slab *s = t->slab[class_];

	tpi_heap_damaged(active(t, class_), s->free);
	tpi_set(s->free, 0);
}

static bool pop(struct tpi_heap *t, uint32_t class_, void **ret_ptr)
{
	const struct tpi_class *c = &tpi_class[class_];
	struct tp_slab *s = t->slab[class_];
	uint32_t block;

	if (class_ < TPI_DENSE)
		return tpi_heap_pop(s, ret_ptr);
	if (!tpi_slab_pop(s, tpi_links_here(s), (uint32_t)c->first + c->cap - 1, &block))
		return false;
	*ret_ptr = tpi_block(c, active(t, class_), block);
	return true;
}

void *tpi_slab_alloc(struct tpi_heap *t, uint32_t class_)
{
	void *p;

	while (!pop(t, class_, &p)) {
		tpi_heap_check_fork();
		if (tpi_get(t->slab[class_]->free))
			drop_damaged(t, class_);
		if (!refill(t, class_))
			return NULL;
	}
	return p;
}

int tpi_slab_emptied(struct tpi_heap *t, uint32_t slab)
{
	struct tpi_held *h = &t->held[TP_HEAP_WORD_CLASS(tpi_get(t->map.owner[slab]))];

	for (uint32_t j = 0; j < h->n; j++)
		if (h->unit[j] == slab) {
			forget_held(h, j);
			tpi_run_keep(t, slab);
			break;
		}
	return 0;
}

bool tpi_slab_take(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	uint64_t w = tpi_get(t->map.owner[slab]);

	if (t->guest || tpi_heap_beyond(t, w) || TP_HEAP_WORD_KIND(w) != TP_HEAP_SLAB || TP_HEAP_WORD_THREAD(w) != TP_HEAP_SHARED ||
		TP_HEAP_WORD_CLASS(w) != class_)
		return false;
	return __atomic_compare_exchange_n(&t->map.owner[slab], &w, tpi_word(t, TP_HEAP_SLAB, class_), false,
		__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void give_back_if_empty(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	struct tp_slab *s = &t->map.slabs[slab];

	if (!tpi_slab_take(t, slab, class_))
		return;
	if (s->count == (int32_t)tpi_remote_count(__atomic_load_n(&s->remote, __ATOMIC_ACQUIRE)))
		tpi_run_keep(t, slab);
	else
		tpi_slab_publish(t, slab, class_);
}

void tpi_slab_changed(struct tpi_heap *t, uint32_t slab, uint32_t class_, uint32_t remote, bool edge)
{
	const struct tpi_class *c = &tpi_class[class_];
	uint32_t last = tpi_get(t->map.slabs[slab].last), n = tpi_remote_count(remote), room = c->cap - last + n;

	if (n >= last)
		give_back_if_empty(t, slab, class_);
	else if (room == c->worth || (room > c->worth && !edge))
		tpi_room_add(&t->map, class_, slab);
}

void tpi_slab_publish(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	struct tp_slab *s = &t->map.slabs[slab];
	uint64_t w = TP_HEAP_WORD(tpi_heap_tag(), TP_HEAP_SHARED, TP_HEAP_SLAB, class_);

	tpi_own_drop(t, slab);
	tpi_set(s->last, (uint32_t)s->count);
	__atomic_exchange_n(&t->map.owner[slab], w, __ATOMIC_SEQ_CST);
	tpi_slab_changed(t, slab, class_, __atomic_load_n(&s->remote, __ATOMIC_SEQ_CST), false);
}

void tpi_slab_look(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	if (class_ < TPI_CLASSES)
		tpi_slab_changed(t, slab, class_, __atomic_load_n(&t->map.slabs[slab].remote, __ATOMIC_ACQUIRE), false);
}

/* A shared slab that this thread frees into becomes its own, while it holds few. */
static bool hold(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	struct tpi_held *h = &t->held[class_];

	if (h->n >= tpi_class[class_].held_max || !tpi_slab_take(t, slab, class_))
		return false;
	h->unit[h->n++] = slab;
	return true;
}

bool tpi_slab_free_own(struct tpi_heap *t, uint32_t slab, uint32_t class_, uint32_t block)
{
	enum tpi_put put;

	tpi_own_add(t, slab, class_);
	put = tpi_slab_put(&t->map.slabs[slab], tpi_links(&t->map, slab, class_), block);
	if (put == TPI_PUT_EMPTIED)
		tpi_slab_emptied(t, slab);
	return put != TPI_PUT_NOT;
}

bool tpi_slab_free_other(struct tpi_heap *t, uint32_t slab, uint64_t word, uint32_t block)
{
	uint32_t class_ = TP_HEAP_WORD_CLASS(word);
	uint16_t *link = tpi_links(&t->map, slab, class_) + block;

	if (TP_HEAP_WORD_THREAD(word) == TP_HEAP_SHARED && tpi_get(*link) == TP_HEAP_IN_USE && hold(t, slab, class_))
		return tpi_slab_free_own(t, slab, class_, block);
	return tpi_slab_free_away(t, slab, link, block);
}

static void leave(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	if (t->map.slabs[slab].count)
		tpi_slab_publish(t, slab, class_);
	else
		tpi_run_keep(t, slab);
}

/* The thread ends: nothing stays its own. */
void tpi_slab_leave(struct tpi_heap *t)
{
	for (uint32_t c = 0; c < TPI_CLASSES; c++) {
		uint32_t slab;

		if (deactivate(t, c, &slab))
			leave(t, slab, c);
		while (t->held[c].n)
			leave(t, t->held[c].unit[--t->held[c].n], c);
	}
	tpi_run_put_kept(t);
}
