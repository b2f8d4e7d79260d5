/* SPDX-License-Identifier: MIT */
/*
 * Giving a dead program's memory back.
 *
 * Large memory goes in steps: MADV_DONTNEED holds the address space's lock for reading, so that neighbours can fault
 * meanwhile; the munmap that needs it for writing then finds nothing left to free.
 */
#include "host.h"

#define STEP (UINT64_C(64) << 20)

static void empty(uint64_t addr, uint64_t len)
{
	for (uint64_t at = 0; at < len; at += STEP)
		tpi_madvise(addr + at, len - at < STEP ? len - at : STEP, MADV_DONTNEED);
}

/* How much of a unit is worth emptying first: its mmap zone as far as the program's counter says it got. */
static void empty_unit(uint64_t base)
{
	const struct tp_control *c = (const struct tp_control *)base;
	uint64_t bytes;

	/* The control block may be gone (an extra unit) or scribbled on: mincore-like care is not needed, only a bound. */
	bytes = c->magic == TP_CONTROL_MAGIC ? c->pages << TP_PAGE_SHIFT : 0;
	if (bytes < STEP)
		return;
	if (bytes > TP_UNIT_SIZE)
		bytes = TP_UNIT_SIZE;
	empty(base + TP_SLOT_BRK, c->brk_now > c->brk_start && c->brk_now - c->brk_start < TP_UNIT_SIZE ?
					  c->brk_now - c->brk_start : 0);
	empty(base + TP_SLOT_MMAP, 2 * bytes < TP_SLOT_STACK_TOP - TP_SLOT_STACK_RESERVE - TP_SLOT_MMAP ?
					   2 * bytes : TP_SLOT_STACK_TOP - TP_SLOT_STACK_RESERVE - TP_SLOT_MMAP);
}

static bool is_first_unit(const struct tp_range *r)
{
	return r->len == TP_UNIT_SIZE && !(r->addr & (TP_UNIT_SIZE - 1));
}

static void forget_marks(const struct tp_range *r)
{
	for (uint64_t u = TP_UNIT_OF(r->addr); r->len >= TP_UNIT_SIZE && u < TP_UNITS && u <= TP_UNIT_OF(r->addr + r->len - 1); u++)
		TPI_SEGMENT->dirty[u] = TPI_SEGMENT->marked[u] = 0;
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

		if (i == 0 && is_first_unit(&ranges[i]))
			empty_unit(ranges[i].addr);
		r = tpi_munmap(ranges[i].addr, ranges[i].len);
		forget_marks(&ranges[i]);
		if (r) {
			ret_result->error = (int32_t)r;
			ret_result->stage = TP_STAGE_RECLAIM;
			ret_result->detail = i;
		}
	}
}
