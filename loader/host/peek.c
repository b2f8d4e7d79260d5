/* SPDX-License-Identifier: MIT */
/*
 * May a string that a program passed be read here? The kernel would answer EFAULT for a wild pointer; reading it in the
 * routine would kill the program instead. So only memory that is known to be mapped is looked at directly.
 */
#include "host.h"

static bool on_stack(const struct tp_control *c, uint64_t a)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	return here >= c->limit && here < c->base + TP_UNIT_SIZE && a >= here && a < c->base + TP_SLOT_STACK_TOP;
}

bool tpi_copy_safely(long pid, void *to, uint64_t from, uint64_t n)
{
	struct {
		uint64_t base, len;
	} local = { (uint64_t)to, n }, remote = { from, n };

	return arch_syscall6(ARCH_NR_process_vm_readv, pid, (long)&local, 1, (long)&remote, 1, 0) == (long)n;
}

/* One byte through the kernel, which answers instead of faulting. */
static bool ask_kernel(uint64_t a)
{
	uint8_t byte;

	return tpi_copy_safely(arch_syscall3(ARCH_NR_getpid, 0, 0, 0), &byte, a, 1);
}

bool tpi_peek_ok(const struct tp_control *c, const void *p)
{
	uint64_t a = (uint64_t)p;

	if (on_stack(c, a))
		return true;
	if (a >= c->base && a < c->limit && tpi_page_test(tpi_bitmap(c->base), (uint32_t)((a - c->base) >> TP_PAGE_SHIFT)))
		return true;
	return ask_kernel(a);
}
