/* SPDX-License-Identifier: MIT */
/*
 * Giving a dead program's memory back.
 *
 * Large memory goes in steps: MADV_DONTNEED holds the address space's lock for reading, so that neighbours can fault
 * meanwhile; the munmap that needs it for writing then finds nothing left to free.
 */
#include "host.h"

#define STEP  (UINT64_C(64) << 20)
#define CALLS 20000u

static void empty(uint64_t addr, uint64_t len)
{
	for (uint64_t at = 0; at < len; at += STEP)
		tpi_madvise(addr + at, len - at < STEP ? len - at : STEP, MADV_DONTNEED);
}

/*
 * The unit's control block, copied by the kernel: a program may have scribbled on it, or unmapped it. A unit that is not a
 * program's first has none.
 */
static bool read_control(uint64_t base, struct tp_control *ret)
{
	long pid = arch_syscall3(ARCH_NR_getpid, 0, 0, 0);

	return tpi_copy_safely(pid, ret, base, offsetof(struct tp_control, exe)) && ret->magic == TP_CONTROL_MAGIC;
}

static uint64_t at_most(uint64_t n, uint64_t max)
{
	return n < max ? n : max;
}

/* What of a large unit is worth emptying first: its break, and its mmap zone about as far as it can be filled. */
static void empty_unit(uint64_t base)
{
	static struct tp_control c; /* the host alone is here, and its stack is small */
	uint64_t bytes, room = TP_SLOT_STACK_TOP - TP_SLOT_STACK_RESERVE - TP_SLOT_MMAP;

	if (!read_control(base, &c) || c.pages < STEP >> TP_PAGE_SHIFT)
		return;
	bytes = at_most(c.pages, TP_UNIT_SIZE >> TP_PAGE_SHIFT) << TP_PAGE_SHIFT;
	if (c.brk_now > c.brk_start)
		empty(base + TP_SLOT_BRK, at_most(c.brk_now - c.brk_start, TP_SLOT_MMAP - TP_SLOT_BRK));
	empty(base + TP_SLOT_MMAP, at_most(2 * bytes, room));
}

/*
 * munmap refuses a range that holds one sealed mapping as a whole. Halves of it go where they can, down to single pages,
 * as long as the calls last; what remains is the sealed mapping, for good.
 */
static long unmap_but_sealed(uint64_t addr, uint64_t len, unsigned *calls)
{
	uint64_t half = tpi_page_up(len / 2);
	long r, s;

	if (!*calls)
		return -EPERM;
	--*calls;
	r = tpi_munmap(addr, len);
	if (r != -EPERM || len <= TP_PAGE_SIZE)
		return r;
	r = unmap_but_sealed(addr, half, calls);
	s = unmap_but_sealed(addr + half, len - half, calls);
	return r ? r : s;
}

static bool is_whole_unit(const struct tp_range *r)
{
	return r->len == TP_UNIT_SIZE && !(r->addr & (TP_UNIT_SIZE - 1));
}

/*
 * marked[] stays: a forker that is stopped before its madvise may mark the unit's next owner, who then finds out. Where
 * nothing is marked any more, that owner's first fork looks once in vain.
 */
static void forget_mappings(const struct tp_range *r)
{
	for (uint64_t u = TP_UNIT_OF(r->addr); r->len >= TP_UNIT_SIZE && u < TP_UNITS && u <= TP_UNIT_OF(r->addr + r->len - 1); u++)
		TPI_SEGMENT->dirty[u] = 0;
}

void tpi_reclaim(const struct tp_host_reclaim *rq, struct tp_host_result *ret_result)
{
	const struct tp_range *ranges = (const struct tp_range *)(rq + 1);
	const uint64_t *aio = (const uint64_t *)(ranges + rq->nranges);
	uint64_t need = sizeof(*rq) + rq->nranges * sizeof(*ranges) + rq->naio * sizeof(*aio);

	if (rq->nranges > 4096 || rq->naio > 4096 || need > rq->head.len) {
		ret_result->error = -EINVAL;
		ret_result->stage = TP_STAGE_RECEIVE;
		return;
	}
	for (uint32_t i = 0; i < rq->naio; i++)
		arch_syscall3(ARCH_NR_io_destroy, (long)aio[i], 0, 0);
	for (uint32_t i = 0; i < rq->nranges; i++) {
		long r;

		if (is_whole_unit(&ranges[i]))
			empty_unit(ranges[i].addr);
		r = unmap_but_sealed(ranges[i].addr, ranges[i].len, &(unsigned){ CALLS });
		forget_mappings(&ranges[i]);
		if (r) {
			ret_result->error = (int32_t)r;
			ret_result->stage = TP_STAGE_RECLAIM;
			ret_result->detail = i;
		}
	}
}
