/* SPDX-License-Identifier: MIT */
/*
 * The table of names, inside libtp.
 *
 *	names-key.c	a name and a type as words, and their hash
 *	names-find.c	reading a chain
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

struct tpi_name_key {
	uint64_t name[TP_NAMES_WORDS], type[TP_NAMES_WORDS];
	uint64_t hash;
	bool any_type;
};

static inline struct tp_names *tpi_names(void)
{
	return tpi_area(TP_AREA_NAMES);
}

/* 0, or -EINVAL with the reason. type NULL: any. */
int tpi_name_key(const char *name, const char *type, struct tpi_name_key *ret_key) TPI_HIDDEN;
uint64_t tpi_name_hash(const uint64_t words[TP_NAMES_WORDS]) TPI_HIDDEN;

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

static inline bool tpi_name_same(const uint64_t *shared, const uint64_t *own)
{
	uint64_t differ = 0;

	for (int i = 0; i < TP_NAMES_WORDS; i++)
		differ |= tpi_name_word(&shared[i]) ^ own[i];
	return !differ;
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
 * The entry of a key; of any_type: the youngest whose owner lives, else the youngest that is kept, else the youngest.
 * Return: 0, index 0 if there is none; -EUCLEAN: the table is damaged.
 */
int tpi_names_find(const struct tpi_name_key *key, struct tpi_name_hit *ret_hit) TPI_HIDDEN;

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

/* The public form. */
void tpi_name_fill(const struct tpi_name_key *key, const struct tpi_name_hit *hit, struct tp_name *ret_name) TPI_HIDDEN;
/* The same, and what a look-up returns: -EOWNERDEAD, -EFAULT (a satellite, and a pointer into a slot), with *ret_name filled in; 0. */
int tpi_name_result(const struct tpi_name_key *key, const struct tpi_name_hit *hit, struct tp_name *ret_name) TPI_HIDDEN;
int tpi_names_damaged(void) TPI_HIDDEN __attribute__((cold));

#endif
