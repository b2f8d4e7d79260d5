/* SPDX-License-Identifier: MIT */
/* mremap: in place where the next pages are free, elsewhere in the program's units, or where it says. */
#include "host.h"

#define HUGE_ALIGN (UINT64_C(2) << 20)

static long remap(uint64_t old, uint64_t old_len, uint64_t new_len, long flags, uint64_t to)
{
	return arch_syscall6(ARCH_NR_mremap, (long)old, (long)old_len, (long)new_len, flags, (long)to, 0);
}

/* Pages that are there no more, in the program's units or outside. */
static void forget(struct tp_control *c, uint64_t addr, uint64_t len)
{
	if (tpi_space_own(c, addr, len))
		tpi_space_give(c, addr, len);
	else if (!c->alone)
		tpi_outside_remove(c->program, addr, len);
}

static long remap_in_place(struct tp_control *c, uint64_t old, uint64_t old_len, uint64_t new_len)
{
	uint64_t more = new_len - old_len;
	long r;

	if (old + new_len > c->limit && old < c->base + TP_UNIT_SIZE && old >= c->base)
		return -ENOMEM;
	if (!tpi_space_take_at(c, old + old_len, more))
		return -ENOMEM;
	r = remap(old, old_len, new_len, 0, 0);
	if (tpi_failed(r))
		tpi_space_give(c, old + old_len, more);
	return r;
}

static long remap_elsewhere(struct tp_control *c, uint64_t old, uint64_t old_len, uint64_t new_len, long flags)
{
	uint64_t align = new_len >= HUGE_ALIGN && new_len % HUGE_ALIGN == 0 ? HUGE_ALIGN : TP_PAGE_SIZE;
	uint64_t to = tpi_space_take(c, TPI_ZONE_MMAP, new_len, align);
	long r;

	if (!to)
		return -ENOMEM;
	r = remap(old, old_len, new_len, flags | MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (tpi_failed(r)) {
		tpi_space_give(c, to, new_len);
		return r;
	}
	tpi_space_dirty(c, to);
	if (old_len && !(flags & MREMAP_DONTUNMAP))
		forget(c, old, old_len);
	return r;
}

static long remap_fixed(struct tp_control *c, uint64_t old, uint64_t old_len, uint64_t new_len, long flags, uint64_t to)
{
	bool own = tpi_space_own(c, to, new_len);
	long r;

	if (!own && tpi_space_foreign(c, to, new_len))
		return -ENOMEM;
	if (own)
		tpi_space_set(c, to, new_len);
	else if (!c->alone)
		tpi_outside_add(c->program, to, new_len);
	r = remap(old, old_len, new_len, flags, to);
	if (tpi_failed(r))
		return r;
	tpi_space_dirty(c, to);
	if (old_len && !(flags & MREMAP_DONTUNMAP))
		forget(c, old, old_len);
	return r;
}

long tpi_route_mremap(struct tp_control *c, const struct arch_frame *f)
{
	uint64_t old = f->arg[0], old_len = tpi_page_up(f->arg[1]), new_len = tpi_page_up(f->arg[2]), to = f->arg[4];
	long flags = (long)f->arg[3], r;

	if ((old & (TP_PAGE_SIZE - 1)) || !new_len || (flags & ~(long)(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP)))
		return remap(old, f->arg[1], f->arg[2], flags, to);
	if (new_len > old_len && tpi_space_over(c, new_len - old_len))
		return -ENOMEM;
	if (flags & MREMAP_FIXED)
		return remap_fixed(c, old, old_len, new_len, flags, to);
	if (flags & MREMAP_DONTUNMAP || !old_len)
		return flags & MREMAP_MAYMOVE ? remap_elsewhere(c, old, old_len, new_len, flags) : -EINVAL;
	if (new_len <= old_len) {
		r = remap(old, old_len, new_len, 0, 0);
		if (!tpi_failed(r) && new_len < old_len)
			forget(c, old + new_len, old_len - new_len);
		return r;
	}
	r = remap_in_place(c, old, old_len, new_len);
	if (!tpi_failed(r) || !(flags & MREMAP_MAYMOVE))
		return r;
	return remap_elsewhere(c, old, old_len, new_len, flags);
}
