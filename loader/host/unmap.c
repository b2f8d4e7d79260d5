/* SPDX-License-Identifier: MIT */
/* munmap, and mprotect, which only RLIMIT_DATA is interested in. */
#include "host.h"

static long unmap(struct tp_control *c, const struct arch_frame *f)
{
	uint64_t addr = f->arg[0], len = tpi_page_up(f->arg[1]);
	long r;

	if ((addr & (TP_PAGE_SIZE - 1)) || !len || addr + len < addr)
		return tpi_munmap(addr, f->arg[1]);
	if (tpi_space_own(c, addr, len)) {
		r = tpi_munmap(addr, len);
		if (!r)
			tpi_space_give(c, addr, len);
		return r;
	}
	if (tpi_space_foreign(c, addr, len))
		return -EINVAL;
	r = tpi_munmap(addr, len);
	if (!r && !c->alone)
		tpi_outside_remove(c->program, addr, len);
	return r;
}

static void unmap_part(struct tp_control *c, uint64_t from, uint64_t to)
{
	if (from < to && !tpi_failed(tpi_munmap(from, to - from)))
		tpi_space_give(c, from, to - from);
}

/*
 * musl ends a detached thread by unmapping the stack it stands on, and then needs none. This routine does need it: all
 * but the pages in use go here, those the thread's own `syscall` unmaps. They stay claimed, since nobody is left to
 * give them back.
 */
static struct arch_outcome unmap_own_stack(struct tp_control *c, struct arch_frame *f)
{
	enum { BELOW = 2 * TP_PAGE_SIZE, ABOVE = 512 };
	uint64_t addr = f->arg[0], end = addr + tpi_page_up(f->arg[1]);
	uint64_t from = ((uint64_t)f - BELOW) & ~(uint64_t)(TP_PAGE_SIZE - 1), to = tpi_page_up((uint64_t)f + ABOVE);

	from = from > addr ? from : addr;
	to = to < end ? to : end;
	unmap_part(c, addr, from);
	unmap_part(c, to, end);
	f->arg[0] = from;
	f->arg[1] = to - from;
	return tpi_raw();
}

long tpi_route_mprotect(struct tp_control *c, const struct arch_frame *f)
{
	uint64_t addr = f->arg[0], len = tpi_page_up(f->arg[1]);
	bool writable = (f->arg[2] & PROT_WRITE) != 0;
	long r;

	if (writable && tpi_data_over(c, 0))
		return -ENOMEM;
	r = tpi_mprotect(addr, f->arg[1], (long)f->arg[2]);
	if (!r && len)
		tpi_data_note(c, addr, len, writable);
	return r;
}

struct arch_outcome tpi_route_munmap(struct tp_control *c, struct arch_frame *f)
{
	uint64_t addr = f->arg[0], len = tpi_page_up(f->arg[1]);

	if (!(addr & (TP_PAGE_SIZE - 1)) && (uint64_t)f - addr < len && tpi_space_own(c, addr, len))
		return unmap_own_stack(c, f);
	return tpi_done(unmap(c, f));
}
