/* SPDX-License-Identifier: MIT */
/*
 * A forked child goes on with a private copy of the region.
 *
 * The copy was made page by page while other programs, and the parent's other threads, went on writing: what the child sees of theirs may be
 * torn, a list's head newer than the blocks it leads to, a page of blocks newer than the word that calls it free. What the forking thread has
 * written itself is whole.
 *
 * So the child takes a new tag, and gives it to what the thread held: the slabs it allocates from, those it has freed into, the runs it keeps.
 * Pending remote lists of these are dropped unread: their blocks are lost to the child. Whatever carries another tag is left alone for good:
 * not taken, not adopted (nobody is ever dead here), only freed into, which reads nothing. Free units are taken, and are never believed to
 * be zero. From then on the child is a program with one thread and memory of its own; what it allocates from now on is reused without end.
 *
 * fork() is learned of by pthread_atfork; a fork that the C library knows nothing of, by a page that is wiped (tpi_heap_check_fork).
 */
#include <dlfcn.h>

#include "heap-engine.h"
#include "region.h"

/* The keys of threads that are not here any more are free for others, who may get the same thread pointers. */
static struct tpi_thread *forget_threads(struct tpi_threads *t)
{
	uintptr_t own = arch_thread_pointer();
	struct tpi_thread *mine = NULL;

	for (uint32_t i = 0; i < TPI_THREADS_SLOTS; i++) {
		struct tpi_threads_slot *s = &t->slot[i];

		if (s->key == own)
			mine = s->thread;
		else if (s->key)
			s->key = 1;
	}
	t->spare = NULL;
	t->room = t->room_end = NULL;
	t->count = mine != NULL;
	t->lock = 0;
	return mine;
}

/* The slab stays the thread's. Its remote list is dropped: what was on it counts as in use for ever. */
static void keep_slab(struct tpi_heap *t, uint32_t slab, uint32_t class_)
{
	tpi_set(t->map.slabs[slab].remote, 0);
	tpi_set(t->map.owner[slab], tpi_word(t, TP_HEAP_SLAB, class_));
}

static void keep_slabs(struct tpi_heap *t, uint32_t class_)
{
	if (t->slab[class_] != &t->none)
		keep_slab(t, (uint32_t)(t->slab[class_] - t->map.slabs), class_);
	for (uint32_t i = 0; i < t->held[class_].n; i++)
		keep_slab(t, t->held[class_].unit[i], class_);
}

/* Kept runs may have been taken by others before the fork. */
static void keep_runs(struct tpi_heap *t, uint64_t kept_before)
{
	struct tpi_kept *k = &t->kept;
	uint32_t n = 0;

	k->total = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		if (tpi_get(t->map.owner[k->unit[i]]) != kept_before)
			continue;
		tpi_set(t->map.owner[k->unit[i]], tpi_word(t, TP_HEAP_KEPT, 0));
		k->unit[n] = k->unit[i];
		k->units[n] = k->units[i];
		k->total += k->units[n++];
	}
	k->n = n;
}

static void keep_own(struct tpi_heap *t)
{
	uint64_t kept_before = tpi_word(t, TP_HEAP_KEPT, 0);

	t->copy = true;
	t->slab_word = TP_HEAP_WORD(tpi_heap_tag(), TP_HEAP_WORD_THREAD(t->slab_word), TP_HEAP_SLAB, 0);
	for (uint32_t c = 0; c < TPI_CLASSES; c++)
		keep_slabs(t, c);
	keep_runs(t, kept_before);
}

void tpi_region_forked(void)
{
	struct tpi_thread *mine;

	tpi_region_mark.here = 1; /* the mapping stays marked: the child's own children are told, too */
	mine = forget_threads(tpi_self.threads);
	tpi_heap_forget();
	tpi_self.tag = TPI_REGION_TAG + ++tpi_region.forked % (TPI_REGION_TAGS - TPI_REGION_TAG) + 1;
	if (mine && mine->part[TPI_PART_HEAP])
		keep_own(mine->part[TPI_PART_HEAP]);
}

static void in_child(void)
{
	tpi_heap_check_fork();
}

typedef int atfork_fn(void (*prepare)(void), void (*parent)(void), void (*child)(void));

/* pthread_atfork as glibc has it in each library, so that this one loads with musl as well. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library) __attribute__((weak));

__attribute__((constructor)) static void at_start(void)
{
	atfork_fn *atfork;

	if (tpi_ready() < 0)
		return;
	if (__register_atfork) {
		__register_atfork(NULL, NULL, in_child, NULL);
		return;
	}
	atfork = (atfork_fn *)dlsym(RTLD_DEFAULT, "pthread_atfork");
	if (atfork)
		atfork(NULL, NULL, in_child);
}
