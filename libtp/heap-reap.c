/* SPDX-License-Identifier: MIT */
/*
 * What the dead have left: looked for once after each death, by whoever needs memory next, and when memory runs out.
 *
 * Blocks that a dead program had allocated stay, since others may be using them; its slabs are set right and shared, its runs that it was
 * taking, giving back or keeping become free, and so do its arenas, which nobody else was given. Each is taken over by CAS of its word, so
 * that of two that reap one gets it; and whoever dies on the way has left it with a dead program's word again.
 *
 * An arena's parts name its head, and go first: while there are parts, the head is not free. A part whose head is
 * neither an ARENA nor held by a living program, which is freeing it, is nobody's.
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
			take_over(r, i, w, tpi_word(r->t, TP_HEAP_HELD, 0));
	}
}

/* Or somebody who is alive is about to free it, part by part. */
static bool has_arena(struct reap *r, uint64_t part)
{
	uint32_t head = TP_HEAP_WORD_HEAD(part);
	uint64_t w = head < r->end ? tpi_get(r->t->map.owner[head]) : 0;

	return TP_HEAP_WORD_KIND(w) == TP_HEAP_ARENA ||
	       (TP_HEAP_WORD_KIND(w) == TP_HEAP_HELD && w != tpi_word(r->t, TP_HEAP_HELD, 0) && !dead(r, w));
}

static void free_parts(struct reap *r)
{
	for (uint32_t i = 0; i < r->end; i++) {
		uint64_t w = tpi_get(r->t->map.owner[i]);

		if (TP_HEAP_WORD_KIND(w) == TP_HEAP_PART && !has_arena(r, w) &&
			take_over(r, i, w, tpi_word(r->t, TP_HEAP_HELD, 0)))
			tpi_run_put(r->t, i);
	}
}

static void share_slab(struct reap *r, uint32_t i, uint64_t w)
{
	uint32_t class_ = TP_HEAP_WORD_CLASS(w);

	if (class_ >= TPI_CLASSES || !take_over(r, i, w, tpi_word(r->t, TP_HEAP_SLAB, class_)))
		return;
	if (tpi_slab_recover(&r->t->map, i, class_) > 0)
		tpi_slab_publish(r->t, i, class_);
	else
		tpi_run_keep(r->t, i);
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
		/* Own HELD: an arena that was closed above; this thread holds nothing else here. */
		if (w == tpi_word(r->t, TP_HEAP_HELD, 0) || (dead(r, w) && take_over(r, i, w, tpi_word(r->t, TP_HEAP_HELD, 0))))
			tpi_run_put(r->t, i);
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

void tpi_reap(struct tpi_heap *t)
{
	uint32_t deaths = tpi_heap_deaths(), top = tpi_get(t->map.meta->top);
	struct reap r = {t, top < t->map.units ? top : t->map.units, 0};

	if (t->guest || t->copy)
		return;
	/* Now, so that others go on; if this one dies in the middle, that is a death again. */
	tpi_set(t->map.meta->reaped, deaths);
	close_arenas(&r);
	free_parts(&r);
	for (uint32_t i = 0; i < r.end; i++)
		reap_unit(&r, i);
	count_dirty(&t->map);
}
