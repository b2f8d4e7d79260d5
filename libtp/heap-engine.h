/* SPDX-License-Identifier: MIT */
/*
 * The heap's parts to each other. See tp/abi/heap.h for the layout and heap-slab.c for how slabs live.
 *
 * Order of stores. A program may be killed between any two instructions, and what it leaves must be sound; for that the order of its own
 * stores is enough, since the kernel completes them before anybody learns of the death (tpi_then keeps the compiler from changing it).
 * Where another LIVE thread must see stores in order, the atomic operation says so and names its partner.
 */
#ifndef TPI_HEAP_ENGINE_H
#define TPI_HEAP_ENGINE_H

#include <heap-place.h>

#include "heap-class.h"

enum {
	TPI_HELD_MAX = 32,
	TPI_KEPT_MAX = 24,
	TPI_ACTIVE = 1 << 20, /* bias of the slab that is allocated from: it never counts as empty */
};

/* Where the heap's parts lie. */
struct tpi_heap_map {
	struct tp_heap *meta;
	struct tp_slab *slabs;
	uint64_t *owner, *busy, *dirty, *room;
	uint32_t units;
	uint32_t room_words; /* 64-bit words of one class's bitmap in `room` */
};

struct tpi_bin {
	struct tp_slab *slab; /* the thread allocates from it; &none: there is none yet */
	char *base;	      /* of the slab, less 16: place 1 is its start */
};

struct tpi_held {
	uint32_t n;
	uint32_t unit[TPI_HELD_MAX];
};

struct tpi_kept {
	uint32_t n, total, limit; /* runs; units in all; units at most */
	uint32_t unit[TPI_KEPT_MAX], units[TPI_KEPT_MAX];
};

/* A thread's part of the heap: private memory, which a death loses; owner[] says all that it knows. */
struct tpi_heap {
	uint64_t slab_word; /* this thread's word for a slab of class 0 */
	struct tpi_heap_map map;
	uint32_t cursor;	/* look for free units from here */
	bool guest;		/* not a thread's: keeps nothing */
	bool copy;		/* of a forked child: what others wrote may be half there (malloc/fork.c) */
	struct tp_slab none;
	struct tpi_bin bin[TPI_CLASSES];
	struct tpi_held held[TPI_CLASSES];
	struct tpi_kept kept;
};

/* Keeps the order of this thread's stores. */
static inline void tpi_then(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define tpi_get(word)		__atomic_load_n(&(word), __ATOMIC_RELAXED)
#define tpi_set(word, value)	__atomic_store_n(&(word), (value), __ATOMIC_RELAXED)

static inline uint64_t tpi_word(const struct tpi_heap *t, enum tp_heap_kind kind, uint32_t class_)
{
	return (t->slab_word & ~UINT64_C(0x1ff)) | (uint64_t)kind << 6 | class_;
}

/* In a forked child only what carries the child's own tag is whole. */
static inline bool tpi_heap_beyond(const struct tpi_heap *t, uint64_t word)
{
	return t->copy && TP_HEAP_WORD_TAG(word) != TP_HEAP_WORD_TAG(t->slab_word);
}

static inline char *tpi_unit(uint32_t i)
{
	return (char *)TPI_HEAP_BASE + ((uint64_t)i << TP_HEAP_UNIT_SHIFT);
}

static inline uint64_t tpi_link(uint32_t place)
{
	return place * TP_HEAP_LINK_SPREAD ^ TP_HEAP_LINK_KEY;
}

static inline bool tpi_link_read(uint64_t word, uint32_t *ret_place)
{
	uint64_t x = word ^ TP_HEAP_LINK_KEY;

	*ret_place = (uint32_t)(x & 0xffff);
	return (x & 0xffff) * TP_HEAP_LINK_SPREAD == x;
}

static inline uint64_t *tpi_block(uint32_t slab, uint32_t place)
{
	return (uint64_t *)(tpi_unit(slab) + ((uint64_t)place - 1) * 16);
}

/* A place at which a block of the class starts? */
static inline bool tpi_place_ok(const struct tpi_class *c, uint32_t place)
{
	return place && tpi_class_starts(c, place - 1);
}

/* heap-thread.c: this thread's part. NULL: too many threads or no memory; tpi_heap_guest is for frees then. */
struct tpi_heap *tpi_heap_make(void **slot) TPI_HIDDEN;
struct tpi_heap *tpi_heap_guest(struct tpi_heap *room) TPI_HIDDEN;
void tpi_heap_map_init(struct tpi_heap_map *map) TPI_HIDDEN;

static inline struct tpi_heap *tpi_heap_mine(void)
{
	void **slot = tpi_heap_thread();

	if (tpi_likely(slot && *slot))
		return *slot;
	return slot ? tpi_heap_make(slot) : NULL;
}

/* heap-run.c. A run that was got is HELD by the caller, `units` and `reach` are set. */
int tpi_run_get(struct tpi_heap *t, uint32_t units, uint32_t align, uint32_t slack, uint32_t *ret_head, bool *ret_zero) TPI_HIDDEN;
bool tpi_run_take_at(struct tpi_heap *t, uint32_t head, uint32_t units, uint32_t *ret_other) TPI_HIDDEN;
/* Gives back a run that this thread holds, whatever its kind was. _keep may keep it for the next _get. */
void tpi_run_keep(struct tpi_heap *t, uint32_t head) TPI_HIDDEN;
void tpi_run_put(struct tpi_heap *t, uint32_t head) TPI_HIDDEN;
void tpi_run_release(const struct tpi_heap_map *m, uint32_t head, uint32_t reach) TPI_HIDDEN;
void tpi_run_put_kept(struct tpi_heap *t) TPI_HIDDEN;
void tpi_run_shrink(struct tpi_heap *t, uint32_t head, uint32_t units) TPI_HIDDEN;

/* heap-bits.c: the hints. */
bool tpi_bits_find(const struct tpi_heap_map *m, uint32_t units, uint32_t align, uint32_t *at) TPI_HIDDEN;
uint32_t tpi_bits_set(uint64_t *bits, uint32_t from, uint32_t n) TPI_HIDDEN;
uint32_t tpi_bits_clear(uint64_t *bits, uint32_t from, uint32_t n) TPI_HIDDEN;
void tpi_room_add(const struct tpi_heap_map *m, uint32_t class_, uint32_t slab) TPI_HIDDEN;
bool tpi_room_take(const struct tpi_heap_map *m, uint32_t class_, uint32_t *ret_slab) TPI_HIDDEN;

/* heap-purge.c */
bool tpi_purge_now(struct tpi_heap *t, uint32_t units) TPI_HIDDEN;
void tpi_purge_around(struct tpi_heap *t, uint32_t unit) TPI_HIDDEN;

/* heap-slab.c */
void *tpi_slab_dry(struct tpi_heap *t, uint32_t class_) TPI_HIDDEN;
void tpi_slab_emptied(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
bool tpi_slab_take(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_publish(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_look(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_leave(struct tpi_heap *t) TPI_HIDDEN;
void tpi_slab_free_other(struct tpi_heap *t, uint32_t slab, uint64_t word, uint32_t place) TPI_HIDDEN;

/* heap-recover.c: the slab's owner is dead, and it is the caller's now: sets its fields right. Return: blocks in use. */
int32_t tpi_slab_recover(const struct tpi_heap_map *m, uint32_t slab, uint32_t class_) TPI_HIDDEN;

/* heap-reap.c */
void tpi_reap(struct tpi_heap *t) TPI_HIDDEN;
static inline void tpi_reap_if_deaths(struct tpi_heap *t)
{
	if (tpi_unlikely(tpi_get(t->map.meta->reaped) != tpi_heap_deaths()))
		tpi_reap(t);
}

/* heap-alloc.c, heap-free.c: the engine's calls; as tp_alloc, tp_free ... in tp/heap.h. */
int tpi_heap_alloc(size_t size, size_t align, void **ret_ptr) TPI_HIDDEN;
int tpi_heap_alloc_zero(size_t size, void **ret_ptr) TPI_HIDDEN;
int tpi_heap_realloc(void *ptr, size_t size, void **ret_ptr) TPI_HIDDEN;
int tpi_heap_free(void *ptr) TPI_HIDDEN;
size_t tpi_heap_usable_size(const void *ptr) TPI_HIDDEN;

/* heap-find.c: the block that holds ptr, in use or not. 0; -EFAULT: not in a block; -EALREADY: in one that is free. */
int tpi_heap_find(const void *ptr, void **ret_block, size_t *ret_size, uint32_t *ret_tag) TPI_HIDDEN;

/* heap-check.c: 0, or -EUCLEAN and tpi_fail's text. */
int tpi_heap_check(void) TPI_HIDDEN;

/* heap-blame.c: says what is wrong with a pointer that was given to free or realloc, and returns the error. */
int tpi_heap_blame(const void *ptr, const char *call) TPI_HIDDEN __attribute__((cold));
void tpi_heap_damaged(uint32_t slab, uint32_t place) TPI_HIDDEN __attribute__((cold));
int tpi_heap_full(size_t size) TPI_HIDDEN __attribute__((cold));

/* The block of class `class_`, if the active slab has one at hand. */
static inline void *tpi_heap_pop(struct tpi_heap *t, uint32_t class_)
{
	struct tpi_bin *b = &t->bin[class_];
	struct tp_slab *s = b->slab;
	uint32_t place = tpi_get(s->free), next;
	uint64_t *block = (uint64_t *)(b->base + (uint64_t)place * 16);

	if (tpi_unlikely(!place || !tpi_link_read(tpi_get(*block), &next)))
		return NULL;
	/* From here on a death loses the block; before, it was in the list still. */
	tpi_set(s->free, next);
	tpi_then();
	tpi_set(s->count, s->count + 1);
	tpi_set(*block, 0);
	return block;
}

static inline void *tpi_heap_get_class(struct tpi_heap *t, uint32_t class_)
{
	void *p = tpi_heap_pop(t, class_);

	return tpi_likely(p != NULL) ? p : tpi_slab_dry(t, class_);
}

/* A free into a slab of this thread's own, which it may empty. The block has been looked at. */
static inline bool tpi_heap_put_at(struct tpi_heap *t, uint32_t slab, uint32_t class_, void *ptr, uint32_t place)
{
	struct tp_slab *s = &t->map.slabs[slab];

	/* The link before the head: a death in between loses this block only. */
	tpi_set(*(uint64_t *)ptr, tpi_link(tpi_get(s->free)));
	tpi_then();
	tpi_set(s->free, place);
	tpi_set(s->count, s->count - 1);
	if (tpi_unlikely(s->count == 0))
		tpi_slab_emptied(t, slab, class_);
	return true;
}

/* The same for any pointer. false: it is something else, or something is wrong; nothing was done. */
static inline bool tpi_heap_put(struct tpi_heap *t, void *ptr)
{
	uint64_t off = (uint64_t)(uintptr_t)ptr - TPI_HEAP_BASE, word;
	uint32_t i = (uint32_t)(off >> TP_HEAP_UNIT_SHIFT), low = (uint32_t)(off & (TP_HEAP_UNIT - 1));
	uint32_t n = low >> 4 | low << 28, was;

	if (tpi_unlikely(off >> TP_HEAP_UNIT_SHIFT >= t->map.units))
		return false;
	word = tpi_get(t->map.owner[i]) ^ t->slab_word;
	if (tpi_unlikely(word >= 64))
		return false;
	if (tpi_unlikely(!tpi_class_starts(&tpi_class[word], n) || tpi_link_read(tpi_get(*(uint64_t *)ptr), &was)))
		return false;
	return tpi_heap_put_at(t, i, (uint32_t)word, ptr, n + 1);
}

#endif
