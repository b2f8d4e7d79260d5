/* SPDX-License-Identifier: MIT */
/*
 * fork in a group: the kernel would copy every program's page tables, so all other units are marked MADV_DONTFORK first.
 *
 * Marking is lazy. Whoever maps something stores dirty[unit] = 1 AFTER the mapping exists; a forker clears the byte and
 * marks the unit. A mapping that slips between the two is copied once too often, which costs time and nothing else.
 * What must never happen is that a program's own unit is marked while it forks: all marking and the fork itself happen
 * under one lock, and a forker first unmarks its own units.
 *
 * The lock word holds the thread id of its holder and its program's registry id. Waiters take it over when either is dead;
 * from a stopped one they cannot, and fork answers EAGAIN after LOCK_ROUNDS. The holder blocks all signals, so only SIGSTOP
 * stops it.
 *
 * In the child the group is a private copy, but the segment, which holds lock and marks, is shared memory still:
 * control->alone tells the routine to leave it alone.
 */
#include "host.h"

#include <linux/futex.h>
#include <linux/sched.h>

#define LOCK_WAIT_NS	10000000
#define LOCK_ROUNDS	200
#define SIGCHLD_NR	17

static const struct tp_program *entry_of(uint64_t id)
{
	return TPI_REGISTRY + TP_ID_INDEX(id);
}

/* Its thread has ended, or its program has: then the thread id may be somebody else's by now. */
static bool is_dead(uint64_t holder)
{
	const struct tp_program *p = entry_of(holder);
	uint32_t state = __atomic_load_n(&p->state, __ATOMIC_RELAXED);

	if (TP_ID_INDEX(holder) >= TP_REGISTRY_MAX || (uint32_t)__atomic_load_n(&p->id, __ATOMIC_RELAXED) != (uint32_t)holder)
		return true;
	if (state != TP_PROGRAM_STARTING && state != TP_PROGRAM_RUNNING)
		return true;
	return arch_syscall3(ARCH_NR_kill, (long)(holder >> 32), 0, 0) == -ESRCH;
}

static bool lock(const struct tp_control *c)
{
	uint64_t me = (uint64_t)arch_syscall3(ARCH_NR_gettid, 0, 0, 0) << 32 | (uint32_t)c->id;
	struct {
		int64_t sec, nsec;
	} wait = { 0, LOCK_WAIT_NS };

	for (int i = 0; i < LOCK_ROUNDS; i++) {
		uint64_t holder = 0;

		/* ACQUIRE pairs with unlock's RELEASE: the marks of the last forker are seen. */
		if (__atomic_compare_exchange_n(&TPI_SEGMENT->fork_lock, &holder, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (is_dead(holder) &&
		    __atomic_compare_exchange_n(&TPI_SEGMENT->fork_lock, &holder, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		arch_syscall6(ARCH_NR_futex, (long)&TPI_SEGMENT->fork_lock, FUTEX_WAIT, (uint32_t)holder, (long)&wait, 0, 0);
	}
	return false;
}

static void unlock(void)
{
	__atomic_store_n(&TPI_SEGMENT->fork_lock, 0, __ATOMIC_RELEASE);
	arch_syscall6(ARCH_NR_futex, (long)&TPI_SEGMENT->fork_lock, FUTEX_WAKE, 1, 0, 0, 0);
}

/* A program with calls that were not rewritten may fork without this routine: it must find its own unit unmarked. */
static bool may_fork_unseen(uint64_t id)
{
	return TP_ID_INDEX(id) < TP_REGISTRY_MAX && (__atomic_load_n(&entry_of(id)->warnings, __ATOMIC_RELAXED) &
						     (TP_WARN_UNROUTED | TP_WARN_NOT_PATCHED));
}

static void mark(const struct tp_control *c, uint32_t u)
{
	uint64_t owner = TPI_SEGMENT->owner[u];

	if (!TPI_SEGMENT->dirty[u] || owner == c->id || may_fork_unseen(owner))
		return;
	__atomic_store_n(&TPI_SEGMENT->dirty[u], 0, __ATOMIC_RELEASE);
	TPI_SEGMENT->marked[u] = 1;
	tpi_madvise(TP_UNIT_BASE(u), TP_UNIT_SIZE, MADV_DONTFORK);
}

typedef uint64_t __attribute__((may_alias)) eight_marks;
_Static_assert(offsetof(struct tp_segment, dirty) % sizeof(eight_marks) == 0, "eight bytes are read at once");

static bool is_any_set(const eight_marks *marks)
{
	return __atomic_load_n(marks, __ATOMIC_RELAXED);
}

/* Nearly all bytes are 0 at nearly every fork: eight are looked at with one load. */
static void mark_others(const struct tp_control *c)
{
	for (uint32_t u = 0; u < TP_UNITS; u += sizeof(eight_marks))
		if (is_any_set((const eight_marks *)&TPI_SEGMENT->dirty[u]))
			for (uint32_t i = 0; i < sizeof(eight_marks); i++)
				mark(c, u + i);
}

static void unmark(uint32_t u)
{
	if (!TPI_SEGMENT->marked[u])
		return;
	tpi_madvise(TP_UNIT_BASE(u), TP_UNIT_SIZE, MADV_DOFORK);
	TPI_SEGMENT->marked[u] = 0;
	__atomic_store_n(&TPI_SEGMENT->dirty[u], 1, __ATOMIC_RELEASE);
}

static void unmark_own(const struct tp_control *c)
{
	unmark(TP_UNIT_OF(c->base));
	for (uint32_t i = 0; i < TP_EXTRA_UNITS_MAX && i < c->program->extra_units_n; i++)
		if (c->program->extra_units[i])
			unmark(c->program->extra_units[i]);
}

/* It has just been found out that the program may fork unseen: from now on nobody marks it, and its marks go. */
void tpi_fork_unmark(const struct tp_control *c)
{
	if (c->alone || !lock(c))
		return;
	unmark_own(c);
	unlock();
}

/* What kind of task is asked for, from the three calls that make one. */
struct wish {
	uint64_t flags;
	uint64_t stack; /* 0: the caller's */
	struct clone_args args;
	uint64_t args_size; /* clone3 only */
};

static bool read_wish(const struct tp_control *c, const struct arch_frame *f, struct wish *w)
{
	w->stack = 0;
	w->args_size = 0;
	switch (f->nr) {
#ifdef ARCH_NR_fork
	case ARCH_NR_fork:
		w->flags = SIGCHLD_NR;
		return true;
	case ARCH_NR_vfork:
		w->flags = CLONE_VM | CLONE_VFORK;
		return true;
#endif
	case ARCH_NR_clone:
		w->flags = f->arg[0];
		w->stack = f->arg[1];
		return true;
	default: {
		const struct clone_args *user = (const struct clone_args *)f->arg[0];

		if (f->arg[1] < CLONE_ARGS_SIZE_VER0 || f->arg[1] > sizeof(w->args) || !tpi_peek_ok(c, user))
			return false;
		w->flags = user->flags;
		if (w->flags & CLONE_VM)
			return true;
		memset(&w->args, 0, sizeof(w->args));
		memcpy(&w->args, user, f->arg[1]);
		w->args_size = f->arg[1];
		w->stack = w->args.stack ? w->args.stack + w->args.stack_size : 0;
		w->args.stack = w->args.stack_size = 0;
		return true;
	}
	}
}

static long fork_now(const struct arch_frame *f, const struct wish *w)
{
	if (w->args_size)
		return arch_syscall3(ARCH_NR_clone3, (long)&w->args, (long)w->args_size, 0);
	if (f->nr != ARCH_NR_clone)
		return arch_syscall6(ARCH_NR_clone, (long)w->flags, 0, 0, 0, 0, 0);
	return arch_syscall6(ARCH_NR_clone, (long)w->flags, 0, (long)f->arg[2], (long)f->arg[3], (long)f->arg[4], 0);
}

static long sigmask(long how, const uint64_t *set, uint64_t *old)
{
	return arch_syscall6(ARCH_NR_rt_sigprocmask, how, (long)set, (long)old, 8, 0, 0);
}

static long fork_marked(struct tp_control *c, const struct arch_frame *f, const struct wish *w)
{
	enum { SIG_SETMASK_NR = 2 };
	uint64_t all = ~UINT64_C(0), old;
	long r;

	sigmask(SIG_SETMASK_NR, &all, &old);
	if (!lock(c)) {
		sigmask(SIG_SETMASK_NR, &old, NULL);
		return -EAGAIN;
	}
	mark_others(c);
	unmark_own(c);
	r = fork_now(f, w);
	if (r == 0)
		c->alone = 1; /* from now on lock, marks and registry are somebody else's */
	else
		unlock();
	sigmask(SIG_SETMASK_NR, &old, NULL);
	return r;
}

/* A child on a stack of its own must not come back through this frame: it gets the copy of ours and then switches. */
static struct arch_outcome fork_outcome(struct arch_frame *f, const struct wish *w, long r)
{
	if (r || !w->stack)
		return tpi_done(r);
	f->nr = w->stack;
	return (struct arch_outcome){ 0, ARCH_ROUTE_SWITCH };
}

struct arch_outcome tpi_route_fork(struct tp_control *c, struct arch_frame *f)
{
	struct wish w;

	if (!read_wish(c, f, &w))
		return tpi_raw();
	if (w.flags & CLONE_VM) {
		if (!(w.flags & CLONE_THREAD) && !c->alone)
			__atomic_store_n(&c->program->vforks, 1, __ATOMIC_RELAXED);
		return tpi_raw();
	}
	return fork_outcome(f, &w, c->alone ? fork_now(f, &w) : fork_marked(c, f, &w));
}
