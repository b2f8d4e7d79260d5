/* SPDX-License-Identifier: MIT */
/*
 * Enough of an x86_64 instruction decoder to walk code: lengths, branch targets, immediates, and
 * which general registers an instruction may write. Pure: no libc, no allocation, no over-read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_INSN_MAX 15

enum arch_insn_map {
	ARCH_MAP_ONE = 0,  /* one-byte opcodes */
	ARCH_MAP_0F = 1,
	ARCH_MAP_0F38 = 2,
	ARCH_MAP_0F3A = 3, /* EVEX maps 5 and 6 keep their number */
};

enum arch_insn_flag {
	ARCH_INSN_MODRM = 1 << 0,
	ARCH_INSN_RIPREL = 1 << 1, /* a memory operand relative to the next instruction */
	ARCH_INSN_VEX = 1 << 2,    /* VEX or EVEX */
	ARCH_INSN_OP16 = 1 << 3,   /* prefix 66 */
	ARCH_INSN_REPEAT = 1 << 4, /* prefix f2 or f3 */
	ARCH_INSN_IMM = 1 << 5,
	ARCH_INSN_SEGMENT = 1 << 6, /* prefix 64 or 65: relative to the thread pointer */
};

enum arch_insn_flow {
	ARCH_FLOW_NEXT,   /* goes on behind itself, and only there */
	ARCH_FLOW_JUMP,   /* direct, unconditional */
	ARCH_FLOW_BRANCH, /* direct, conditional */
	ARCH_FLOW_CALL,   /* direct or indirect */
	ARCH_FLOW_STOP,   /* ret, indirect jump, trap: nothing falls through */
};

struct arch_insn {
	uint8_t len;
	uint8_t map;
	uint8_t opcode;
	uint8_t modrm;
	uint8_t sib; /* 0 without */
	uint8_t rex;
	uint8_t flags;
	uint8_t imm_at; /* offset of the immediate in the instruction */
	uint8_t imm_len;
	uint8_t disp_at; /* offset of a 4-byte displacement, 0 = none */
	int32_t disp;    /* of a memory operand, 0 without */
	int64_t imm;     /* sign-extended; a branch's displacement, too */
};

/*
 * Decodes one instruction of at most `avail` bytes.
 *
 * Return: true; false for bytes that are no instruction, are cut short, or that no user program
 * contains (port I/O, iret, cli): a walk over real code must not believe in those.
 */
bool arch_insn_decode(const uint8_t *p, size_t avail, struct arch_insn *ret);

/*
 * The length alone, faster.
 *
 * @ret_branches: whether arch_insn_target would name a target; untouched on failure.
 *
 * Return: the length, or 0 where arch_insn_decode gives false.
 */
unsigned arch_insn_length(const uint8_t *p, size_t avail, bool *ret_branches);

enum arch_insn_flow arch_insn_flow(const struct arch_insn *i);

/* Is this a direct branch or call; if so, the distance of its target from its own first byte. */
bool arch_insn_target(const struct arch_insn *i, int64_t *ret_distance);

/* The general registers it may write, one bit each in encoding order; all ones if in doubt. */
uint32_t arch_insn_writes(const struct arch_insn *i);

static inline unsigned arch_insn_mod(const struct arch_insn *i)
{
	return i->modrm >> 6;
}

/* The register operand of modrm, extended by REX.R. */
static inline unsigned arch_insn_reg(const struct arch_insn *i)
{
	return (i->modrm >> 3 & 7) | (i->rex & 4) << 1;
}

/* The register of modrm's r/m field (only when mod is 3) or of the opcode byte. */
static inline unsigned arch_insn_rm(const struct arch_insn *i)
{
	unsigned low = i->flags & ARCH_INSN_MODRM ? i->modrm : i->opcode;

	return (low & 7) | (i->rex & 1) << 3;
}

static inline bool arch_insn_is_syscall(const struct arch_insn *i)
{
	return i->map == ARCH_MAP_0F && i->opcode == 0x05 && !(i->flags & ARCH_INSN_VEX);
}
