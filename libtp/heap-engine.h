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

#include "count.h"
#include "heap-class.h"

enum {
	TPI_HELD_MAX = 32,
	TPI_KEPT_MAX = 24,
	TPI_OWN = 256, /* places in which a thread finds its own slabs */
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
	uintptr_t pointer;	/* the thread's; 0: of none at present */
	struct tpi_heap *older; /* all of the process: they are used again, and never unmapped */
	uint64_t slab_word;	/* this thread's word for a slab of class 0 */
	struct tpi_heap_map map;
	uint32_t takes;		/* of runs */
	uint32_t may_keep;	/* so many of those that it gives back */
	bool guest;		/* not a thread's: keeps nothing */
	bool copy;		/* of a forked child: what others wrote may be half there (malloc/fork.c) */
	struct tp_slab *own[TPI_OWN]; /* tpi_own; &none: there is none in that place */
	struct tp_slab *slab_of_16[TPI_SMALL_MAX / 16 + 1]; /* of tpi_class_of_16's */
	struct tp_slab *slab[TPI_CLASSES]; /* the thread allocates from it; &none: there is none yet */
	struct tp_slab none;
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

/* The first unit from i on whose address is a multiple of so many units: the heap itself starts at a multiple of 1 GiB, and of no more. */
static inline uint64_t tpi_unit_aligned(uint32_t i, uint32_t align)
{
	uint64_t first = TPI_HEAP_BASE >> TP_HEAP_UNIT_SHIFT;

	return ((first + i + align - 1) & ~(uint64_t)(align - 1)) - first;
}

/* The links of a slab, such that [n] is block n's: of one that has them in its entry, of any. */
static inline uint16_t *tpi_links_here(struct tp_slab *s)
{
	return (uint16_t *)((char *)s + offsetof(struct tp_slab, no_link));
}

static inline uint16_t *tpi_links(const struct tpi_heap_map *m, uint32_t slab, uint32_t class_)
{
	return class_ < TPI_DENSE ? (uint16_t *)tpi_unit(slab) + 32 * tpi_class[class_].line : tpi_links_here(&m->slabs[slab]);
}

/*
 * The slabs that are this thread's own and have their links with them, by the unit's number in the address space. A place with another slab
 * says nothing: who comes last has it. The slab's entry says what unit it is of.
 */
static inline struct tp_slab **tpi_own(struct tpi_heap *t, uint32_t slab)
{
	return &t->own[((TPI_HEAP_BASE >> TP_HEAP_UNIT_SHIFT) + slab) % TPI_OWN];
}

static inline void tpi_own_add(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	if (class_ < TPI_DENSE)
		*tpi_own(t, slab) = &t->map.slabs[slab];
}

/* Before the slab becomes anything else. */
static inline void tpi_own_drop(struct tpi_heap *t, uint32_t slab)
{
	if (*tpi_own(t, slab) == &t->map.slabs[slab])
		*tpi_own(t, slab) = &t->none;
}

static inline char *tpi_block(const struct tpi_class *c, uint32_t slab, uint32_t block)
{
	return tpi_unit(slab) + (uint64_t)(block - c->shift) * c->size;
}

/*
 * A slab's blocks are carved from one that depends on the slab, and round: slabs start at 64 KiB, and caches would have to keep the first
 * blocks of all of them in the same few places.
 */
static inline uint32_t tpi_carve_from(const struct tpi_class *c, uint32_t slab)
{
	return slab * 37 % 64 * 64 / c->size;
}

/* The number of the n-th block to be carved, and the reverse. n is from 1. */
static inline uint32_t tpi_carve_block(const struct tpi_class *c, uint32_t slab, uint32_t n)
{
	return (tpi_carve_from(c, slab) + n - 1) % c->cap + c->first;
}

static inline uint32_t tpi_carve_order(const struct tpi_class *c, uint32_t slab, uint32_t block)
{
	return (block - c->first + c->cap - tpi_carve_from(c, slab) % c->cap) % c->cap + 1;
}

static inline bool tpi_block_ok(const struct tpi_class *c, uint32_t block)
{
	return block - c->first < c->cap;
}

/* heap-thread.c: this thread's part. NULL: too many threads or no memory; tpi_heap_guest is for frees then. heap-near.h finds it faster. */
struct tpi_heap *tpi_heap_far(void) TPI_HIDDEN;
struct tpi_heap *tpi_heap_guest(struct tpi_heap *room) TPI_HIDDEN;
void tpi_heap_map_init(struct tpi_heap_map *map) TPI_HIDDEN;

/* heap-run.c. A run that was got is HELD by the caller, `units` and `reach` are set. align: units of the address, a power of two. */
int tpi_run_get(struct tpi_heap *t, uint32_t units, uint32_t align, uint32_t slack, uint32_t *ret_head, bool *ret_zero) TPI_HIDDEN;
bool tpi_run_take_at(struct tpi_heap *t, uint32_t head, uint32_t units, uint32_t *ret_other) TPI_HIDDEN;
/* Gives back a run that this thread holds, whatever its kind was. _keep may keep it for the next _get. */
void tpi_run_keep(struct tpi_heap *t, uint32_t head) TPI_HIDDEN;
void tpi_run_put(struct tpi_heap *t, uint32_t head) TPI_HIDDEN;
void tpi_run_release(const struct tpi_heap_map *m, uint32_t head, uint32_t reach) TPI_HIDDEN;
void tpi_run_put_kept(struct tpi_heap *t) TPI_HIDDEN;
/* Of a run that nobody else works with, whatever its kind. */
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
/* A block of the class; NULL: there is no memory. */
void *tpi_slab_alloc(struct tpi_heap *t, uint32_t class_) TPI_HIDDEN;
/* Return: 0, for the last call of a free. */
int tpi_slab_emptied(struct tpi_heap *t, uint32_t slab) TPI_HIDDEN;
bool tpi_slab_take(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_publish(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_look(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_leave(struct tpi_heap *t) TPI_HIDDEN;
bool tpi_slab_free_own(struct tpi_heap *t, uint32_t slab, uint32_t class_, uint32_t block) TPI_HIDDEN;
/* Into a slab that is not this thread's. false: the block is free already. */
bool tpi_slab_free_other(struct tpi_heap *t, uint32_t slab, uint64_t word, uint32_t block) TPI_HIDDEN;
/* A shared slab has other blocks in `remote`: is it empty now, or worth taking? `edge`: say so only at the block that makes it so. */
void tpi_slab_changed(struct tpi_heap *t, uint32_t slab, uint32_t class_, uint32_t remote, bool edge) TPI_HIDDEN;

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
/* By a thread that has a part. */
int tpi_heap_free_by(struct tpi_heap *t, void *ptr) TPI_HIDDEN;
/* Without a part of the heap. heap-free.c keeps it out of line. */
int tpi_heap_free_as_guest(void *ptr) TPI_HIDDEN __attribute__((noinline));
size_t tpi_heap_usable_size(const void *ptr) TPI_HIDDEN;

/* heap-find.c: the block that holds ptr, in use or not. 0; -EFAULT: not in a block; -EALREADY: in one that is free. */
int tpi_heap_find(const void *ptr, void **ret_block, size_t *ret_size, uint32_t *ret_tag) TPI_HIDDEN;

/* heap-check.c: 0, or -EUCLEAN and tpi_fail's text. */
int tpi_heap_check(void) TPI_HIDDEN;

/* heap-blame.c: says what is wrong with a pointer that was given to free or realloc, and returns the error. */
int tpi_heap_blame(const void *ptr, const char *call) TPI_HIDDEN __attribute__((cold));
void tpi_heap_damaged(uint32_t slab, uint32_t block) TPI_HIDDEN __attribute__((cold));
int tpi_heap_full(size_t size, size_t align) TPI_HIDDEN __attribute__((cold));

#endif
