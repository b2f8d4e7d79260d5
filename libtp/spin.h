/* SPDX-License-Identifier: MIT */
/* A lock of this process alone, for a few instructions: who waits for long lets others run, since the holder may be one of them. */
#ifndef TPI_SPIN_H
#define TPI_SPIN_H

#include <stdint.h>

#include "relax.h"
#include "syscall.h"

enum { TPI_SPINS = 100 };

static inline void tpi_spin_wait(unsigned turn)
{
	if (turn < TPI_SPINS)
		arch_relax();
	else
		arch_syscall3(ARCH_NR_sched_yield, 0, 0, 0);
}

static inline void tpi_spin_lock(uint32_t *word)
{
	for (unsigned n = 0; __atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE); n++)
		tpi_spin_wait(n);
}

static inline void tpi_spin_unlock(uint32_t *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

#endif
