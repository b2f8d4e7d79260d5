/* SPDX-License-Identifier: MIT */
/*
 * All names, bucket by bucket, and in a bucket in the order of name and type, as nothing else stays: an entry that is there from the
 * beginning to the end is listed once, even if others replace it or its copy lies elsewhere.
 */
#include <errno.h>
#include <string.h>

#include "names.h"

/* Name and type together, as words; the order is any, but always the same. */
struct place {
	uint64_t words[2 * TP_NAMES_WORDS];
};

static bool comes_before(const struct place *a, const struct place *b)
{
	for (int i = 0; i < 2 * TP_NAMES_WORDS; i++)
		if (a->words[i] != b->words[i])
			return a->words[i] < b->words[i];
	return false;
}

static struct place place_of(const struct tp_names_entry *e)
{
	struct place p;

	tpi_name_words(e->name, p.words);
	tpi_name_words(e->type, p.words + TP_NAMES_WORDS);
	return p;
}

static void read_entry(const struct tp_names_entry *e, struct tpi_name_hit *hit)
{
	hit->ptr = tpi_name_word(&e->ptr);
	hit->owner = tpi_name_word(&e->owner);
	hit->generation = tpi_name_word(&e->generation);
	hit->flags = __atomic_load_n(&e->flags, __ATOMIC_RELAXED);
	hit->alive = tpi_alive(hit->owner);
}

/* The next in this chain behind *at, which is moved on. 1; 0: none; -EAGAIN: the bucket has changed. */
static int next_in(const struct tpi_name_chain *c, struct place *at, struct tpi_name_hit *hit)
{
	const struct tp_names *t = tpi_names();
	struct place best = *at;
	int found = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct tp_names_entry *e = &t->entry[c->index[i]];
		struct place p = place_of(e);

		if (comes_before(at, &p) && (!found || comes_before(&p, &best))) {
			best = p;
			read_entry(e, hit);
			found = 1;
		}
	}
	hit->head = c->head;
	if (!tpi_names_still(&t->bucket[c->bucket].head, c->head))
		return -EAGAIN;
	*at = best;
	return found;
}

static int next_of_bucket(uint32_t bucket, struct place *at, struct tpi_name_hit *hit)
{
	struct tpi_name_chain c;
	int r;

	do {
		r = tpi_names_chain(bucket, &c);
		if (r == 0)
			r = next_in(&c, at, hit);
	} while (r == -EAGAIN);
	return r;
}

static void give(const struct place *at, uint32_t bucket, const struct tpi_name_hit *hit, struct tp_name *ret_name)
{
	tpi_name_fill(bucket, hit, ret_name);
	memcpy(ret_name->name, at->words, sizeof(ret_name->name));
	memcpy(ret_name->type, at->words + TP_NAMES_WORDS, sizeof(ret_name->type));
	ret_name->name[TP_NAME_LENGTH_MAX] = '\0';
	ret_name->type[TP_NAME_LENGTH_MAX] = '\0';
	if (tpi_self.satellite && !tpi_in_segment(ret_name->ptr, 1))
		ret_name->ptr = NULL;
}

/* The next bucket from here on that is not empty; TP_NAMES_BUCKETS: none. */
static uint64_t next_bucket(const struct tp_names *t, uint64_t at)
{
	while (at < TP_NAMES_BUCKETS) {
		if (!tpi_names_paged(t, (uint32_t)at))
			at = (at / TP_NAMES_PAGE + 1) * TP_NAMES_PAGE;
		else if (TP_NAMES_HEAD_INDEX(__atomic_load_n(&t->bucket[at].head, __ATOMIC_RELAXED)))
			break;
		else
			at++;
	}
	return at;
}

int tp_name_next(struct tp_name_cursor *cursor, struct tp_name *ret_name)
{
	struct tpi_name_hit hit;
	struct place at;
	int r = tpi_ready_for(ret_name);

	if (r < 0)
		return r;
	if (!cursor)
		return tpi_say(-EINVAL, "there is no cursor at NULL");
	memcpy(at.words, cursor->name, sizeof(cursor->name));
	memcpy(at.words + TP_NAMES_WORDS, cursor->type, sizeof(cursor->type));
	for (r = 0; cursor->at < TP_NAMES_BUCKETS; cursor->at++) {
		uint64_t bucket = next_bucket(tpi_names(), cursor->at);

		if (bucket != cursor->at)
			memset(&at, 0, sizeof(at));
		cursor->at = bucket;
		if (bucket == TP_NAMES_BUCKETS)
			break;
		r = next_of_bucket((uint32_t)bucket, &at, &hit);
		if (r)
			break;
		memset(&at, 0, sizeof(at));
	}
	if (r > 0)
		give(&at, (uint32_t)cursor->at, &hit, ret_name);
	memcpy(cursor->name, at.words, sizeof(cursor->name));
	memcpy(cursor->type, at.words + TP_NAMES_WORDS, sizeof(cursor->type));
	return r;
}
