/* SPDX-License-Identifier: MIT */
/*
 * brk: every program has its own, in its first unit. The kernel's, which all would share, is never moved.
 *
 * The pages between the old and the new end are claimed like any others, so brk grows as long as nobody maps in its way.
 * Two threads that move it at once race as they would natively: the last store wins.
 */
#include "host.h"

static bool grow(struct tp_control *c, uint64_t from, uint64_t to)
{
	long flags = TPI_MAP_ANON | MAP_FIXED_NOREPLACE;

	if (from == to)
		return true;
	if (tpi_space_over(c, to - from) || tpi_data_over(c, to - from) || !tpi_space_take_at(c, from, to - from))
		return false;
	if (!tpi_failed(tpi_mmap(from, to - from, PROT_READ | PROT_WRITE, flags, -1, 0))) {
		tpi_space_dirty(c, from);
		tpi_data_note(c, from, to - from, true);
		if (c->mlock_future)
			arch_syscall3(ARCH_NR_mlock2, (long)from, (long)(to - from), 0);
		return true;
	}
	tpi_space_give(c, from, to - from);
	return false;
}

long tpi_route_brk(struct tp_control *c, uint64_t want)
{
	uint64_t now = __atomic_load_n(&c->brk_now, __ATOMIC_ACQUIRE);
	uint64_t have = tpi_page_up(now), need = tpi_page_up(want);

	if (want < c->brk_start || want >= c->limit)
		return (long)now;
	if (need > have && !grow(c, have, need))
		return (long)now;
	if (need < have && !tpi_failed(tpi_munmap(need, have - need)))
		tpi_space_give(c, need, have - need);
	__atomic_store_n(&c->brk_now, want, __ATOMIC_RELEASE);
	return (long)want;
}
