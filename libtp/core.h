/* SPDX-License-Identifier: MIT */
/*
 * What every part of libtp stands on: am I in a group, who am I, is another alive, what this thread keeps, how to wait.
 *
 * Of the C library libtp uses mem*, str*, getauxval, getenv, clock_gettime, abort, and pthread keys for the end of a thread: the archive works
 * with glibc, musl and static programs. System calls are made here, so that errno stays the program's.
 */
#ifndef TPI_CORE_H
#define TPI_CORE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tp/abi/segment.h"
#include <tp/base.h>

#define tpi_likely(x)	__builtin_expect(!!(x), 1)
#define tpi_unlikely(x)	__builtin_expect(!!(x), 0)
#define TPI_HIDDEN	__attribute__((visibility("hidden")))

/*
 * This process in its group. The page is wiped in a forked child (MADV_WIPEONFORK), which is therefore in no group, at once and
 * whatever made the fork.
 */
struct tpi_member {
	struct tp_segment *segment;	/* NULL: in no group */
	struct tp_program *entry;	/* own registry entry */
	tp_id id;
	uint32_t tag;			/* TP_TAG(id) */
	uint32_t index;			/* registry index */
	uint32_t satellite;
	uint64_t lock_reach;		/* lockword.h; 0: in no group */
	struct tpi_threads *threads;	/* threads.c */
	void *part[8];			/* private per-process state of parts (enum tpi_part), set up on first use, wiped on fork */
};

enum tpi_part { TPI_PART_HEAP, TPI_PART_CHAN, TPI_PART_NAMES, TPI_PART_WATCH, TPI_PART_FDS };

union tpi_member_page {
	struct tpi_member m;
	char page[4096];
};

extern union tpi_member_page tpi_member_page TPI_HIDDEN;
#define tpi_self (tpi_member_page.m)

#define TPI_NO_GROUP "this process is in no group (start it with tprun, or call tp_attach)"

/* Slow half of tpi_ready: attaches on the first call. Return: 0, -ENOTCONN, -EPROTO. */
int tpi_ready_slow(void) TPI_HIDDEN;

/* 0 in a group; else what the call is to return. */
static inline int tpi_ready(void)
{
	return tpi_likely(tpi_self.segment != NULL) ? 0 : tpi_ready_slow();
}

/* -EINVAL: a call that has something to give back got NULL for it. */
int tpi_no_place(void) TPI_HIDDEN __attribute__((cold));

/* The same as tpi_ready, for a call that gives something back there. */
static inline int tpi_ready_for(const void *ret)
{
	int r = tpi_ready();

	return tpi_likely(r == 0 && ret != NULL) ? 0 : r < 0 ? r : tpi_no_place();
}

/* Becomes the program `id` of the group whose segment is mapped at its place: tests, and tp_attach. Return: 0, -EPROTO, -ENOMEM. */
int tpi_connect(struct tp_segment *segment, tp_id id) TPI_HIDDEN;
void tpi_disconnect(void) TPI_HIDDEN;
/* chan-fence.c: what this process has mapped and opened for channels; where no other thread can be in a call. */
void tpi_chan_forget_process(void) TPI_HIDDEN;
/* heap-thread.c: unmaps all threads' parts, then forget; only where no other thread can be in a call. */
void tpi_heap_drop_parts(void) TPI_HIDDEN;
/* Misuse of the heap is named, but does not end the program in a debug build. */
extern int tpi_heap_spare TPI_HIDDEN;
/* No thread has a part in the heap any more. */
void tpi_heap_forget(void) TPI_HIDDEN;

/* Can this library work with that segment? 0, or -EPROTO with tpi_fail's text. */
int tpi_check_version(const struct tp_segment *segment) TPI_HIDDEN;

static inline void *tpi_area(enum tp_area_kind kind)
{
	return (char *)tpi_self.segment + tpi_self.segment->areas[kind].off;
}

static inline struct tp_program *tpi_entry(uint32_t index)
{
	return (struct tp_program *)((char *)tpi_self.segment + TP_SEGMENT_REGISTRY_OFF) + index;
}

static inline bool tpi_in_segment(const void *p, size_t len)
{
	const struct tp_segment *s = tpi_self.segment;
	uint64_t a = (uint64_t)(uintptr_t)p, heap = TP_HEAP_BASE, size = s->areas[TP_AREA_HEAP].size;

	return (a >= heap && a < heap + size && len <= heap + size - a) ||
	       (a >= TP_SEGMENT_BASE && a < TP_SEGMENT_BASE + s->size && len <= TP_SEGMENT_BASE + s->size - a);
}

/* Is the program that this id stands for running, or still starting? One acquire load each of state and id. */
bool tpi_alive(tp_id id) TPI_HIDDEN;
bool tpi_tag_alive(uint32_t tag) TPI_HIDDEN;
/* The live program behind a tag; 0: none. */
tp_id tpi_tag_id(uint32_t tag) TPI_HIDDEN;

/*
 * What a thread keeps. Found by a hash of the thread pointer: 2.6 ns, where __tls_get_addr takes 4-5 and initial-exec storage cannot be
 * had by a library that is loaded late. A thread of a program only; the parts' pointers are NULL until they set them.
 */
struct tpi_thread {
	uintptr_t pointer;	/* the thread pointer */
	uint32_t tid;		/* 0: not asked yet */
	const char *said;	/* what tp_why says: why[], or a constant; NULL: nothing has failed */
	char why[200];
	void *part[8];		/* enum tpi_part */
};

struct tpi_threads;
struct tpi_threads *tpi_threads_create(void) TPI_HIDDEN;
struct tpi_threads *tpi_threads_destroy(struct tpi_threads *t) TPI_HIDDEN;
struct tpi_thread *tpi_threads_make(struct tpi_threads *t, uintptr_t pointer) TPI_HIDDEN;

/* Private memory of this process, zeroed; NULL: there is none. (errno is touched when it fails.) */
void *tpi_pages(size_t size) TPI_HIDDEN;
void tpi_pages_free(void *p, size_t size) TPI_HIDDEN;

/* Called at a thread's end for each thread that was ever found; part[] as the parts left them. */
typedef void tpi_thread_end_fn(struct tpi_thread *thread);
void tpi_threads_at_end(enum tpi_part part, tpi_thread_end_fn *fn) TPI_HIDDEN;

#include "threads.h"

/* The calling thread's; NULL: too many threads, or no memory. In a group only. */
static inline struct tpi_thread *tpi_thread(void)
{
	return tpi_threads_find(tpi_self.threads);
}

/*
 * What tp_why says, and the error given back. Every negative number that a public call returns goes through one of these two where it is
 * decided, or else tp_why tells of an older failure. tpi_say's `text` is a constant: some nanoseconds, for everyday answers. tpi_fail knows
 * %s (const char *), %u (uint64_t), %x (uint64_t), %d (int64_t), %%.
 */
int tpi_say(int error, const char *text) TPI_HIDDEN;
int tpi_fail(int error, const char *format, ...) TPI_HIDDEN __attribute__((cold));
/* For diagnostics that must not be missed: one line to stderr, "libtp: NAME: ...". Same conversions. */
void tpi_complain(const char *format, ...) TPI_HIDDEN __attribute__((cold));
size_t tpi_format(char *to, size_t size, const char *format, va_list args) TPI_HIDDEN;

/* wait.c. Nanoseconds of CLOCK_MONOTONIC. */
int64_t tpi_now(void) TPI_HIDDEN;
/* The absolute end of a relative time-out; TP_FOREVER stays. */
int64_t tpi_deadline(int64_t timeout) TPI_HIDDEN;

/*
 * Sleeps while *word == value. The word lies in the segment; it is never PRIVATE, so that satellites wake it.
 *
 * Return: 0: woken, changed, interrupted by a signal, or a program has died: look again; -ETIMEDOUT.
 * A death is never missed: call it in a loop that looks at the word AND at who is alive BETWEEN tpi_wait_begin and tpi_wait:
 *
 *	for (;;) {
 *		uint32_t deaths = tpi_wait_begin();
 *		value = load(word); if (done(value) || !tpi_tag_alive(owner)) break;
 *		r = tpi_wait(word, value, deaths, deadline); if (r) break;
 *	}
 */
uint32_t tpi_wait_begin(void) TPI_HIDDEN;
int tpi_wait(uint32_t *word, uint32_t value, uint32_t deaths, int64_t deadline) TPI_HIDDEN;
void tpi_wake(uint32_t *word, int count) TPI_HIDDEN;
/* Adds 1 to the word and wakes `count`, in one step of the kernel: who is stopped has done both, or neither. Release. */
void tpi_count_and_wake(uint32_t *word, int count) TPI_HIDDEN;
/*
 * As tpi_wait, but 0 also when 0.1 s are over: for words whose change and its wake are two steps, between which a program may be stopped for
 * long. Its death would wake us; that it stands still nobody tells.
 */
int tpi_wait_a_while(uint32_t *word, uint32_t value, uint32_t deaths, int64_t deadline) TPI_HIDDEN;

#endif
