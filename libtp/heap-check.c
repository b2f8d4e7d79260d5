/* SPDX-License-Identifier: MIT */
/*
 * Is the heap sound? Walks all of its state and says what is wrong first.
 *
 * Sound is what holds at each instruction of each call, see heap-slab.c and heap-run.c: so that a heap in which programs have been killed is
 * sound, and one in which a program is stopped in the middle of a call. What others change while it is looked at may look wrong; what is wrong
 * stays wrong. So a finding counts only if the same words give it many times over.
 */
#include <errno.h>
#include <tp/heap.h>

#include "heap-engine.h"
#include "relax.h"

enum { WORDS = 4096 / 64, PATIENCE = 2000 };

struct finding {
	const char *what;
	uint32_t unit;
	uint64_t word, fields; /* as they were: another finding if they change */
};

struct check {
	struct tpi_heap_map m;
	uint64_t seen[WORDS]; /* blocks of the slab that is looked at */
};

static bool mark(struct check *k, uint32_t block)
{
	uint64_t bit = UINT64_C(1) << block % 64, *word = &k->seen[block / 64];
	bool was = *word & bit;

	*word |= bit;
	return !was;
}

/*
 * Follows a list to its end. met: it came to a block that was seen before. The slab may become other memory meanwhile, which its new user
 * writes to: what was read is then not believed, but a race detector would say so.
 */
static __attribute__((no_sanitize("thread"))) const char *follow(struct check *k, const uint16_t *link, const struct tpi_class *c, uint32_t from, uint32_t *ret_n, bool *ret_met)
{
	uint32_t n = 0;

	*ret_met = false;
	for (uint32_t block = from; block; block = tpi_get(link[block]), n++) {
		if (block == TP_HEAP_IN_USE)
			return "a block in use that is in a list of free ones";
		if (!tpi_block_ok(c, block))
			return "a link to a block that there is not";
		if (!mark(k, block)) {
			*ret_met = true;
			break;
		}
	}
	*ret_n = n;
	return NULL;
}

/* `remote` first; then `free`, which is apart from it, or is its end when a collect has been cut short. */
static const char *check_lists(struct check *k, uint32_t slab, uint32_t class_, uint32_t *ret_free)
{
	const struct tpi_class *c = &tpi_class[class_];
	const struct tp_slab *s = &k->m.slabs[slab];
	const uint16_t *link = tpi_links(&k->m, slab, class_);
	uint32_t remote = __atomic_load_n(&s->remote, __ATOMIC_ACQUIRE), pushed, own;
	const char *what;
	bool met;

	for (uint32_t i = 0; i < WORDS; i++)
		k->seen[i] = 0;
	what = follow(k, link, c, remote & 0xffff, &pushed, &met);
	if (what)
		return what;
	if (met)
		return "a list of freed blocks that runs in a circle";
	if (pushed < remote >> 16)
		return "fewer freed blocks than are counted";
	what = follow(k, link, c, tpi_get(s->free), &own, &met);
	if (what)
		return what;
	if (met && own)
		return "a free list that runs in a circle, or into blocks that are in another list";
	*ret_free = own + pushed;
	return NULL;
}

/* What the shortest way goes by. As follow, it may look at what is another's by now. */
static __attribute__((no_sanitize("thread"))) bool is_of_class(struct check *k, uint32_t slab, uint32_t class_)
{
	const struct tpi_class *c = &tpi_class[class_];
	const struct tp_slab *s = &k->m.slabs[slab];
	const uint16_t *links = tpi_links(&k->m, slab, class_);

	if (tpi_get(links[0]) != TP_HEAP_NO_BLOCK)
		return false;
	return class_ >= TPI_DENSE || (tpi_get(s->many.unit) == (uintptr_t)tpi_unit(slab) >> TP_HEAP_UNIT_SHIFT &&
					      tpi_get(s->many.step) == c->step && tpi_get(s->many.links) == (uintptr_t)links &&
					      tpi_get(s->many.base) == (uintptr_t)tpi_unit(slab) && tpi_get(s->many.size) == c->size &&
					      tpi_get(s->many.max) == (uint32_t)c->first + c->cap - 1);
}

static const char *check_slab(struct check *k, uint32_t slab, uint64_t word)
{
	const struct tpi_class *c = &tpi_class[TP_HEAP_WORD_CLASS(word)];
	const struct tp_slab *s = &k->m.slabs[slab];
	uint32_t have = 0, carved;
	const char *what;

	if (TP_HEAP_WORD_CLASS(word) >= TPI_CLASSES)
		return "a slab of no class";
	if (tpi_get(s->units) != c->units)
		return "a slab of another length than its class has";
	if (!is_of_class(k, slab, TP_HEAP_WORD_CLASS(word)))
		return "a slab whose entry is not that of its class";
	what = check_lists(k, slab, TP_HEAP_WORD_CLASS(word), &have);
	if (what)
		return what;
	/* A batch may have been linked and not counted yet. */
	carved = tpi_get(s->carved) + c->batch;
	if (have > carved || tpi_get(s->carved) > c->cap)
		return "more free blocks than there are blocks";
	if (TP_HEAP_WORD_THREAD(word) == TP_HEAP_SHARED && (uint32_t)tpi_get(s->count) > tpi_get(s->carved))
		return "a shared slab whose count is wrong";
	return NULL;
}

static const char *check_run(struct check *k, uint32_t head)
{
	const struct tp_slab *s = &k->m.slabs[head];
	uint32_t units = tpi_get(s->units);

	if (!units || units > k->m.units - head)
		return "a run of impossible length";
	if (tpi_get(s->reach) < units)
		return "a run that is longer than what it took";
	for (uint32_t i = 1; i < units; i++)
		if (tpi_get(k->m.owner[head + i]) != TP_HEAP_WORD(0, head, TP_HEAP_TAIL, 0))
			return "a run with a hole";
	return NULL;
}

static const char *check_tail(struct check *k, uint32_t unit, uint32_t head)
{
	uint32_t kind;

	if (head >= unit)
		return "a unit that belongs to a run behind it";
	kind = TP_HEAP_WORD_KIND(tpi_get(k->m.owner[head]));
	if (kind == TP_HEAP_FREE || kind == TP_HEAP_TAIL)
		return "a unit whose run is no more";
	return tpi_get(k->m.slabs[head].reach) <= unit - head ? "a unit beyond the end of its run" : NULL;
}

static const char *check_part(struct check *k, uint32_t head)
{
	uint32_t kind = head < k->m.units ? TP_HEAP_WORD_KIND(tpi_get(k->m.owner[head])) : TP_HEAP_FREE;

	return kind == TP_HEAP_ARENA ? NULL : "a part of an arena that is no more";
}

static const char *check_unit(struct check *k, uint32_t i, uint64_t word)
{
	const char *what = NULL;

	switch (TP_HEAP_WORD_KIND(word)) {
	case TP_HEAP_FREE: return word ? "an owner that makes no sense" : NULL;
	case TP_HEAP_TAIL: return check_tail(k, i, TP_HEAP_WORD_HEAD(word));
	case TP_HEAP_HELD: return NULL;
	case TP_HEAP_SLAB: what = check_slab(k, i, word); break;
	case TP_HEAP_PART: what = check_part(k, TP_HEAP_WORD_HEAD(word)); break;
	default: break;
	}
	return what ? what : check_run(k, i);
}

static struct finding look(struct check *k, uint32_t i)
{
	const struct tp_slab *s = &k->m.slabs[i];
	struct finding f = {NULL, i, tpi_get(k->m.owner[i]), (uint64_t)tpi_get(s->free) << 32 | tpi_get(s->remote)};

	f.what = check_unit(k, i, f.word);
	return f;
}

static bool same(const struct finding *a, const struct finding *b)
{
	return a->what == b->what && a->word == b->word && a->fields == b->fields;
}

/* Looks until the same finding has come up often enough, or there is none. */
static struct finding look_long(struct check *k, uint32_t i)
{
	struct finding f = look(k, i);

	for (int n = 0, changes = 0; f.what && n < PATIENCE && changes < 100 * PATIENCE; n++) {
		struct finding next;

		arch_relax();
		next = look(k, i);
		if (!same(&f, &next)) {
			n = 0;
			changes++;
		}
		f = next;
	}
	return f;
}

static const char *name_of(const struct finding *f, char room[TP_NAME_MAX])
{
	return tpi_program_known(tpi_heap_holder(TP_HEAP_WORD_TAG(f->word)), room) ? room : "nobody";
}

int tpi_heap_check(void)
{
	char room[TP_NAME_MAX];
	struct check k;
	uint32_t top;

	tpi_heap_map_init(&k.m);
	top = tpi_get(k.m.meta->top);
	for (uint32_t i = 0; i < top && i < k.m.units; i++) {
		struct finding f = look_long(&k, i);

		if (f.what)
			return tpi_fail(-EUCLEAN, TPI_HEAP_NAME ": %x, held by %s: %s", (uint64_t)(uintptr_t)tpi_unit(i), name_of(&f, room),
				f.what);
	}
	return 0;
}

int tp_heap_check(void)
{
	int r = tpi_heap_ready();

	return r ? r : tpi_heap_check();
}
