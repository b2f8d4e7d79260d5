/* SPDX-License-Identifier: MIT */
/* Telling the supervisor that something happened: an event bit in the registry, whose entry it is, then the group's doorbell. */
#include "host.h"

#include <linux/futex.h>

void tpi_doorbell(struct tp_program *p, uint32_t event)
{
	uint64_t index = (uint64_t)(p - TPI_REGISTRY);

	/* Each before the next; the supervisor reads them the other way round: partners of on_bell in loader/supervise/doorbell.c. */
	__atomic_fetch_or(&p->events, event, __ATOMIC_RELEASE);
	__atomic_fetch_or(&TPI_SEGMENT->rung[index / 64], UINT64_C(1) << index % 64, __ATOMIC_RELEASE);
	__atomic_fetch_add(&TPI_SEGMENT->doorbell, 1, __ATOMIC_RELEASE);
	arch_syscall6(ARCH_NR_futex, (long)&TPI_SEGMENT->doorbell, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

/* Of a forked child nobody asks, and its parent's entry may be another program's by now. */
void tpi_warn(struct tp_control *c, uint32_t warnings)
{
	uint32_t fresh;

	if (c->alone)
		return;
	fresh = warnings & ~__atomic_fetch_or(&c->program->warnings, warnings, __ATOMIC_SEQ_CST);
	if (fresh & (TP_WARN_UNROUTED | TP_WARN_NOT_PATCHED))
		tpi_fork_unmark(c);
	if (fresh)
		tpi_doorbell(c->program, TP_EVENT_WARN);
}
