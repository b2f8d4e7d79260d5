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
	char *base;	      /* block n is at base + n * size */
	uint16_t *link;	      /* block n's is [n] */
	uint64_t size;
	uint32_t max; /* the highest number */
};

/* What a free needs to know of a class. */
struct tpi_near_class {
	uint64_t step, shift;
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
	uintptr_t pointer;  /* the thread's; 0: of none at present */
	struct tpi_heap *older; /* all of the process: they are used again, and never unmapped */
	uint64_t slab_word; /* this thread's word for a slab of class 0 */
	struct tpi_near_class near_class[TPI_DENSE];
	struct tpi_heap_map map;
	uint32_t takes;		/* of runs */
	bool guest;		/* not a thread's: keeps nothing */
	bool copy;		/* of a forked child: what others wrote may be half there (malloc/fork.c) */
	struct tp_slab none;
	struct tpi_bin *bin_of_16[TPI_SMALL_MAX / 16 + 1]; /* tpi_class_of_16's */
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

/* The links of a slab, such that [n] is block n's. */
static inline uint16_t *tpi_links(const struct tpi_heap_map *m, uint32_t slab, uint32_t class_)
{
	char *in_entry = (char *)&m->slabs[slab] + offsetof(struct tp_slab, link) - sizeof(uint16_t);

	return (uint16_t *)(class_ < TPI_DENSE ? tpi_unit(slab) : in_entry);
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

/* heap-thread.c: this thread's part. NULL: too many threads or no memory; tpi_heap_guest is for frees then. */
struct tpi_heap *tpi_heap_guest(struct tpi_heap *room) TPI_HIDDEN;
void tpi_heap_map_init(struct tpi_heap_map *map) TPI_HIDDEN;

/*
 * The parts of this process's threads by a hash of the thread pointer, as distances from a part that is nobody's, so that all zero means none:
 * a forked child finds its page wiped. What is found is right if its `pointer` says so, and so races with nobody. A miss is looked up in the
 * table of threads.
 */
enum { TPI_NEAR = 256 };

struct tpi_near {
	uintptr_t first_pointer; /* the first thread has a place of its own: most programs' only one, or busiest */
	uintptr_t first_taken;
	struct tpi_heap *first;
	intptr_t part[TPI_NEAR];
	char pad[4096 - (TPI_NEAR + 3) * sizeof(intptr_t)];
	struct tpi_heap nobody;
};

extern struct tpi_near tpi_near TPI_HIDDEN;

static inline uint32_t tpi_near_hash(uintptr_t pointer)
{
	/* Threads' stacks are pages apart, and of whatever size. */
	return (uint32_t)(pointer >> 12) % TPI_NEAR;
}

/* This thread's part if it is near; else NULL, and tpi_heap_mine may have it. */
static inline struct tpi_heap *tpi_heap_near(void)
{
	uintptr_t pointer = arch_thread_pointer();
	struct tpi_heap *t;

	/* Only that thread sets it, and finds it by its own pointer. */
	if (tpi_likely(tpi_get(tpi_near.first_pointer) == pointer))
		return tpi_near.first;
	t = (struct tpi_heap *)((char *)&tpi_near.nobody + tpi_get(tpi_near.part[tpi_near_hash(pointer)]));
	return tpi_likely(tpi_get(t->pointer) == pointer) ? t : NULL;
}

struct tpi_heap *tpi_heap_far(void) TPI_HIDDEN;

static inline struct tpi_heap *tpi_heap_mine(void)
{
	struct tpi_heap *t = tpi_heap_near();

	return tpi_likely(t != NULL) ? t : tpi_heap_far();
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
/* Return: 0, for the last call of a free. */
int tpi_slab_emptied(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
bool tpi_slab_take(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_publish(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_look(struct tpi_heap *t, uint32_t slab, uint32_t class_) TPI_HIDDEN;
void tpi_slab_leave(struct tpi_heap *t) TPI_HIDDEN;
bool tpi_slab_free_own(struct tpi_heap *t, uint32_t slab, uint32_t class_, uint32_t block) TPI_HIDDEN;
bool tpi_slab_free_other(struct tpi_heap *t, uint32_t slab, uint64_t word, uint32_t block) TPI_HIDDEN;

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
int tpi_heap_full(size_t size) TPI_HIDDEN __attribute__((cold));

/* A block, if the active slab has one at hand. */
static inline bool tpi_heap_pop(struct tpi_bin *b, void **ret_ptr)
{
	struct tp_slab *s = b->slab;
	uint64_t block = tpi_get(s->free);
	uint16_t *link;
	uint32_t next;

	if (tpi_unlikely(!block))
		return false;
	link = b->link + block;
	next = tpi_get(*link);
	if (tpi_unlikely(next > b->max))
		return false;
	/* From here on a death loses the block; before, it was in the list still. */
	tpi_set(s->free, next);
	tpi_then();
	tpi_set(*link, TP_HEAP_IN_USE);
	arch_count_up(&s->count);
	*ret_ptr = b->base + block * b->size;
	return true;
}

static inline void *tpi_heap_get_class(struct tpi_heap *t, uint32_t class_)
{
	void *p;

	return tpi_likely(tpi_heap_pop(&t->bin[class_], &p)) ? p : tpi_slab_dry(t, class_);
}

/* What came of a free on the fast path. */
enum tpi_put {
	TPI_PUT_NOT,	/* nothing was done: it is something else, or something is wrong */
	TPI_PUT_DONE,
	TPI_PUT_EMPTIED, /* and tpi_slab_emptied is to be called */
};

/* Frees into a slab of this thread's own. NOT: the block is free already. */
static inline enum tpi_put tpi_heap_put_link(struct tp_slab *s, uint16_t *links, uint64_t block)
{
	uint16_t *link = links + block;

	if (tpi_unlikely(tpi_get(*link) != TP_HEAP_IN_USE))
		return TPI_PUT_NOT;
	/* The link before the head: a death in between loses this block only. */
	tpi_set(*link, (uint16_t)tpi_get(s->free));
	tpi_then();
	tpi_set(s->free, (uint32_t)block);
	return tpi_unlikely(arch_count_down(&s->count)) ? TPI_PUT_EMPTIED : TPI_PUT_DONE;
}

static inline enum tpi_put tpi_heap_put_block(struct tpi_heap *t, uint32_t slab, uint32_t class_, uint32_t block)
{
	return tpi_heap_put_link(&t->map.slabs[slab], tpi_links(&t->map, slab, class_), block);
}

/* The same for any pointer; if it is in a slab of this thread's own, its number and class are set. */
static inline enum tpi_put tpi_heap_put(struct tpi_heap *t, const void *ptr, uint32_t *ret_slab, uint32_t *ret_class)
{
	uint64_t at = (uint64_t)(uintptr_t)ptr, i = (at >> TP_HEAP_UNIT_SHIFT) - (TPI_HEAP_BASE >> TP_HEAP_UNIT_SHIFT), word;
	const struct tpi_near_class *c;
	unsigned __int128 product;

	if (tpi_unlikely(i >= t->map.units))
		return TPI_PUT_NOT;
	word = tpi_get(t->map.owner[i]) ^ t->slab_word;
	if (tpi_unlikely(word >= TPI_DENSE))
		return TPI_PUT_NOT;
	*ret_slab = (uint32_t)i;
	*ret_class = (uint32_t)word;
	/* As tpi_class_block; what is before the first block, or behind the last, has a link that never says "in use". */
	c = &t->near_class[word];
	product = (unsigned __int128)(at & (TP_HEAP_UNIT - 1)) * c->step;
	if (tpi_unlikely((uint64_t)product >= c->step))
		return TPI_PUT_NOT;
	return tpi_heap_put_link(&t->map.slabs[i], (uint16_t *)(at & ~(TP_HEAP_UNIT - 1)), (uint64_t)(product >> 64) + c->shift);
}

static inline int tpi_heap_free_fast(struct tpi_heap *t, void *ptr)
{
	uint32_t slab, class_;

	switch (tpi_heap_put(t, ptr, &slab, &class_)) {
	case TPI_PUT_DONE: return 0;
	case TPI_PUT_EMPTIED: return tpi_slab_emptied(t, slab, class_);
	default: return tpi_heap_free(ptr);
	}
}

#endif
