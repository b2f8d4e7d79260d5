/* SPDX-License-Identifier: MIT */
/*
 * Changing a chain: the new one is built beside the old one and put in place by one CAS of the head.
 *
 *	old:  head -> A -> B -> C -> D          drop B, add N
 *	new:  head -> N -> A'------> C -> D     A' is a copy of A; C and D are shared; A and B are free afterwards
 *
 * What must be true at every instruction, since this program may be killed there: an entry that is claimed and cannot be reached is the
 * care of the program whose tag its claim bears; names-room.c takes it back once that program is dead. So before the CAS the claims of
 * what is about to fall out are set to our own tag. If the CAS then fails, that does no harm: a reachable entry's claim means
 * only that it is not free.
 *
 * Known weakness: two programs that change one chain at once, of which the one whose CAS wins is killed right behind it, while the loser
 * was the last to set the claim: that entry stays unused until the loser ends, too.
 */
#include <errno.h>

#include "names.h"

static uint32_t copy_entry(struct tp_names *t, uint32_t from, uint32_t next)
{
	const struct tp_names_entry *f = &t->entry[from];
	uint32_t index = tpi_names_take(true);
	struct tp_names_entry *e = &t->entry[index];

	if (!index)
		return 0;
	__atomic_store_n(&e->hash, tpi_name_word(&f->hash), __ATOMIC_RELAXED);
	__atomic_store_n(&e->generation, tpi_name_word(&f->generation), __ATOMIC_RELAXED);
	__atomic_store_n(&e->ptr, tpi_name_word(&f->ptr), __ATOMIC_RELAXED);
	__atomic_store_n(&e->owner, tpi_name_word(&f->owner), __ATOMIC_RELAXED);
	__atomic_store_n(&e->flags, __atomic_load_n(&f->flags, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&e->next, next, __ATOMIC_RELAXED);
	for (int i = 0; i < TP_NAMES_WORDS; i++) {
		__atomic_store_n(&e->name[i], tpi_name_word(&f->name[i]), __ATOMIC_RELAXED);
		__atomic_store_n(&e->type[i], tpi_name_word(&f->type[i]), __ATOMIC_RELAXED);
	}
	return index;
}

/*
 * A chain that is built. Copies are counted, not followed up to the shared rest: if the old chain has changed meanwhile, that rest may have
 * been freed, and a copy lie where it was.
 */
struct built {
	uint32_t first;
	uint32_t copies; /* they come first, and are ours alone */
};

static void free_copies(struct tp_names *t, struct built b)
{
	for (uint32_t index = b.first; b.copies > 0; b.copies--) {
		uint32_t next = t->entry[index].next;

		tpi_names_free(index, tpi_name_word(&t->claim[index]));
		index = next;
	}
}

static unsigned last_bit(uint64_t bits)
{
	return 63u - (unsigned)__builtin_clzll(bits);
}

/* From back to front: copies of what stays before the last that is dropped. */
static int build(struct tp_names *t, const struct tpi_name_chain *c, uint64_t drop, unsigned changed, struct built *ret_built)
{
	struct built b = {.first = changed < c->n ? c->index[changed] : 0};

	for (unsigned i = changed; i-- > 0;) {
		uint32_t copy;

		if (drop >> i & 1)
			continue;
		copy = copy_entry(t, c->index[i], b.first);
		if (!copy) {
			free_copies(t, b);
			return -ENOSPC;
		}
		b.first = copy;
		b.copies++;
	}
	*ret_built = b;
	return 0;
}

/* Before the head: who does not find the bit need not look there. Seq_cst: see tpi_names_paged. */
static void mark_page(struct tp_names *t, uint32_t bucket)
{
	if (tpi_unlikely(!tpi_names_paged(t, bucket)))
		__atomic_fetch_or(&t->paged[bucket / TP_NAMES_PAGE / 64], tpi_names_page_bit(bucket), __ATOMIC_SEQ_CST);
}

int tpi_names_change(const struct tpi_name_chain *c, uint64_t drop, uint32_t add)
{
	struct tp_names *t = tpi_names();
	unsigned changed = drop ? last_bit(drop) + 1 : 0;
	uint64_t was = c->head;
	struct built b;

	if (build(t, c, drop, changed, &b) < 0)
		return -ENOSPC;
	if (add)
		__atomic_store_n(&t->entry[add].next, b.first, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < changed; i++)
		tpi_names_answer_for(c->index[i], c->claim[i]);
	mark_page(t, c->bucket);
	/* Release: the entries' content goes before. Seq_cst: partner of the look at `waiting` in names-wait.c. */
	if (!__atomic_compare_exchange_n(&t->bucket[c->bucket].head, &was,
		    TP_NAMES_HEAD(TP_NAMES_HEAD_CHANGES(was) + 1, add ? add : b.first), false,
		    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		free_copies(t, b);
		return -EAGAIN;
	}
	for (unsigned i = 0; i < changed; i++)
		tpi_names_free(c->index[i], c->claim[i]);
	return 0;
}
