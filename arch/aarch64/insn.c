/* SPDX-License-Identifier: MIT */
/*
 * See insn.h. Encodings are those of the Arm Architecture Reference Manual for A-profile, C4.1; the names in comments, too.
 */
#include "insn.h"

/* op0, bits 28 to 25: 0000 is reserved (or SME with bit 31 set), 0001 and 0011 are unallocated. */
bool arch_insn_is_code(uint32_t w)
{
	unsigned op0 = w >> 25 & 15;

	return op0 != 1 && op0 != 3 && (op0 != 0 || w >> 31);
}

static bool is_b(uint32_t w)
{
	return (w & 0xfc000000) == ARCH_INSN_B;
}

static bool is_bl(uint32_t w)
{
	return (w & 0xfc000000) == ARCH_INSN_BL;
}

/* b.cond and bc.cond */
static bool is_b_cond(uint32_t w)
{
	return (w & 0xff000000) == 0x54000000;
}

/* cbz, cbnz */
static bool is_cb(uint32_t w)
{
	return (w & 0x7e000000) == 0x34000000;
}

/* tbz, tbnz */
static bool is_tb(uint32_t w)
{
	return (w & 0x7e000000) == 0x36000000;
}

/* Unconditional branch (register): br, blr, ret, eret and their authenticated forms. */
static bool is_register_branch(uint32_t w)
{
	return (w & 0xfe000000) == 0xd6000000;
}

/* brk, hlt, udf: no way on. */
static bool is_trap(uint32_t w)
{
	return (w & 0xffe0001f) == 0xd4200000 || (w & 0xffe0001f) == 0xd4400000 || w >> 16 == 0;
}

enum arch_insn_flow arch_insn_flow(uint32_t w)
{
	if (is_bl(w))
		return ARCH_FLOW_CALL;
	if (is_b(w))
		return ARCH_FLOW_JUMP;
	if (is_b_cond(w) || is_cb(w) || is_tb(w))
		return ARCH_FLOW_BRANCH;
	if (is_register_branch(w))
		return (w >> 21 & 7) == 1 ? ARCH_FLOW_CALL : ARCH_FLOW_STOP;
	return is_trap(w) ? ARCH_FLOW_STOP : ARCH_FLOW_NEXT;
}

bool arch_insn_target(uint32_t w, int64_t *ret_distance)
{
	if (is_b(w) || is_bl(w))
		*ret_distance = arch_insn_signed(w, 0, 26) * 4;
	else if (is_b_cond(w) || is_cb(w))
		*ret_distance = arch_insn_signed(w, 5, 19) * 4;
	else if (is_tb(w))
		*ret_distance = arch_insn_signed(w, 5, 14) * 4;
	else
		return false;
	return true;
}

/* adr and adrp; load register (literal), prfm among them */
static bool reads_pc(uint32_t w)
{
	return (w & 0x1f000000) == 0x10000000 || (w & 0x3b000000) == 0x18000000;
}

bool arch_insn_can_move(uint32_t w)
{
	return arch_insn_is_code(w) && arch_insn_flow(w) == ARCH_FLOW_NEXT && !reads_pc(w) && w != ARCH_INSN_SVC;
}

uint32_t arch_insn_branch(uint32_t opcode, uint64_t from, uint64_t to)
{
	const int64_t reach = INT64_C(1) << 27;
	int64_t distance = (int64_t)(to - from);

	if (distance < -reach || distance >= reach || distance & 3)
		return 0;
	return opcode | ((uint32_t)(distance >> 2) & 0x03ffffff);
}
