/* SPDX-License-Identifier: MIT */
/*
 * The table of names, inside libtp.
 *
 *	names-key.c	a name and a type as words, and their hash
 *	names-find.c	reading a chain
 *	names-first.c	what was published last, in the bucket itself
 *	names-room.c	which entries are free; taking back what the dead have left
 *	names-change.c	putting a changed chain in place
 *	names-wait.c	sleeping for a name
 *	names-list.c	all names, one after the other
 *	names.c		the public calls
 */
#ifndef TPI_NAMES_H
#define TPI_NAMES_H

#include "core.h"
#include "tp/abi/names.h"
#include <tp/name.h>

/* Name, then type, each in as few words as hold it and a zero: so each is a C string as it stands. Behind them zeros, up to TP_NAMES_SHORT. */
struct tpi_name_key {
	uint64_t words[2 * TP_NAMES_WORDS];
	uint64_t hash;		/* of the name */
	uint32_t nname, ntype;	/* words */
	bool any_type;		/* ntype 0 */
};

static inline const uint64_t *tpi_key_type(const struct tpi_name_key *key)
{
	return key->words + key->nname;
}

static inline const char *tpi_key_name_text(const struct tpi_name_key *key)
{
	return (const char *)key->words;
}

static inline const char *tpi_key_type_text(const struct tpi_name_key *key)
{
	return (const char *)tpi_key_type(key);
}

static inline uint32_t tpi_key_bucket(const struct tpi_name_key *key)
{
	return (uint32_t)(key->hash % TP_NAMES_BUCKETS);
}

static inline struct tp_names *tpi_names(void)
{
	return tpi_area(TP_AREA_NAMES);
}

/* 0, or -EINVAL with the reason: NULL, empty or too long. type NULL: any. */
int tpi_name_key(const char *name, const char *type, struct tpi_name_key *ret_key) TPI_HIDDEN;
/*
 * 0, or -EINVAL with the reason: control characters, or no UTF-8. Only what publishes asks at once; who looks a name up asks when it
 * was not found.
 */
int tpi_name_legible(const struct tpi_name_key *key) TPI_HIDDEN;
/* Of a name, of at most n words. */
uint64_t tpi_name_hash(const uint64_t *words, uint32_t n) TPI_HIDDEN;

/*
 * Every word of an entry is read and written as an atomic of its own, relaxed: whether they belong together is told by the head.
 * Partner of the reader's fence: tpi_names_take.
 */
static inline uint64_t tpi_name_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void tpi_name_words(const uint64_t from[TP_NAMES_WORDS], void *to)
{
	for (int i = 0; i < TP_NAMES_WORDS; i++) {
		uint64_t word = tpi_name_word(&from[i]);

		__builtin_memcpy((char *)to + 8 * i, &word, sizeof(word));
	}
}

/* The last of `own` has a zero byte at its end, so there the other one ends, too. */
static inline bool tpi_name_same(const uint64_t *shared, const uint64_t *own, uint32_t n)
{
	uint64_t differ = 0;

	for (uint32_t i = 0; i < n; i++)
		differ |= tpi_name_word(&shared[i]) ^ own[i];
	return !differ;
}

static inline bool tpi_name_is(const struct tp_names_entry *e, const struct tpi_name_key *key)
{
	return tpi_name_word(&e->hash) == key->hash && tpi_name_same(e->name, key->words, key->nname);
}

static inline bool tpi_type_is(const struct tp_names_entry *e, const struct tpi_name_key *key)
{
	return tpi_name_same(e->type, tpi_key_type(key), key->ntype);
}

/* What was read of a bucket is true if the head still is what it was before. */
static inline bool tpi_names_still(const uint64_t *head, uint64_t was)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(head, __ATOMIC_RELAXED) == was;
}

struct tpi_name_hit {
	uint64_t head;		/* of the bucket, when it was read */
	uint32_t index;		/* 0: none */
	uint32_t flags;
	uint64_t ptr, owner, generation;
	bool alive;		/* its owner runs */
	bool other;		/* the name is there with another type */
	uint64_t type[TP_NAMES_WORDS];	/* of a hit of any type; of that other */
};

/*
 * Was any bucket of the page ever used? If not, none of them need be looked at, which would cost memory.
 * Seq_cst: this stands for the head in the argument of names-wait.c.
 */
static inline uint64_t tpi_names_page_bit(uint32_t bucket)
{
	return UINT64_C(1) << bucket / TP_NAMES_PAGE % 64;
}

static inline bool tpi_names_paged(const struct tp_names *t, uint32_t bucket)
{
	return __atomic_load_n(&t->paged[bucket / TP_NAMES_PAGE / 64], __ATOMIC_SEQ_CST) & tpi_names_page_bit(bucket);
}

/* All words that a bucket has: those that are not needed are zero here and there. */
static inline bool tpi_same_short(const uint64_t *shared, const uint64_t *own)
{
	return !((tpi_name_word(&shared[0]) ^ own[0]) | (tpi_name_word(&shared[1]) ^ own[1]) |
		(tpi_name_word(&shared[2]) ^ own[2]) | (tpi_name_word(&shared[3]) ^ own[3]));
}

_Static_assert(TP_NAMES_SHORT == 4, "as many are compared");

/* Is the bucket's own copy what the key stands for? If not, nothing is known yet. The argument is in names-first.c. */
static inline bool tpi_names_first(const struct tp_names_bucket *b, const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	uint64_t head = __atomic_load_n(&b->head, __ATOMIC_ACQUIRE), first = __atomic_load_n(&b->first, __ATOMIC_ACQUIRE);

	if (key->any_type || key->nname + key->ntype > TP_NAMES_SHORT || (head ^ first) >> 20 || first & TP_NAMES_BUSY ||
		!tpi_same_short(b->text, key->words))
		return false;
	hit->ptr = tpi_name_word(&b->ptr);
	hit->owner = tpi_name_word(&b->owner);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&b->first, __ATOMIC_RELAXED) != first)
		return false;
	hit->head = head;
	hit->index = TP_NAMES_HEAD_INDEX(head);
	hit->generation = TP_NAMES_HEAD_CHANGES(head);
	hit->flags = (uint32_t)first & TP_PUBLISH_KEEP;
	hit->alive = tpi_alive(hit->owner);
	hit->other = false;
	return true;
}

/*
 * The entry of a key; of any_type: the youngest whose owner lives, else the youngest that is kept, else the youngest.
 * Return: 0, index 0 if there is none; -EUCLEAN: the table is damaged.
 */
int tpi_names_find_in_chain(const struct tpi_name_key *key, struct tpi_name_hit *ret_hit) TPI_HIDDEN;

static inline int tpi_names_find(const struct tpi_name_key *key, struct tpi_name_hit *hit)
{
	const struct tp_names *t = tpi_names();
	uint32_t bucket = tpi_key_bucket(key);

	if (!tpi_names_paged(t, bucket)) {
		hit->index = 0;
		hit->other = false;
		return 0;
	}
	return tpi_names_first(&t->bucket[bucket], key, hit) ? 0 : tpi_names_find_in_chain(key, hit);
}

/* This program has just put an entry of that key in place of the head `was`. */
void tpi_names_put_first(struct tp_names_bucket *b, uint64_t was, const struct tpi_name_key *key, const void *ptr, unsigned flags) TPI_HIDDEN;

/* A whole chain, as it stood at one moment. */
struct tpi_name_chain {
	uint32_t bucket;
	uint32_t n;
	uint64_t head;
	uint32_t index[TP_NAMES_CHAIN_MAX];
	uint64_t claim[TP_NAMES_CHAIN_MAX];
};

int tpi_names_chain(uint32_t bucket, struct tpi_name_chain *ret_chain) TPI_HIDDEN;

/* A bit for each whose owner has died, and which that ends. */
uint64_t tpi_names_dead(const struct tpi_name_chain *chain) TPI_HIDDEN;

/* An entry for this program, which nobody can reach; 0: none is left. `copy`: the reserve may be used. */
uint32_t tpi_names_take(bool copy) TPI_HIDDEN;
/* It cannot be reached any more. `claim`: what the claim's word was; only its count matters. */
void tpi_names_free(uint32_t index, uint64_t claim) TPI_HIDDEN;
/* From now on its unreachable state is this program's care. */
void tpi_names_answer_for(uint32_t index, uint64_t claim) TPI_HIDDEN;

/* Takes back what the dead have left among these. Return: how many of them are free. */
uint32_t tpi_names_sweep(uint32_t from, uint32_t end) TPI_HIDDEN;

/*
 * Puts the chain without the entries whose bits are set in `drop`, and with `add` (0: none) in front, in its place.
 * Return: 0; -EAGAIN: the bucket has changed, look again; -ENOSPC.
 */
int tpi_names_change(const struct tpi_name_chain *chain, uint64_t drop, uint32_t add) TPI_HIDDEN;

/* Wakes those who wait for a name; costs one load when nobody does. */
void tpi_names_announce(void) TPI_HIDDEN;
/* About to wait for a name: look it up after this, then sleep while `changes` is what this returns. */
uint32_t tpi_names_wait_mark(struct tp_names *t) TPI_HIDDEN;

/* All of the public form but name and type. */
void tpi_name_fill(uint32_t bucket, const struct tpi_name_hit *hit, struct tp_name *ret_name) TPI_HIDDEN;
/* The public form, and what a look-up returns: -EOWNERDEAD, -EFAULT (a satellite, and a pointer into a slot), with *ret_name filled in; 0. */
int tpi_name_result(const struct tpi_name_key *key, const struct tpi_name_hit *hit, struct tp_name *ret_name) TPI_HIDDEN;
/* What a look-up and a wait begin with: 0, whether or not it is there, or what is wrong with the arguments. */
int tpi_name_seek(const char *name, const char *type, const struct tp_name *ret_name, struct tpi_name_key *ret_key, struct tpi_name_hit *ret_hit)
	TPI_HIDDEN;
int tpi_names_damaged(void) TPI_HIDDEN __attribute__((cold));

#endif
