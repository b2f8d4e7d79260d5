/* SPDX-License-Identifier: MIT */
/*
 * All names, bucket by bucket, and in a bucket in the order of their generations, which nothing changes: an entry that is there from the
 * beginning to the end is listed once, whatever others do meanwhile, even if it is copied to another place.
 */
#include <errno.h>
#include <string.h>

#include "names.h"

static int read_entry(const struct tp_names_entry *e, struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	tpi_name_words(e->name, key->name);
	key->any_type = true;
	key->hash = tpi_name_word(&e->hash);
	hit->ptr = tpi_name_word(&e->ptr);
	hit->owner = tpi_name_word(&e->owner);
	hit->generation = tpi_name_word(&e->generation);
	hit->flags = __atomic_load_n(&e->flags, __ATOMIC_RELAXED);
	hit->alive = tpi_alive(hit->owner);
	tpi_name_words(e->type, hit->type);
	return 1;
}

/* The first in this chain that is younger than `after`. 1; 0: none; -EAGAIN: the bucket has changed. */
static int next_in(const struct tpi_name_chain *c, uint64_t after, struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	const struct tp_names *t = tpi_names();
	uint64_t best = UINT64_MAX;
	int found = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct tp_names_entry *e = &t->entry[c->index[i]];
		uint64_t generation = tpi_name_word(&e->generation);

		if (generation > after && generation < best) {
			best = generation;
			found = read_entry(e, key, hit);
		}
	}
	hit->head = c->head;
	return tpi_names_still(&t->head[c->bucket], c->head) ? found : -EAGAIN;
}

static int next_of_bucket(uint32_t bucket, uint64_t after, struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	struct tpi_name_chain c;
	int r;

	do {
		r = tpi_names_chain(bucket, &c);
		if (r == 0)
			r = next_in(&c, after, key, hit);
	} while (r == -EAGAIN);
	return r;
}

int tp_name_next(struct tp_name_cursor *cursor, struct tp_name *ret_name)
{
	struct tpi_name_key key;
	struct tpi_name_hit hit;
	int r = tpi_ready();

	if (r < 0)
		return r;
	for (; cursor->at < TP_NAMES_BUCKETS; cursor->at++, cursor->after = 0) {
		if (!TP_NAMES_HEAD_INDEX(__atomic_load_n(&tpi_names()->head[cursor->at], __ATOMIC_RELAXED)))
			continue;
		r = next_of_bucket((uint32_t)cursor->at, cursor->after, &key, &hit);
		if (r < 0)
			return r;
		if (r > 0) {
			cursor->after = hit.generation;
			tpi_name_result(&key, &hit, ret_name);
			ret_name->name[TP_NAME_LENGTH_MAX] = '\0';
			return 1;
		}
	}
	return 0;
}
