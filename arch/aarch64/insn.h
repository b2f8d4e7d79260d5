/* SPDX-License-Identifier: MIT */
/*
 * Enough of an A64 instruction decoder to walk code: which words are instructions, where branches lead, and which general
 * registers an instruction may write. Pure: no libc, no allocation, no over-read.
 *
 * Every instruction is one aligned word, so boundaries are no question here; what is data between functions is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_INSN_LEN 4

#define ARCH_INSN_SVC UINT32_C(0xd4000001) /* svc #0 */
#define ARCH_INSN_NOP UINT32_C(0xd503201f)

enum arch_insn_flow {
	ARCH_FLOW_NEXT,   /* goes on behind itself, and only there */
	ARCH_FLOW_JUMP,   /* direct, unconditional */
	ARCH_FLOW_BRANCH, /* direct, conditional */
	ARCH_FLOW_CALL,   /* direct or indirect */
	ARCH_FLOW_STOP,   /* ret, indirect jump, trap: nothing falls through */
};

/* False for words in the unallocated parts of the encoding space, zeros among them: nobody runs those. */
bool arch_insn_is_code(uint32_t w);

enum arch_insn_flow arch_insn_flow(uint32_t w);

/* Is this a direct branch or call; if so, the distance of its target from itself, in bytes. */
bool arch_insn_target(uint32_t w, int64_t *ret_distance);

/* Does it do the same at any address? Branches, adr, adrp and loads from near the instruction do not. */
bool arch_insn_can_move(uint32_t w);

/* The general registers it may write, bit 0 to 30; bit 31 is the stack pointer. All ones if in doubt (insn-writes.c). */
uint32_t arch_insn_writes(uint32_t w);

/* A branch with a 26-bit distance to `to`, from `from`: both in bytes. Return: 0 if it is out of reach, ±128 MiB. */
#define ARCH_INSN_B  UINT32_C(0x14000000)
#define ARCH_INSN_BL UINT32_C(0x94000000)
uint32_t arch_insn_branch(uint32_t opcode, uint64_t from, uint64_t to);

static inline unsigned arch_insn_rd(uint32_t w)
{
	return w & 31;
}

static inline unsigned arch_insn_rn(uint32_t w)
{
	return w >> 5 & 31;
}

static inline unsigned arch_insn_rm(uint32_t w)
{
	return w >> 16 & 31;
}

/* The bits of the field that starts at `low` and has `n` bits, as a signed number. */
static inline int64_t arch_insn_signed(uint32_t w, unsigned low, unsigned n)
{
	return (int64_t)((uint64_t)w << (64 - low - n)) >> (64 - n);
}

static inline bool arch_insn_is_adrp(uint32_t w)
{
	return (w & 0x9f000000) == 0x90000000;
}

/* Where adrp at `at` points to. */
static inline uint64_t arch_insn_page(uint32_t w, uint64_t at)
{
	return (at & ~UINT64_C(0xfff)) + (uint64_t)(arch_insn_signed(w, 5, 19) * 4 + (w >> 29 & 3)) * 0x1000;
}
