/* SPDX-License-Identifier: MIT */
/*
 * What the dead have left: looked for once after each death, by whoever needs memory next, and when memory runs out.
 *
 * Blocks that a dead program had allocated stay, since others may be using them; its slabs are set right and shared, its runs that it was
 * taking, giving back or keeping become free, and so do its arenas, which nobody else was given. Each is taken over by CAS of its word, so
 * that of two that reap one gets it; and whoever dies on the way has left it with a dead program's word again.
 *
 * An arena's head stays ARENA until its parts are free, so that they are found however often it is taken over. Whoever frees it has made its
 * word name the thread that does.
 *
 * The hints are mended on the way.
 */
#include "heap-engine.h"

struct reap {
	struct tpi_heap *t;
	uint32_t end;
	uint32_t alive; /* the tag last found alive: most runs in a row are one program's */
};

static bool dead(struct reap *r, uint64_t word)
{
	uint32_t tag = TP_HEAP_WORD_TAG(word);

	if (tag == r->alive || tag == tpi_heap_tag())
		return false;
	if (!tpi_heap_tag_alive(tag))
		return true;
	r->alive = tag;
	return false;
}

static bool take_over(struct reap *r, uint32_t i, uint64_t word, uint64_t as)
{
	return __atomic_compare_exchange_n(&r->t->map.owner[i], &word, as, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void close_arenas(struct reap *r)
{
	for (uint32_t i = 0; i < r->end; i++) {
		uint64_t w = tpi_get(r->t->map.owner[i]);

		if (TP_HEAP_WORD_KIND(w) == TP_HEAP_ARENA && dead(r, w))
			take_over(r, i, w, tpi_word(r->t, TP_HEAP_ARENA, 0));
	}
}

/* Of an arena that was closed above. */
static bool is_closed(struct reap *r, uint32_t head)
{
	return head < r->end && tpi_get(r->t->map.owner[head]) == tpi_word(r->t, TP_HEAP_ARENA, 0);
}

static void free_parts(struct reap *r)
{
	for (uint32_t i = 0; i < r->end; i++) {
		uint64_t w = tpi_get(r->t->map.owner[i]);

		if (TP_HEAP_WORD_KIND(w) == TP_HEAP_PART && is_closed(r, TP_HEAP_WORD_HEAD(w)) &&
			take_over(r, i, w, tpi_word(r->t, TP_HEAP_HELD, 0)))
			tpi_run_put(r->t, i);
	}
}

static void share_slab(struct reap *r, uint32_t i, uint64_t w)
{
	uint32_t class_ = TP_HEAP_WORD_CLASS(w);

	if (class_ >= TPI_CLASSES || !take_over(r, i, w, tpi_word(r->t, TP_HEAP_SLAB, class_)))
		return;
	tpi_heap_count_adopted();
	if (tpi_slab_recover(&r->t->map, i, class_) > 0)
		tpi_slab_publish(r->t, i, class_);
	else
		tpi_run_keep(r->t, i);
}

static void give_back(struct reap *r, uint32_t i, uint64_t w)
{
	if (TP_HEAP_WORD_KIND(w) != TP_HEAP_KEPT)
		tpi_heap_count_adopted();
	tpi_run_put(r->t, i);
}

static void reap_unit(struct reap *r, uint32_t i)
{
	const struct tpi_heap_map *m = &r->t->map;
	uint64_t w = tpi_get(m->owner[i]);

	switch (TP_HEAP_WORD_KIND(w)) {
	case TP_HEAP_FREE:
		/* In between a taker may have set it: then that one finds its bit wrong, and so does the next, who mends it. */
		if (tpi_get(m->busy[i / 64]) >> i % 64 & 1)
			tpi_bits_clear(m->busy, i, 1);
		break;
	case TP_HEAP_SLAB:
		if (TP_HEAP_WORD_THREAD(w) == TP_HEAP_SHARED)
			tpi_slab_look(r->t, i, TP_HEAP_WORD_CLASS(w));
		else if (dead(r, w))
			share_slab(r, i, w);
		break;
	case TP_HEAP_HELD:
	case TP_HEAP_KEPT:
		if (dead(r, w) && take_over(r, i, w, tpi_word(r->t, TP_HEAP_HELD, 0)))
			give_back(r, i, w);
		break;
	case TP_HEAP_ARENA:
		if (is_closed(r, i) && take_over(r, i, w, tpi_word(r->t, TP_HEAP_HELD, 0)))
			give_back(r, i, w);
		break;
	default: break;
	}
}

static void count_dirty(const struct tpi_heap_map *m)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < (m->units + 63) / 64; i++)
		n += __builtin_popcountll(tpi_get(m->dirty[i]) & ~tpi_get(m->busy[i]));
	tpi_set(m->meta->dirty, n);
}

static uint32_t end_of(const struct tpi_heap *t)
{
	uint32_t top = tpi_get(t->map.meta->top);

	return top < t->map.units ? top : t->map.units;
}

void tpi_reap(struct tpi_heap *t)
{
	uint32_t deaths = tpi_heap_deaths();
	struct reap r = {t, end_of(t), 0};

	if (t->guest || t->copy)
		return;
	/* Now, so that others go on; if this one dies in the middle, that is a death again. */
	tpi_set(t->map.meta->reaped, deaths);
	close_arenas(&r);
	/* Their owners had died by now, if only a moment ago: so their parts are below this. */
	r.end = end_of(t);
	free_parts(&r);
	for (uint32_t i = 0; i < r.end; i++)
		reap_unit(&r, i);
	count_dirty(&t->map);
}
