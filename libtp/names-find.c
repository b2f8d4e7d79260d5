/* SPDX-License-Identifier: MIT */
/*
 * Reading a chain: without a lock, a store or a system call. A reader that is stopped in the middle holds nobody up: what it reads
 * after an entry was reused is nonsense, and the head, which has changed by then, tells it so.
 *
 *	reader                                    who reuses an entry
 *	h = head               (acquire)          CAS head: entry is out      (seq_cst)
 *	next, words, …         (relaxed)          claim freed (release), taken (acquire)
 *	fence                  (acquire)          fence                       (release)
 *	head == h ?            (relaxed)          words, next, …              (relaxed)
 *
 * If the reader has read any word of the new content, the two fences meet, and the head it reads is the changed one. The count in a head
 * comes round after 2^44 changes of one bucket.
 *
 * A walk is bounded: no chain has more than TP_NAMES_CHAIN_MAX entries. A longer one, or an index that cannot be, under a head that has
 * not changed is damage, and is reported as such. Readers start again only when a change went through, so somebody has made progress.
 */
#include <errno.h>

#include "names.h"

int tpi_names_damaged(void)
{
	return tpi_fail(-EUCLEAN, "the table of names is damaged: a program of the group has written to where it should not");
}

static void take_hit(const struct tp_names_entry *e, uint32_t index, bool alive, struct tpi_name_hit *hit)
{
	hit->index = index;
	hit->flags = __atomic_load_n(&e->flags, __ATOMIC_RELAXED);
	hit->ptr = tpi_name_word(&e->ptr);
	hit->owner = tpi_name_word(&e->owner);
	hit->generation = tpi_name_word(&e->generation);
	hit->alive = alive;
}

static unsigned rank(bool alive, uint32_t flags)
{
	return alive ? 2 : flags & TP_PUBLISH_KEEP ? 1 : 0;
}

static void take_if_better(const struct tp_names_entry *e, uint32_t index, struct tpi_name_hit *hit)
{
	bool alive = tpi_alive(tpi_name_word(&e->owner));
	unsigned now = rank(alive, __atomic_load_n(&e->flags, __ATOMIC_RELAXED)), best = rank(hit->alive, hit->flags);

	if (hit->index && (now < best || (now == best && tpi_name_word(&e->generation) < hit->generation)))
		return;
	take_hit(e, index, alive, hit);
	tpi_name_words(e->type, hit->type);
}

/* Is this the one? Then true; a better one of any type may still follow. */
static bool look_at(const struct tp_names_entry *e, uint32_t index, const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	if (!tpi_name_is(e, key))
		return false;
	if (key->any_type) {
		take_if_better(e, index, hit);
		return false;
	}
	if (tpi_type_is(e, key)) {
		take_hit(e, index, tpi_alive(tpi_name_word(&e->owner)), hit);
		return true;
	}
	hit->other = true;
	tpi_name_words(e->type, hit->type);
	return false;
}

static int walk(const struct tp_names *t, const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	uint32_t index = TP_NAMES_HEAD_INDEX(hit->head);

	for (unsigned n = 0; index; n++) {
		if (index >= TP_NAMES_ENTRIES || n == TP_NAMES_CHAIN_MAX)
			return -EUCLEAN;
		if (look_at(&t->entry[index], index, key, hit))
			return 0;
		index = __atomic_load_n(&t->entry[index].next, __ATOMIC_RELAXED);
	}
	return 0;
}

int tpi_names_find_in_chain(const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	const struct tp_names *t = tpi_names();
	const uint64_t *head = &t->bucket[tpi_key_bucket(key)].head;
	int r;

	do {
		hit->index = 0;
		hit->flags = 0;
		hit->alive = false;
		hit->other = false;
		hit->head = __atomic_load_n(head, __ATOMIC_ACQUIRE);
		r = walk(t, key, hit);
	} while (!tpi_names_still(head, hit->head));
	return tpi_unlikely(r) ? tpi_names_damaged() : 0;
}

static int collect(const struct tp_names *t, struct tpi_name_chain *c)
{
	uint32_t index = TP_NAMES_HEAD_INDEX(c->head);

	for (c->n = 0; index; c->n++) {
		if (index >= TP_NAMES_ENTRIES || c->n == TP_NAMES_CHAIN_MAX)
			return -EUCLEAN;
		c->index[c->n] = index;
		c->claim[c->n] = tpi_name_word(&t->claim[index]);
		index = __atomic_load_n(&t->entry[index].next, __ATOMIC_RELAXED);
	}
	return 0;
}

int tpi_names_chain(uint32_t bucket, struct tpi_name_chain *c)
{
	const struct tp_names *t = tpi_names();
	int r;

	c->bucket = bucket;
	do {
		c->head = __atomic_load_n(&t->bucket[bucket].head, __ATOMIC_ACQUIRE);
		r = collect(t, c);
	} while (!tpi_names_still(&t->bucket[bucket].head, c->head));
	return tpi_unlikely(r) ? tpi_names_damaged() : 0;
}

static bool is_dead(const struct tp_names_entry *e)
{
	return !(__atomic_load_n(&e->flags, __ATOMIC_RELAXED) & TP_PUBLISH_KEEP) && !tpi_alive(tpi_name_word(&e->owner));
}

uint64_t tpi_names_dead(const struct tpi_name_chain *c)
{
	uint64_t dead = 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (is_dead(&tpi_names()->entry[c->index[i]]))
			dead |= UINT64_C(1) << i;
	return dead;
}
