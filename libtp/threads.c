/* SPDX-License-Identifier: MIT */
/*
 * See threads.h. A slot is claimed by CAS of its key from 0 or 1 ("was used") to 2; probing goes on over used-before slots until a
 * never-used one. The small lock guards the spare list; it is private to the process, taken for a few instructions at the start and the end
 * of a thread, and a thread that is killed there takes its process with it. A signal handler that interrupts its own thread there finds the
 * lock its own, and does without an entry.
 *
 * A thread that the C library does not end (a raw clone) leaves its entry behind; the next thread with that thread pointer inherits it,
 * which is right: two live threads never share one.
 */
#include <errno.h>
#include <linux/mman.h>
#include <pthread.h>
#include <string.h>

#include "core.h"
#include "spin.h"

/* A room opens with the address of the one before it. */
enum { ROOM = 64 << 10, ROOM_HEAD = 16 };

/* libtp-malloc.so keeps its threads across a fork. */
#ifndef TPI_ON_FORK
#define TPI_ON_FORK MADV_WIPEONFORK
#endif

static pthread_key_t end_key;
static int end_key_made;
static tpi_thread_end_fn *at_end[8];

static void *pages(size_t size)
{
	void *p = tpi_pages(size);

	if (p)
		arch_syscall3(ARCH_NR_madvise, (long)p, (long)size, TPI_ON_FORK);
	return p;
}

/* False: this very thread holds it, below a signal handler. Hundreds of threads may start at once on few processors: spinning lets go. */
static bool lock(struct tpi_threads *t)
{
	uintptr_t own = arch_thread_pointer(), holder = 0;

	for (unsigned n = 0; !__atomic_compare_exchange_n(&t->lock, &holder, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); n++) {
		if (holder == own)
			return false;
		tpi_spin_wait(n);
		holder = 0;
	}
	return true;
}

static void unlock(struct tpi_threads *t)
{
	__atomic_store_n(&t->lock, 0, __ATOMIC_RELEASE);
}

static struct tpi_thread *take_room(struct tpi_threads *t)
{
	struct tpi_thread *thread = t->spare;

	if (thread) {
		t->spare = thread->part[0];
		return thread;
	}
	if (t->room_end - t->room < (ptrdiff_t)sizeof(*thread))
		return NULL;
	thread = (struct tpi_thread *)t->room;
	t->room += sizeof(*thread);
	return thread;
}

/* *ret_full: there is none to be had. */
static struct tpi_thread *take_thread(struct tpi_threads *t, char *new_room, bool *ret_full)
{
	struct tpi_thread *thread = NULL;

	*ret_full = !lock(t);
	if (*ret_full)
		return NULL;
	if (new_room) {
		*(char **)new_room = t->rooms;
		t->rooms = new_room;
		t->room = new_room + ROOM_HEAD;
		t->room_end = new_room + ROOM;
	}
	*ret_full = t->count >= TPI_THREADS_MAX;
	if (!*ret_full)
		thread = take_room(t);
	if (thread)
		t->count++;
	unlock(t);
	return thread;
}

/* Memory is mapped without the lock. Of two that do so at once, one's rest is lost: some kilobytes, a few times in a process's life. */
static struct tpi_thread *get_thread(struct tpi_threads *t, uintptr_t pointer)
{
	bool full;
	struct tpi_thread *thread = take_thread(t, NULL, &full);
	char *room = !thread && !full ? pages(ROOM) : NULL;

	if (room)
		thread = take_thread(t, room, &full);
	if (thread) {
		memset(thread, 0, sizeof(*thread));
		thread->pointer = pointer;
	}
	return thread;
}

static void put_thread(struct tpi_threads *t, struct tpi_thread *thread)
{
	if (!lock(t))
		return; /* lost, with its 400 bytes: a handler has interrupted the end of its own thread */
	thread->part[0] = t->spare;
	t->spare = thread;
	t->count--;
	unlock(t);
}

static struct tpi_threads_slot *find(struct tpi_threads *t, uintptr_t pointer)
{
	for (uint32_t i = tpi_threads_hash(pointer), n = 0; n < TPI_THREADS_SLOTS; i++, n++) {
		struct tpi_threads_slot *s = &t->slot[i % TPI_THREADS_SLOTS];
		uintptr_t key = __atomic_load_n(&s->key, __ATOMIC_RELAXED);

		if (key == pointer)
			return s;
		if (!key)
			break;
	}
	return NULL;
}

static bool insert(struct tpi_threads *t, uintptr_t pointer, struct tpi_thread *thread)
{
	for (uint32_t i = tpi_threads_hash(pointer), n = 0; n < TPI_THREADS_SLOTS; i++, n++) {
		struct tpi_threads_slot *s = &t->slot[i % TPI_THREADS_SLOTS];
		uintptr_t key = __atomic_load_n(&s->key, __ATOMIC_RELAXED);

		if (key > TPI_THREADS_WAS_USED ||
			!__atomic_compare_exchange_n(&s->key, &key, TPI_THREADS_CLAIMED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		s->thread = thread;
		__atomic_store_n(&s->key, pointer, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

static void on_thread_end(void *arg)
{
	struct tpi_thread *thread = arg;
	struct tpi_threads *t = tpi_self.threads;
	struct tpi_threads_slot *s = t ? find(t, arch_thread_pointer()) : NULL;

	/* Else it is of a group that the process has left, or of the parent that it was forked by: memory that is gone. */
	if (!s || s->thread != thread)
		return;
	for (size_t i = 0; i < sizeof(at_end) / sizeof(at_end[0]); i++)
		if (thread->part[i] && __atomic_load_n(&at_end[i], __ATOMIC_RELAXED))
			at_end[i](thread);
	s = find(t, thread->pointer);
	if (s && s->thread == thread) {
		__atomic_store_n(&s->key, 1, __ATOMIC_RELEASE);
		put_thread(t, thread);
	}
}

struct tpi_thread *tpi_threads_make(struct tpi_threads *t, uintptr_t pointer)
{
	struct tpi_threads_slot *s = find(t, pointer);
	struct tpi_thread *thread = s ? s->thread : get_thread(t, pointer);

	if (s || !thread)
		return thread;
	if (!insert(t, pointer, thread)) {
		put_thread(t, thread);
		return NULL;
	}
	/*
	 * May allocate, and so come back here: the entry is there by now. In a signal handler that must not be: musl never does, and glibc has
	 * room for the first 32 keys in each thread. Ours is made before main, or by tp_attach, which is not for programs with many keys.
	 */
	if (__atomic_load_n(&end_key_made, __ATOMIC_ACQUIRE))
		pthread_setspecific(end_key, thread);
	return thread;
}

void tpi_threads_at_end(enum tpi_part part, tpi_thread_end_fn *fn)
{
	__atomic_store_n(&at_end[part], fn, __ATOMIC_RELAXED);
}

struct tpi_threads *tpi_threads_create(void)
{
	struct tpi_threads *t = pages(sizeof(*t));

	if (t && !end_key_made && pthread_key_create(&end_key, on_thread_end) == 0)
		__atomic_store_n(&end_key_made, 1, __ATOMIC_RELEASE);
	return t;
}

struct tpi_threads *tpi_threads_destroy(struct tpi_threads *t)
{
	char *room, *older;

	if (!t)
		return NULL;
	for (room = t->rooms; room; room = older) {
		older = *(char **)room;
		tpi_pages_free(room, ROOM);
	}
	tpi_pages_free(t, sizeof(*t));
	return NULL;
}
