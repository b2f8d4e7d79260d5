/* SPDX-License-Identifier: MIT */
/*
 * The kernel puts stack and vDSO at the top of what it gives programs unasked, a little below by
 * randomisation: the highest bit tells how many there are. In a program of a group the stack lies in
 * its slot, but the vDSO is the host's.
 */
#include <errno.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "supervise/machine.h"
#include "tp/abi/layout.h"

struct tp_machine tp_machine_here(void)
{
	uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	return (struct tp_machine){
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		.bits = 64 - (unsigned)__builtin_clzll(stack | getauxval(AT_SYSINFO_EHDR)),
	};
}

int tp_machine_fits(const struct tp_machine *m, const char *group, struct tp_error *err)
{
	if (m->page_size != TP_PAGE_SIZE)
		return tp_error_named(err, TP_STATUS_OWN, -ENOTSUP, group,
			"could not be started: the pages of this kernel have %llu KiB, and those "
			"of a group %llu (boot a kernel with pages of %llu KiB)",
			(unsigned long long)m->page_size >> 10,
			(unsigned long long)TP_PAGE_SIZE >> 10, (unsigned long long)TP_PAGE_SIZE >> 10);
	if (m->bits < TP_MACHINE_BITS)
		return tp_error_named(err, TP_STATUS_OWN, -ENOTSUP, group,
			"could not be started: this kernel gives programs addresses of %u bits, "
			"and a group needs %d (boot a kernel with 48)",
			m->bits, TP_MACHINE_BITS);
	return 0;
}
