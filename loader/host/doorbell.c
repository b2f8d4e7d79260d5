/* SPDX-License-Identifier: MIT */
/* Telling the supervisor that something happened: an event bit in the registry, then the group's doorbell. */
#include "host.h"

#include <linux/futex.h>

void tpi_doorbell(struct tp_program *p, uint32_t event)
{
	/* The bit before the bell; the supervisor reads the bell before the bits. */
	__atomic_fetch_or(&p->events, event, __ATOMIC_RELEASE);
	__atomic_fetch_add(&TPI_SEGMENT->doorbell, 1, __ATOMIC_RELEASE);
	arch_syscall6(ARCH_NR_futex, (long)&TPI_SEGMENT->doorbell, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}
