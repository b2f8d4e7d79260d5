/* SPDX-License-Identifier: MIT */
/*
 * mmap as a program asks for it, placed in its own units.
 *
 * A mapping without a fixed address gets one of ours, and MAP_FIXED_NOREPLACE makes the kernel refuse where our picture
 * is wrong. A fixed address is the program's own decision: inside its units it is noted, outside it is recorded in the
 * registry before the call, so that a death at any moment leaves nothing unknown.
 */
#include "addresses.h"
#include "ask.h"

#define HUGE_ALIGN	(UINT64_C(2) << 20)
#define NEAR_FILE_MAX	(UINT64_C(256) << 20)
#define TRIES		64

static long ask_kernel(const struct ask *a, uint64_t addr, long flags)
{
	return tpi_mmap(addr, a->len, a->prot, flags, a->fd, a->off);
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
	if (!tpi_ask_is_file(a) && a->span >= HUGE_ALIGN && a->span % HUGE_ALIGN == 0)
		return HUGE_ALIGN;
	return TP_PAGE_SIZE;
}

/* What the kernel counts against RLIMIT_DATA. */
static bool counts_as_data(const struct ask *a)
{
	return (a->prot & PROT_WRITE) && (a->flags & MAP_TYPE) == MAP_PRIVATE && !(a->flags & MAP_GROWSDOWN);
}

/*
 * A library's data is first read, which maps the file's page, and then written, which replaces it and interrupts every CPU
 * that runs a program of the group. Written from the start it interrupts nobody.
 */
static bool is_small_data(const struct ask *a)
{
	return tpi_ask_is_file(a) && (a->prot & PROT_WRITE) && (a->flags & MAP_TYPE) == MAP_PRIVATE &&
	       a->span <= TPI_POPULATE_MAX;
}

/* What follows a mapping that succeeded. */
static long mapped(struct tp_control *c, const struct ask *a, long addr)
{
	tpi_data_note(c, (uint64_t)addr, a->span, counts_as_data(a));
	if (c->mlock_future)
		arch_syscall3(ARCH_NR_mlock2, addr, (long)a->span, 0);
	tpi_space_dirty(c, (uint64_t)addr);
	if (is_small_data(a))
		tpi_populate((uint64_t)addr, a->span);
	if (tpi_ask_is_file(a) && (a->prot & PROT_EXEC) && (a->flags & MAP_TYPE) == MAP_PRIVATE)
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
		if (r == -EINVAL && tpi_ask_is_file(a)) {
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
	if (tpi_ask_is_file(a) && (a->flags & MAP_TYPE) == MAP_PRIVATE && a->span <= NEAR_FILE_MAX)
		zone = TPI_ZONE_NEAR;
	if (zone == TPI_ZONE_NEAR && tpi_expected_is(c, a)) {
		long r = tpi_expected_map_rest(c, a);

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

	if (c->libc_head.len && tpi_expected_part(c, a))
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
	struct ask a = tpi_ask_of(f);

	if (!a.len || a.span < a.len || (a.off & (TP_PAGE_SIZE - 1)))
		return ask_kernel(&a, a.addr, a.flags); /* the kernel's own error */
	if (tpi_space_over(c, a.span) || (counts_as_data(&a) && tpi_data_over(c, a.span)))
		return -ENOMEM;
	if (a.flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (a.addr & (TP_PAGE_SIZE - 1))
			return -EINVAL;
		return map_fixed(c, &a);
	}
	if (a.flags & ARCH_MAP_32BIT)
		return map_unplaced(c, &a); /* below 2 GiB */
	return map_anywhere(c, &a);
}
