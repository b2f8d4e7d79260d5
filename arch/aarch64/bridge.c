/* SPDX-License-Identifier: MIT */
/*
 * The function is written by hand in both libcs, with the same instructions:
 *
 *	entry:	bti c                   (glibc, where it is built with branch targets)
 *		ldr w0, [x0]            the cancellation flag
 *		cbnz or tbnz w0, do_cancel
 *		mov x8, x1              the number, from here to the call: `shuffle`
 *		mov x0, x2              arguments 1 to 6
 *		mov x1, x3
 *		mov x2, x4
 *		mov x3, x5
 *		mov x4, x6
 *		mov x5, x7
 *		svc #0
 *
 * The stub (stub.c) does the same shuffle, lets the routine look at the call, and undoes it.
 */
#include "bridge.h"

#define SHUFFLE 7 /* instructions */
#define BEFORE 2
#define LDR_W0_X0 UINT32_C(0xb9400000)
#define BTI_C UINT32_C(0xd503245f)

static const uint32_t shuffle[SHUFFLE] = {
	0xaa0103e8, 0xaa0203e0, 0xaa0303e1, 0xaa0403e2, 0xaa0503e3, 0xaa0603e4, 0xaa0703e5,
};

size_t arch_bridge_entry(struct arch_text text, size_t call)
{
	size_t entry = call - (SHUFFLE + BEFORE) * ARCH_INSN_LEN;

	if (call < (SHUFFLE + BEFORE + 1) * ARCH_INSN_LEN || arch_insn_at(text, entry) != LDR_W0_X0 ||
	    arch_insn_flow(arch_insn_at(text, entry + ARCH_INSN_LEN)) != ARCH_FLOW_BRANCH)
		return SIZE_MAX;
	for (unsigned k = 0; k < SHUFFLE; k++) {
		if (arch_insn_at(text, call - (SHUFFLE - k) * ARCH_INSN_LEN) != shuffle[k])
			return SIZE_MAX;
	}
	return arch_insn_at(text, entry - ARCH_INSN_LEN) == BTI_C ? entry - ARCH_INSN_LEN : entry;
}

void arch_bridge_take(struct arch_site *s, size_t entry, size_t caller)
{
	s->kind = ARCH_SITE_BRIDGE;
	s->off = caller;
	s->len = ARCH_INSN_LEN;
	s->resume = entry;
	s->pre_len = 0;
	s->post_len = 0;
}
