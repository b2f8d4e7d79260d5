/* SPDX-License-Identifier: MIT */
/*
 * Names: the public calls. How the table works stands in abi/tp/abi/names.h; reading in names-find.c, changing in names-change.c.
 *
 * Publishing prepares an entry that nobody can see and puts it in place with one CAS, the same one that takes the entry out that it
 * replaces. So there never are two entries of one name and type, never none where there was one, and never half of one. Whether an owner
 * lives is not noted in the table: the registry knows, so one death flips all names of a program.
 */
#include <errno.h>
#include <string.h>

#include "counters.h"
#include "names.h"
#include "probes.h"
#include "program-name.h"

enum { CROWDED = 16, FLAGS_KNOWN = TP_PUBLISH_KEEP | TP_PUBLISH_REPLACE };

static bool in_a_slot(const void *ptr)
{
	uint64_t a = (uintptr_t)ptr;

	if (a >= TP_PRIVATE_HEAP_BASE && a < TP_PRIVATE_HEAP_END)
		return true;
	return TP_UNIT_OF(a) < TP_UNITS && a >> 47 == 0 &&
	       __atomic_load_n(&tpi_self.segment->owner[TP_UNIT_OF(a)], __ATOMIC_RELAXED) > TP_OWNER_RESERVED;
}

static int check_pointer(const void *ptr, unsigned flags)
{
	if (tpi_in_segment(ptr, 1))
		return 0;
	if (flags & TP_PUBLISH_KEEP)
		return tpi_fail(-EFAULT, "%x cannot be kept beyond its owner's death: it is not in the group's heap",
			(uint64_t)(uintptr_t)ptr);
	if (tpi_self.satellite)
		return tpi_fail(-EFAULT, "%x is of a satellite's own memory: nobody else can reach it", (uint64_t)(uintptr_t)ptr);
	if (!in_a_slot(ptr))
		return tpi_fail(-EFAULT, "%x is memory of nobody in the group", (uint64_t)(uintptr_t)ptr);
	return 0;
}

static uint64_t word_of(const uint64_t *words, uint32_t n, uint32_t i)
{
	return i < n ? words[i] : 0;
}

static void fill(uint32_t index, const struct tpi_name_key *key, const void *ptr, unsigned flags)
{
	struct tp_names_entry *e = &tpi_names()->entry[index];

	__atomic_store_n(&e->hash, key->hash, __ATOMIC_RELAXED);
	__atomic_store_n(&e->ptr, (uint64_t)(uintptr_t)ptr, __ATOMIC_RELAXED);
	__atomic_store_n(&e->owner, tpi_self.id, __ATOMIC_RELAXED);
	__atomic_store_n(&e->flags, flags & TP_PUBLISH_KEEP, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < TP_NAMES_WORDS; i++) {
		__atomic_store_n(&e->name[i], word_of(key->words, key->nname, i), __ATOMIC_RELAXED);
		__atomic_store_n(&e->type[i], word_of(tpi_key_type(key), key->ntype, i), __ATOMIC_RELAXED);
	}
}

/* The place of the key's own entry in the chain; -1. */
static int place_of(const struct tpi_name_chain *c, const struct tpi_name_key *key)
{
	const struct tp_names *t = tpi_names();

	for (uint32_t i = 0; i < c->n; i++) {
		const struct tp_names_entry *e = &t->entry[c->index[i]];

		if (tpi_name_is(e, key) && tpi_type_is(e, key))
			return (int)i;
	}
	return -1;
}

static int taken(const struct tpi_name_key *key, tp_id owner)
{
	if (owner == tpi_self.id)
		return tpi_fail(-EEXIST, "%s is published by this program already (TP_PUBLISH_REPLACE replaces it)", tpi_key_name_text(key));
	return tpi_count_error(TP_CALL_PUBLISH,
		tpi_fail(-EEXIST, "%s belongs to %s", tpi_key_name_text(key), tpi_program_name(owner)));
}

static int no_room(void)
{
	return tpi_count_error(TP_CALL_PUBLISH, tpi_fail(-ENOSPC, "the group's table of names is full (%u names)",
							(uint64_t)(TP_NAMES_ENTRIES - TP_NAMES_RESERVE - 1)));
}

static int too_many_types(const struct tpi_name_key *key)
{
	return tpi_count_error(TP_CALL_PUBLISH, tpi_fail(-ENOSPC, "%s has as many types as one name can have (%u)",
							tpi_key_name_text(key), (uint64_t)TP_NAMES_CHAIN_MAX));
}

/* One attempt: 0; -EAGAIN: the bucket has changed. *index is the entry that has been prepared, 0 once it is in place. */
static int try_publish(const struct tpi_name_key *key, const void *ptr, unsigned flags, uint32_t *index, bool *ret_takeover)
{
	struct tp_names *t = tpi_names();
	struct tpi_name_chain c;
	uint64_t drop = 0;
	tp_id owner = 0;
	int at, r = tpi_names_chain(tpi_key_bucket(key), &c);

	if (r < 0)
		return r;
	at = place_of(&c, key);
	if (at >= 0) {
		owner = tpi_name_word(&t->entry[c.index[at]].owner);
		drop = UINT64_C(1) << at;
		if (owner == tpi_self.id ? !(flags & TP_PUBLISH_REPLACE) : tpi_alive(owner))
			return tpi_names_still(&t->bucket[c.bucket].head, c.head) ? taken(key, owner) : -EAGAIN;
	}
	if (tpi_unlikely(c.n >= CROWDED)) {
		drop |= tpi_names_dead(&c);
		if (c.n == TP_NAMES_CHAIN_MAX && !drop)
			return too_many_types(key);
	}
	if (!*index) {
		*index = tpi_names_take(false);
		if (!*index)
			return no_room();
		fill(*index, key, ptr, flags);
	}
	__atomic_store_n(&t->entry[*index].generation, TP_NAMES_HEAD_CHANGES(c.head) + 1, __ATOMIC_RELAXED);
	r = tpi_names_change(&c, drop, *index);
	if (r == 0) {
		tpi_names_put_first(&t->bucket[c.bucket], c.head, key, ptr, flags);
		*index = 0;
		*ret_takeover = owner && owner != tpi_self.id;
	}
	return r;
}

static int publish(const struct tpi_name_key *key, const void *ptr, unsigned flags)
{
	bool takeover = false;
	uint32_t index = 0;
	int r;

	do
		r = try_publish(key, ptr, flags, &index, &takeover);
	while (r == -EAGAIN);
	if (index)
		tpi_names_free(index, tpi_name_word(&tpi_names()->claim[index]));
	if (r < 0)
		return r;
	tpi_count(TP_COUNTER_PUBLISHED);
	if (takeover)
		tpi_count(TP_COUNTER_TAKEOVERS);
	tpi_names_announce();
	return 0;
}

int tp_publish(const char *name, const void *ptr, const char *type, unsigned flags)
{
	struct tpi_name_key key;
	int r = tpi_ready();

	if (r < 0)
		return r;
	if (flags & ~(unsigned)FLAGS_KNOWN)
		return tpi_fail(-EINVAL, "flags of tp_publish that this version does not know: %x", (uint64_t)flags);
	if (!type)
		return tpi_fail(-EINVAL, "a type is needed, not NULL");
	r = tpi_name_key(name, type, &key);
	if (r < 0)
		return r;
	r = tpi_name_legible(&key);
	if (r < 0)
		return r;
	r = check_pointer(ptr, flags);
	if (r < 0)
		return tpi_count_error(TP_CALL_PUBLISH, r);
	r = publish(&key, ptr, flags);
	if (!r)
		TPI_PROBE(publish, name, ptr);
	return r;
}

/* Nobody can have published what is not legible: that is said instead. */
static int not_there(const struct tpi_name_key *key)
{
	int r = tpi_name_legible(key);

	return r < 0 ? r : tpi_fail(-ENOENT, "no name %s", tpi_key_name_text(key));
}

static int try_unpublish(const struct tpi_name_key *key)
{
	const struct tp_names *t = tpi_names();
	struct tpi_name_chain c;
	uint64_t drop = 0;
	tp_id other = 0;
	int r = tpi_names_chain(tpi_key_bucket(key), &c);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < c.n; i++) {
		const struct tp_names_entry *e = &t->entry[c.index[i]];
		tp_id owner = tpi_name_word(&e->owner);

		if (!tpi_name_is(e, key) || (!key->any_type && !tpi_type_is(e, key)))
			continue;
		if (owner == tpi_self.id || !tpi_alive(owner))
			drop |= UINT64_C(1) << i;
		else
			other = owner;
	}
	if (drop)
		return tpi_names_change(&c, drop, 0);
	if (!tpi_names_still(&t->bucket[c.bucket].head, c.head))
		return -EAGAIN;
	if (other)
		return tpi_fail(-EPERM, "%s belongs to %s, which runs", tpi_key_name_text(key), tpi_program_name(other));
	return not_there(key);
}

int tp_unpublish(const char *name, const char *type)
{
	struct tpi_name_key key;
	int r = tpi_ready();

	if (r < 0)
		return r;
	r = tpi_name_key(name, type, &key);
	if (r < 0)
		return r;
	do
		r = try_unpublish(&key);
	while (r == -EAGAIN);
	if (r == -ENOSPC)
		return no_room();
	if (!r)
		TPI_PROBE(unpublish, name);
	return r;
}

static int out_of_reach(const struct tpi_name_hit *hit, const char *name)
{
	return tpi_count_error(TP_CALL_LOOKUP,
		tpi_fail(-EFAULT, "what %s stands for is %s's own memory: a satellite reaches only the group's heap", name,
			tpi_program_name(hit->owner)));
}

void tpi_name_fill(uint32_t bucket, const struct tpi_name_hit *hit, struct tp_name *ret_name)
{
	ret_name->ptr = (void *)(uintptr_t)hit->ptr;
	ret_name->owner = hit->owner;
	ret_name->generation = hit->generation;
	ret_name->flags = hit->flags;
	ret_name->alive = hit->alive;
	ret_name->handle[0] = hit->head;
	ret_name->handle[1] = bucket;
}

/* Word by word, as they were stored: wider loads would wait for those stores. */
static void put_text(char to[TP_NAME_LENGTH_MAX + 1], const uint64_t *words, uint32_t n)
{
	memset(to, 0, TP_NAME_LENGTH_MAX + 1);
	for (uint32_t i = 0; i < n; i++)
		memcpy(to + 8 * i, &words[i], sizeof(words[i]));
}

int tpi_name_result(const struct tpi_name_key *key, const struct tpi_name_hit *hit, struct tp_name *ret_name)
{
	tpi_name_fill(tpi_key_bucket(key), hit, ret_name);
	put_text(ret_name->name, key->words, key->nname);
	put_text(ret_name->type, key->any_type ? hit->type : tpi_key_type(key), key->any_type ? TP_NAMES_WORDS : key->ntype);
	ret_name->type[TP_NAME_LENGTH_MAX] = '\0';
	if (tpi_unlikely(!hit->alive) && !(hit->flags & TP_PUBLISH_KEEP))
		return tpi_fail(-EOWNERDEAD, "%s of %s: its owner has died", ret_name->name, tpi_program_name(hit->owner));
	if (tpi_unlikely(tpi_self.satellite) && !tpi_in_segment(ret_name->ptr, 1)) {
		ret_name->ptr = NULL;
		return out_of_reach(hit, ret_name->name);
	}
	return 0;
}

int tpi_name_seek(const char *name, const char *type, const struct tp_name *ret_name, struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	int r = tpi_ready_for(ret_name);

	if (r == 0)
		r = tpi_name_key(name, type, key);
	return r < 0 ? r : tpi_names_find(key, hit);
}

static int another_type(const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	((char *)hit->type)[TP_NAME_LENGTH_MAX] = '\0';
	return tpi_count_error(TP_CALL_LOOKUP, tpi_fail(-EPROTOTYPE, "%s is a %s, not a %s", tpi_key_name_text(key),
							(const char *)hit->type, tpi_key_type_text(key)));
}

int tp_lookup(const char *name, const char *type, struct tp_name *ret_name)
{
	struct tpi_name_key key;
	struct tpi_name_hit hit;
	int r = tpi_name_seek(name, type, ret_name, &key, &hit);

	if (tpi_unlikely(r < 0))
		return r;
	if (tpi_likely(hit.index))
		return tpi_name_result(&key, &hit, ret_name);
	return hit.other ? another_type(&key, &hit) : not_there(&key);
}

static int check_again(const struct tp_name *name)
{
	struct tpi_name_key key;
	struct tpi_name_hit hit;
	int r = tpi_name_key(name->name, name->type, &key);

	if (r < 0)
		return r;
	r = tpi_names_find(&key, &hit);
	if (r < 0)
		return r;
	if (!hit.index || hit.generation != name->generation)
		return tpi_fail(-ESTALE, "%s stands for something else by now", name->name);
	return 0;
}

int tp_name_check(const struct tp_name *name)
{
	int r = tpi_ready();

	if (r < 0)
		return r;
	if (!name || !name->owner || name->handle[1] >= TP_NAMES_BUCKETS)
		return tpi_fail(-EINVAL, "not a struct tp_name that a look-up has filled in");
	if (__atomic_load_n(&tpi_names()->bucket[name->handle[1]].head, __ATOMIC_ACQUIRE) != name->handle[0]) {
		r = check_again(name);
		if (r < 0)
			return r;
	}
	if (!(name->flags & TP_PUBLISH_KEEP) && !tpi_alive(name->owner))
		return tpi_fail(-EOWNERDEAD, "%s of %s: its owner has died", name->name, tpi_program_name(name->owner));
	return 0;
}
