/* SPDX-License-Identifier: MIT */
/*
 * Process attributes that Linux keeps per address space, kept per program instead: RLIMIT_AS and RLIMIT_DATA, the dumpable
 * flag, mlockall.
 */
#include "host.h"

#include <linux/prctl.h>

enum { RESOURCE_DATA = 2, RESOURCE_AS = 9 };

static uint64_t *kept(struct tp_control *c, uint64_t resource)
{
	if (resource == RESOURCE_AS)
		return c->rlimit_as;
	return resource == RESOURCE_DATA ? c->rlimit_data : NULL;
}

static bool capable(void)
{
	enum { CAP_SYS_RESOURCE_NR = 24 };
	uint32_t head[2] = { 0x20080522, 0 }, data[6] = { 0 };

	return !arch_syscall3(ARCH_NR_capget, (long)head, (long)data, 0) && (data[0] >> CAP_SYS_RESOURCE_NR & 1);
}

static long change(struct tp_control *c, uint64_t *limit, const uint64_t *wish)
{
	if (wish[0] > wish[1])
		return -EINVAL;
	if (wish[1] > limit[1] && !capable())
		return -EPERM;
	if (limit == c->rlimit_data && wish[0] != UINT64_MAX)
		tpi_data_start(c);
	__atomic_store_n(&limit[1], wish[1], __ATOMIC_RELAXED);
	__atomic_store_n(&limit[0], wish[0], __ATOMIC_RELAXED);
	return 0;
}

static long exchange(struct tp_control *c, uint64_t *limit, const uint64_t *wish, uint64_t *old)
{
	uint64_t before[2] = { limit[0], limit[1] };
	long r = 0;

	if ((wish && !tpi_peek_ok(c, wish)) || (old && !tpi_peek_ok(c, old)))
		return -EFAULT;
	if (wish)
		r = change(c, limit, wish);
	if (!r && old)
		memcpy(old, before, sizeof(before));
	return r;
}

/*
 * A vfork child has limits of its own and shares this memory: what it sets, for the program that it is about to become, is
 * the kernel's matter.
 */
static bool is_vfork_child(const struct tp_control *c)
{
	return !c->alone && !tpi_is_program_itself(c);
}

struct arch_outcome tpi_route_limits(struct tp_control *c, struct arch_frame *f)
{
	uint64_t *limit, *to = (uint64_t *)f->arg[1];

	if (f->nr == ARCH_NR_prlimit64) {
		limit = kept(c, f->arg[1]);
		if (!limit || is_vfork_child(c) || (f->arg[0] && (int)f->arg[0] != arch_syscall3(ARCH_NR_getpid, 0, 0, 0)))
			return tpi_raw();
		return tpi_done(exchange(c, limit, (const uint64_t *)f->arg[2], (uint64_t *)f->arg[3]));
	}
	limit = kept(c, f->arg[0]);
	if (!limit || is_vfork_child(c))
		return tpi_raw();
	if (f->nr == ARCH_NR_setrlimit)
		return tpi_done(to ? exchange(c, limit, to, NULL) : -EFAULT);
	return tpi_done(to ? exchange(c, limit, NULL, to) : -EFAULT);
}

struct arch_outcome tpi_route_prctl(struct tp_control *c, struct arch_frame *f)
{
	switch (f->arg[0]) {
	case PR_SET_DUMPABLE:
		if (f->arg[1] > 1)
			return tpi_done(-EINVAL);
		c->dumpable = (uint32_t)f->arg[1];
		return tpi_done(0);
	case PR_GET_DUMPABLE:
		return tpi_done(c->dumpable);
	case PR_SET_MM:
		return tpi_done(-EPERM); /* the addresses are the group's */
	case 65: /* PR_SET_MDWE: it could never be taken back, for nobody in the group */
		return tpi_done(-EINVAL);
	default:
		return tpi_raw();
	}
}

struct run {
	uint64_t addr, len;
};

/* The next mapped run of the first unit at or behind the page `*at`, which moves on. Return: is there one? */
static bool next_run(const struct tp_control *c, uint32_t *at, struct run *ret)
{
	const uint32_t pages = (uint32_t)((c->limit - c->base) >> TP_PAGE_SHIFT);
	uint32_t from = tpi_pages_next(tpi_bitmap(c->base), *at, pages, true);

	if (from >= pages)
		return false;
	*at = tpi_pages_next(tpi_bitmap(c->base), from, pages, false);
	ret->addr = c->base + ((uint64_t)from << TP_PAGE_SHIFT);
	ret->len = (uint64_t)(*at - from) << TP_PAGE_SHIFT;
	return true;
}

/* Locks the program's own pages only: mapped runs of its first unit, and what it maps later. */
long tpi_route_mlockall(struct tp_control *c, long flags)
{
	enum { CURRENT = 1, FUTURE = 2, ONFAULT = 4 };
	uint32_t at = TP_SLOT_INTERP >> TP_PAGE_SHIFT;
	struct run run;
	long r = 0;

	if (!flags || (flags & ~7) || flags == ONFAULT)
		return -EINVAL;
	c->mlock_future = (flags & FUTURE) != 0;
	while (flags & CURRENT && next_run(c, &at, &run)) {
		long e = arch_syscall3(ARCH_NR_mlock2, (long)run.addr, (long)run.len, flags & ONFAULT ? 1 : 0);

		if (e && e != -ENOMEM)
			r = e;
	}
	return r;
}

/* The kernel's own would unlock what neighbours have locked. */
long tpi_route_munlockall(struct tp_control *c)
{
	uint32_t at = TP_SLOT_INTERP >> TP_PAGE_SHIFT;
	struct run run;

	c->mlock_future = 0;
	while (next_run(c, &at, &run))
		arch_syscall3(ARCH_NR_munlock, (long)run.addr, (long)run.len, 0);
	return 0;
}
