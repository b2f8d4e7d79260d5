/* SPDX-License-Identifier: MIT */
/*
 * Which general registers an instruction may write.
 *
 * The answer errs to one side: what is not listed here writes everything. A walk that looks for the
 * last writer of a register can then miss a proof, never invent one.
 */
#include "insn.h"

#define ALL 0xffffu
#define RAX (1u << 0)
#define RCX (1u << 1)
#define RDX (1u << 2)
#define RSI (1u << 6)
#define RDI (1u << 7)
#define R11 (1u << 11)
/* What the psABI lets a callee change. */
#define CALL_CLOBBERED (RAX | RCX | RDX | RSI | RDI | 0xfu << 8)

static uint32_t bit(unsigned reg)
{
	return 1u << reg;
}

/* Without a REX byte, byte registers 4 to 7 are ah, ch, dh, bh. */
static uint32_t byte_bit(const struct arch_insn *i, unsigned reg)
{
	return bit(i->rex == 0 && reg >= 4 && reg < 8 ? reg - 4 : reg);
}

static uint32_t rm_bit(const struct arch_insn *i, bool byte)
{
	if (arch_insn_mod(i) != 3)
		return 0;
	return byte ? byte_bit(i, arch_insn_rm(i)) : bit(arch_insn_rm(i));
}

static uint32_t reg_bit(const struct arch_insn *i, bool byte)
{
	return byte ? byte_bit(i, arch_insn_reg(i)) : bit(arch_insn_reg(i));
}

/* add, or, adc, sbb, and, sub, xor, cmp: opcodes 00 to 3f. */
static uint32_t alu_writes(const struct arch_insn *i)
{
	bool byte = !(i->opcode & 1);

	if (i->opcode >= 0x38)
		return 0;
	switch (i->opcode & 7) {
	case 0:
	case 1:
		return rm_bit(i, byte);
	case 2:
	case 3:
		return reg_bit(i, byte);
	default:
		return RAX;
	}
}

static uint32_t group_writes(const struct arch_insn *i)
{
	unsigned member = i->modrm >> 3 & 7;
	bool byte = !(i->opcode & 1);

	switch (i->opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		return member == 7 ? 0 : rm_bit(i, byte);
	case 0xf6:
	case 0xf7:
		if (member < 2)
			return 0;
		return member < 4 ? rm_bit(i, byte) : RAX | RDX;
	case 0xff:
		if (member == 2 || member == 3)
			return CALL_CLOBBERED;
		return member < 2 ? rm_bit(i, false) : 0;
	default:
		return rm_bit(i, byte);
	}
}

static uint32_t move_writes(const struct arch_insn *i)
{
	switch (i->opcode) {
	case 0x63: /* movslq */
	case 0x69: /* imul */
	case 0x6b:
	case 0x8b:
	case 0x8d: /* lea */
		return reg_bit(i, false);
	case 0x86: /* xchg */
		return rm_bit(i, true) | reg_bit(i, true);
	case 0x87:
		return rm_bit(i, false) | reg_bit(i, false);
	case 0x88:
		return rm_bit(i, true);
	case 0x89:
	case 0x8f: /* pop */
		return rm_bit(i, false);
	case 0x8a:
		return reg_bit(i, true);
	default:
		return ALL;
	}
}

static uint32_t one_byte_writes(const struct arch_insn *i)
{
	uint8_t op = i->opcode;

	if (op < 0x40)
		return alu_writes(i);
	if (op >= 0x50 && op < 0x58)
		return 0; /* push; the stack pointer is nobody's call number */
	if ((op >= 0x58 && op < 0x60) || (op >= 0xb8 && op < 0xc0))
		return bit(arch_insn_rm(i));
	if (op >= 0x70 && op < 0x80)
		return 0;
	if (op >= 0xb0 && op < 0xb8)
		return byte_bit(i, arch_insn_rm(i));
	if (op >= 0x90 && op < 0x98)
		return op == 0x90 && !(i->rex & 1) ? 0 : RAX | bit(arch_insn_rm(i));
	if (op >= 0xd8 && op < 0xe0)
		return op == 0xdf && arch_insn_mod(i) == 3 ? RAX : 0; /* fnstsw %ax */
	switch (op) {
	case 0x68:
	case 0x6a: /* push */
	case 0x84:
	case 0x85: /* test */
	case 0xa8:
	case 0xa9:
	case 0xeb:
	case 0xe9:
		return 0;
	case 0x98: /* cltq */
		return RAX;
	case 0x99: /* cqto */
		return RDX;
	case 0xa4:
	case 0xa5:
	case 0xaa:
	case 0xab: /* movs, stos */
		return RCX | RSI | RDI;
	case 0x80:
	case 0x81:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xc7:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff:
		return group_writes(i);
	case 0xe8:
		return CALL_CLOBBERED;
	default:
		return move_writes(i);
	}
}

/* SSE: most write memory or vector registers only. */
static uint32_t vector_writes(const struct arch_insn *i)
{
	switch (i->opcode) {
	case 0x2c: /* cvttsd2si and relatives */
	case 0x2d:
	case 0x50: /* movmskps */
	case 0xc5: /* pextrw */
	case 0xd7: /* pmovmskb */
		return reg_bit(i, false);
	case 0x7e: /* movd to a general register */
		return rm_bit(i, false);
	default:
		return 0;
	}
}

static bool is_vector(uint8_t op)
{
	return (op >= 0x10 && op < 0x18) || (op >= 0x28 && op < 0x30) || (op >= 0x50 && op < 0x78) ||
	       (op >= 0x7c && op < 0x80) || op == 0xc2 || (op >= 0xc4 && op < 0xc7) || op >= 0xd0;
}

static uint32_t two_byte_writes(const struct arch_insn *i)
{
	uint8_t op = i->opcode;

	if (is_vector(op))
		return vector_writes(i);
	if ((op >= 0x18 && op < 0x20) || (op >= 0x80 && op < 0x90))
		return 0; /* nops and prefetches; conditional jumps */
	if (op >= 0x40 && op < 0x50)
		return reg_bit(i, false);
	if (op >= 0x90 && op < 0xa0)
		return rm_bit(i, true);
	if (op >= 0xc8 && op < 0xd0)
		return bit(arch_insn_rm(i));
	switch (op) {
	case 0x05:
		return RAX | RCX | R11;
	case 0x0b:
	case 0x0d:
	case 0xa3: /* bt */
	case 0xc3: /* movnti */
		return 0;
	case 0x31: /* rdtsc */
		return RAX | RDX;
	case 0xa4:
	case 0xa5:
	case 0xac:
	case 0xad: /* shld, shrd */
	case 0xab:
	case 0xb3:
	case 0xbb: /* bts, btr, btc */
	case 0xae: /* fences, and rdfsbase into r/m */
		return rm_bit(i, false);
	case 0xba:
		return (i->modrm >> 3 & 7) == 4 ? 0 : rm_bit(i, false);
	case 0xaf:
	case 0xb6:
	case 0xb7:
	case 0xb8:
	case 0xbc:
	case 0xbd:
	case 0xbe:
	case 0xbf:
		return reg_bit(i, false);
	case 0xb0: /* cmpxchg */
		return RAX | rm_bit(i, true);
	case 0xb1:
		return RAX | rm_bit(i, false);
	case 0xc0: /* xadd */
		return rm_bit(i, true) | reg_bit(i, true);
	case 0xc1:
		return rm_bit(i, false) | reg_bit(i, false);
	default:
		return ALL;
	}
}

uint32_t arch_insn_writes(const struct arch_insn *i)
{
	if (i->flags & ARCH_INSN_VEX)
		return ALL;
	if (i->map == ARCH_MAP_ONE)
		return one_byte_writes(i);
	return i->map == ARCH_MAP_0F ? two_byte_writes(i) : ALL;
}
