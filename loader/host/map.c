/* SPDX-License-Identifier: MIT */
/*
 * mmap, munmap and mremap as a program asks for them, placed in its own units.
 *
 * A mapping without a fixed address gets one of ours, and MAP_FIXED_NOREPLACE makes the kernel refuse where our picture
 * is wrong. A fixed address is the program's own decision: inside its units it is noted, outside it is recorded in the
 * registry before the call, so that a death at any moment leaves nothing unknown.
 */
#include "shared.h"

#define HUGE_ALIGN	(UINT64_C(2) << 20)
#define NEAR_FILE_MAX	(UINT64_C(256) << 20)
#define TRIES		64

struct ask {
	uint64_t addr, len; /* as given */
	uint64_t span;	    /* len in whole pages */
	long prot, flags, fd;
	uint64_t off;
};

static struct ask ask_of(const struct arch_frame *f)
{
	struct ask a = {
		.addr = f->arg[0],
		.len = f->arg[1],
		.prot = (long)f->arg[2],
		.flags = (long)f->arg[3],
		.fd = (int)f->arg[4],
		.off = f->arg[5],
	};

	a.span = tpi_page_up(a.len);
	return a;
}

static long ask_kernel(const struct ask *a, uint64_t addr, long flags)
{
	return tpi_mmap(addr, a->len, a->prot, flags, a->fd, a->off);
}

static bool is_file(const struct ask *a)
{
	return !(a->flags & MAP_ANONYMOUS);
}

static uint64_t huge_page_size(long flags)
{
	unsigned log2 = (unsigned)(flags >> MAP_HUGE_SHIFT) & MAP_HUGE_MASK;

	return log2 ? UINT64_C(1) << log2 : HUGE_ALIGN;
}

static uint64_t alignment(const struct ask *a)
{
	if (a->flags & MAP_HUGETLB)
		return huge_page_size(a->flags);
	/* As the kernel does it, so that transparent huge pages fit. */
	if (!is_file(a) && a->span >= HUGE_ALIGN && a->span % HUGE_ALIGN == 0)
		return HUGE_ALIGN;
	return TP_PAGE_SIZE;
}

static bool over_limit(const struct tp_control *c, uint64_t more)
{
	uint64_t limit = __atomic_load_n(&c->rlimit_as[0], __ATOMIC_RELAXED);

	if (limit == UINT64_MAX)
		return false;
	return (__atomic_load_n(&c->pages, __ATOMIC_RELAXED) << TP_PAGE_SHIFT) + more > limit;
}

/* What the kernel counts against RLIMIT_DATA. */
static bool counts_as_data(const struct ask *a)
{
	return (a->prot & PROT_WRITE) && (a->flags & MAP_TYPE) == MAP_PRIVATE && !(a->flags & MAP_GROWSDOWN);
}

/* What follows a mapping that succeeded. */
static long mapped(struct tp_control *c, const struct ask *a, long addr)
{
	tpi_data_note(c, (uint64_t)addr, a->span, counts_as_data(a));
	if (c->mlock_future)
		arch_syscall3(ARCH_NR_mlock2, addr, (long)a->span, 0);
	tpi_space_dirty(c, (uint64_t)addr);
	if (is_file(a) && (a->prot & PROT_EXEC) && (a->flags & MAP_TYPE) == MAP_PRIVATE)
		tpi_patch_mapped(c, (uint64_t)addr, a->len, (int)a->fd, a->off);
	return addr;
}

static long map_at(struct tp_control *c, const struct ask *a, uint64_t addr)
{
	long flags = (a->flags & ~(long)MAP_FIXED) | MAP_FIXED_NOREPLACE;
	long r = ask_kernel(a, addr, flags);

	if (!tpi_failed(r))
		return mapped(c, a, r);
	if (r != -EEXIST) /* then something unknown is there: its pages stay spoken for */
		tpi_space_give(c, addr, a->span);
	return r;
}

static bool is_expected_libc(const struct tp_control *c, const struct ask *a)
{
	const struct tpi_text *t;
	struct tpi_file file;

	if (!c->libc_text.len || !is_file(a) || (a->flags & MAP_TYPE) != MAP_PRIVATE || !tpi_file_of((int)a->fd, &file))
		return false;
	t = tpi_text_by_number(c->libc_facts);
	return t && tpi_text_known(&file, t->off) == t;
}

/*
 * The interpreter maps the whole libc before its segments. Its rewritten text is in place already (launch.c): only what
 * lies before and behind it comes from the file.
 */
static long map_around_text(struct tp_control *c, const struct ask *a)
{
	uint64_t at = c->base + TP_SLOT_LIBC, text = c->libc_text.addr, end = text + c->libc_text.len;
	long flags = MAP_PRIVATE | MAP_FIXED, r;

	if (a->off || text <= at || at + a->span < end || !tpi_space_take_at(c, at, a->span))
		return -EEXIST;
	r = tpi_mmap(at, text - at, a->prot, flags, a->fd, 0);
	if (!tpi_failed(r) && at + a->span > end)
		r = tpi_mmap(end, at + a->span - end, a->prot, flags, a->fd, end - at);
	if (tpi_failed(r)) {
		tpi_munmap(at, a->span);
		tpi_space_give(c, at, a->span);
		c->libc_text.len = 0;
		return r;
	}
	tpi_space_dirty(c, at);
	return (long)at;
}

/* Then it maps the text itself, which is done. */
static bool text_is_mapped(struct tp_control *c, const struct ask *a)
{
	if (a->addr != c->libc_text.addr || a->span != c->libc_text.len || a->prot != (PROT_READ | PROT_EXEC) ||
	    !is_expected_libc(c, a))
		return false;
	c->libc_text.len = 0;
	return true;
}

/* The kernel chooses: it can only be recorded afterwards. */
static long map_unplaced(struct tp_control *c, const struct ask *a)
{
	long r = ask_kernel(a, a->addr, a->flags);

	if (tpi_failed(r))
		return r;
	if (!c->alone)
		tpi_outside_add(c->program, (uint64_t)r, a->span);
	return mapped(c, a, r);
}

/*
 * A free place that takes the mapping. Some files are mapped where the kernel wants them and nowhere else (io_uring's
 * rings, huge pages): they refuse every address, and get their way.
 */
static long map_found(struct tp_control *c, struct ask *a, enum tpi_zone zone, uint64_t align)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t addr = tpi_space_take(c, zone, a->span, align);
		long r;

		if (!addr)
			return -ENOMEM;
		r = map_at(c, a, addr);
		if (r == -EINVAL && is_file(a)) {
			a->addr = 0;
			return map_unplaced(c, a);
		}
		if (r != -EEXIST)
			return r;
	}
	return -ENOMEM;
}

static long map_anywhere(struct tp_control *c, struct ask *a)
{
	enum tpi_zone zone = TPI_ZONE_MMAP;
	uint64_t align = alignment(a);

	if (a->flags & MAP_HUGETLB)
		a->span = (a->span + align - 1) & ~(align - 1);
	if (is_file(a) && (a->flags & MAP_TYPE) == MAP_PRIVATE && a->span <= NEAR_FILE_MAX)
		zone = TPI_ZONE_NEAR;
	if (zone == TPI_ZONE_NEAR && is_expected_libc(c, a)) {
		long r = map_around_text(c, a);

		if (r != -EEXIST)
			return r;
	}
	if (a->addr && !(a->addr & (TP_PAGE_SIZE - 1)) && align == TP_PAGE_SIZE && a->addr + a->span <= c->limit &&
	    tpi_space_take_at(c, a->addr, a->span)) {
		long r = map_at(c, a, a->addr);

		if (r != -EEXIST && r != -EINVAL)
			return r;
	}
	return map_found(c, a, zone, align);
}

static long map_fixed(struct tp_control *c, const struct ask *a)
{
	bool own = tpi_space_own(c, a->addr, a->span);
	long r;

	if (c->libc_text.len && text_is_mapped(c, a))
		return (long)a->addr;
	if (!own && tpi_space_foreign(c, a->addr, a->span))
		return a->flags & MAP_FIXED_NOREPLACE ? -EEXIST : -ENOMEM;
	if (own)
		tpi_space_set(c, a->addr, a->span);
	else if (!c->alone)
		tpi_outside_add(c->program, a->addr, a->span);
	r = ask_kernel(a, a->addr, a->flags);
	if (!tpi_failed(r))
		return mapped(c, a, r);
	if (!own && !c->alone)
		tpi_outside_remove(c->program, a->addr, a->span);
	return r;
}

long tpi_route_mmap(struct tp_control *c, const struct arch_frame *f)
{
	struct ask a = ask_of(f);

	if (!a.len || a.span < a.len || (a.off & (TP_PAGE_SIZE - 1)))
		return ask_kernel(&a, a.addr, a.flags); /* the kernel's own error */
	if (over_limit(c, a.span) || (counts_as_data(&a) && tpi_data_over(c, a.span)))
		return -ENOMEM;
	if (a.flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (a.addr & (TP_PAGE_SIZE - 1))
			return -EINVAL;
		return map_fixed(c, &a);
	}
	if (a.flags & MAP_32BIT)
		return map_unplaced(c, &a); /* below 2 GiB */
	return map_anywhere(c, &a);
}

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

static long remap(uint64_t old, uint64_t old_len, uint64_t new_len, long flags, uint64_t to)
{
	return arch_syscall6(ARCH_NR_mremap, (long)old, (long)old_len, (long)new_len, flags, (long)to, 0);
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
	if (old_len && !(flags & MREMAP_DONTUNMAP)) {
		tpi_space_give(c, old, old_len);
		if (!c->alone && !tpi_space_own(c, old, old_len))
			tpi_outside_remove(c->program, old, old_len);
	}
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
		tpi_space_give(c, old, old_len);
	return r;
}

long tpi_route_mremap(struct tp_control *c, const struct arch_frame *f)
{
	uint64_t old = f->arg[0], old_len = tpi_page_up(f->arg[1]), new_len = tpi_page_up(f->arg[2]), to = f->arg[4];
	long flags = (long)f->arg[3], r;

	if ((old & (TP_PAGE_SIZE - 1)) || !new_len || (flags & ~(long)(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP)))
		return remap(old, f->arg[1], f->arg[2], flags, to);
	if (new_len > old_len && over_limit(c, new_len - old_len))
		return -ENOMEM;
	if (flags & MREMAP_FIXED)
		return remap_fixed(c, old, old_len, new_len, flags, to);
	if (flags & MREMAP_DONTUNMAP || !old_len)
		return flags & MREMAP_MAYMOVE ? remap_elsewhere(c, old, old_len, new_len, flags) : -EINVAL;
	if (new_len <= old_len) {
		r = remap(old, old_len, new_len, 0, 0);
		if (!tpi_failed(r) && new_len < old_len)
			tpi_space_give(c, old + new_len, old_len - new_len);
		return r;
	}
	r = remap_in_place(c, old, old_len, new_len);
	if (!tpi_failed(r) || !(flags & MREMAP_MAYMOVE))
		return r;
	return remap_elsewhere(c, old, old_len, new_len, flags);
}
