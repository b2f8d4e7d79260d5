/* SPDX-License-Identifier: MIT */
/*
 * A program's mappings outside its units, in its registry entry, for the supervisor to undo after its death.
 *
 * An entry is taken by one CAS of its length from 0, recorded before the mapping is made and removed after it is gone.
 * What found no room there, which outside_lost counts, the supervisor finds in the whole map (supervise/strays.c).
 */
#include "host.h"

static bool take(struct tp_range *r, uint64_t addr, uint64_t len)
{
	uint64_t none = 0;

	/* The length is won first, the address follows: nothing is mapped yet, and 0 names nothing. */
	if (__atomic_load_n(&r->len, __ATOMIC_RELAXED))
		return false;
	if (!__atomic_compare_exchange_n(&r->len, &none, len, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&r->addr, addr, __ATOMIC_RELEASE);
	return true;
}

void tpi_outside_add(struct tp_program *p, uint64_t addr, uint64_t len)
{
	for (uint32_t i = 0; i < TP_OUTSIDE_MAX; i++) {
		if (__atomic_load_n(&p->outside[i].len, __ATOMIC_RELAXED) && __atomic_load_n(&p->outside[i].addr, __ATOMIC_RELAXED) <= addr &&
		    p->outside[i].addr + p->outside[i].len >= addr + len)
			return;
		if (take(&p->outside[i], addr, len)) {
			__atomic_fetch_add(&p->outside_n, 1, __ATOMIC_RELAXED);
			return;
		}
	}
	__atomic_fetch_add(&p->outside_lost, 1, __ATOMIC_RELAXED);
}

void tpi_outside_remove(struct tp_program *p, uint64_t addr, uint64_t len)
{
	for (uint32_t i = 0; i < TP_OUTSIDE_MAX; i++) {
		uint64_t at = __atomic_load_n(&p->outside[i].addr, __ATOMIC_ACQUIRE);
		uint64_t n = __atomic_load_n(&p->outside[i].len, __ATOMIC_ACQUIRE);
		uint64_t end = at + n, cut = addr + len;

		if (!n || end <= addr || at >= cut)
			continue;
		if (at >= addr && end <= cut) {
			__atomic_store_n(&p->outside[i].addr, 0, __ATOMIC_RELEASE);
			__atomic_store_n(&p->outside[i].len, 0, __ATOMIC_RELEASE);
		} else if (at < addr) {
			__atomic_store_n(&p->outside[i].len, addr - at, __ATOMIC_RELEASE);
			if (end > cut)
				tpi_outside_add(p, cut, end - cut);
		} else {
			__atomic_store_n(&p->outside[i].len, end - cut, __ATOMIC_RELEASE);
			__atomic_store_n(&p->outside[i].addr, cut, __ATOMIC_RELEASE);
		}
	}
}
