/* SPDX-License-Identifier: MIT */
/*
 * Which general registers an instruction may write.
 *
 * The answer errs to one side: what is not listed here writes everything. A walk that looks for the last writer of a
 * register can then miss a proof, never invent one.
 */
#include "insn.h"

#define ALL UINT32_MAX
/* What the procedure call standard lets a callee change: x0 to x18, and the link register. */
#define CALL_CLOBBERED (UINT32_C(0x7ffff) | UINT32_C(1) << 30)

static uint32_t bit(unsigned reg)
{
	return UINT32_C(1) << reg;
}

/* Register 31 is the zero register here, not the stack pointer. */
static uint32_t bit_or_none(unsigned reg)
{
	return reg == 31 ? 0 : bit(reg);
}

/* Data processing, immediate: add, sub and logical operations may write the stack pointer, others the zero register. */
static uint32_t immediate_writes(uint32_t w)
{
	unsigned class = w >> 23 & 7; /* 2, 3: add, sub; 4: logical */
	bool sets_flags = class == 4 ? (w >> 29 & 3) == 3 : w >> 29 & 1;

	if ((class == 2 || class == 3 || class == 4) && !sets_flags)
		return bit(arch_insn_rd(w));
	return bit_or_none(arch_insn_rd(w));
}

/* Data processing, register: ccmp, setf and rmif write flags only, but have other bits there; so much doubt is harmless. */
static uint32_t register_writes(uint32_t w)
{
	bool extended = (w & 0x1f200000) == 0x0b200000; /* add, sub (extended register) */

	return extended && !(w >> 29 & 1) ? bit(arch_insn_rd(w)) : bit_or_none(arch_insn_rd(w));
}

/* The bits of pre- and post-indexed forms. */
static bool writes_back(uint32_t w)
{
	if ((w & 0x3a000000) == 0x28000000) /* pairs: bits 24 and 23 */
		return w >> 23 & 1;
	if ((w & 0x3b200000) == 0x38000000) /* one register, with a 9-bit offset */
		return w >> 10 & 1;
	if ((w & 0x3b200400) == 0x38200400) /* ldraa, ldrab */
		return w >> 11 & 1;
	return (w & 0xbf000000) == 0x0c000000 && w >> 23 & 1; /* vector structures */
}

static bool is_vector(uint32_t w)
{
	return w >> 26 & 1;
}

/* Exclusive, ordered and compare-and-swap: status or old value in bits 20 to 16, data in 4 to 0 and 14 to 10. */
static uint32_t exclusive_writes(uint32_t w)
{
	return bit_or_none(arch_insn_rd(w)) | bit_or_none(w >> 10 & 31) | bit_or_none(arch_insn_rm(w)) |
	       bit_or_none((arch_insn_rm(w) + 1) & 31);
}

static uint32_t pair_writes(uint32_t w)
{
	bool load = w >> 22 & 1;

	return load && !is_vector(w) ? bit_or_none(arch_insn_rd(w)) | bit_or_none(w >> 10 & 31) : 0;
}

/* opc, bits 23 and 22: 0 is a store. Atomics lie where opc would say store, so they count as loads. */
static uint32_t single_writes(uint32_t w)
{
	bool atomic = (w & 0x3b200c00) == 0x38200000;
	bool store = (w >> 22 & 3) == 0 && !atomic;

	return store || is_vector(w) ? 0 : bit_or_none(arch_insn_rd(w));
}

static uint32_t memory_writes(uint32_t w)
{
	uint32_t base = writes_back(w) ? bit(arch_insn_rn(w)) : 0;

	if ((w & 0x3f000000) == 0x08000000)
		return exclusive_writes(w);
	if ((w & 0x3b000000) == 0x18000000) /* load register (literal) */
		return is_vector(w) ? 0 : bit_or_none(arch_insn_rd(w));
	if ((w & 0x3a000000) == 0x28000000)
		return base | pair_writes(w);
	if ((w & 0x3a000000) == 0x38000000)
		return base | single_writes(w);
	if ((w & 0xbe000000) == 0x0c000000) /* vector structures */
		return base;
	return ALL; /* unscaled ordered loads, memory tags, block copies */
}

/* svc gives a result; mrs reads into a register; hints, barriers and msr write none. */
static uint32_t system_writes(uint32_t w)
{
	if ((w & 0xff000000) == 0xd4000000)
		return w == ARCH_INSN_SVC ? bit(0) : ALL;
	if ((w & 0xffe00000) == 0xd5200000)
		return bit_or_none(arch_insn_rd(w));
	if ((w & 0xfffff01f) == 0xd503201f) /* hints: some authenticate x17, x16 or the link register */
		return bit(16) | bit(17) | bit(30);
	return (w & 0xffc00000) == 0xd5000000 ? 0 : ALL;
}

static uint32_t branch_writes(uint32_t w)
{
	switch (arch_insn_flow(w)) {
	case ARCH_FLOW_CALL: return CALL_CLOBBERED;
	case ARCH_FLOW_NEXT: return system_writes(w);
	default: return 0;
	}
}

/* Most write vector registers only; what moves or converts to a general one has its number in the same place. */
static uint32_t vector_writes(uint32_t w)
{
	return bit_or_none(arch_insn_rd(w));
}

uint32_t arch_insn_writes(uint32_t w)
{
	unsigned op0 = w >> 25 & 15;

	if (op0 == 8 || op0 == 9)
		return immediate_writes(w);
	if (op0 == 10 || op0 == 11)
		return branch_writes(w);
	if (op0 == 5 || op0 == 13)
		return register_writes(w);
	if ((op0 & 5) == 4)
		return memory_writes(w);
	return op0 == 7 || op0 == 15 ? vector_writes(w) : ALL;
}
