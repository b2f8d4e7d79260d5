/* SPDX-License-Identifier: MIT */
/*
 * Instruction lengths from two opcode tables. Source: Intel SDM volume 2, appendix A (opcode maps)
 * and chapter 2 (prefixes, ModRM, SIB, VEX, EVEX).
 *
 * Invariant: no byte at or past p[avail] is read, whatever the bytes are.
 */
#include "insn.h"

#include "words.h"

/* What follows an opcode byte. */
enum form {
	O = 0,           /* nothing */
	M = 1,           /* ModRM */
	B = 2,           /* 1-byte immediate */
	Z = 4,           /* 4-byte immediate, 2 with prefix 66 */
	J = 8,           /* B or Z is a branch distance: never shortened by prefix 66 */
	V = 16,          /* mov imm: 4 bytes, 2 with prefix 66, 8 with REX.W */
	W = 32,          /* 2-byte immediate */
	A = 64,          /* an absolute address: 8 bytes, 4 with prefix 67 */
	X = 128,         /* not a user instruction, a prefix, or handled apart */
	C = 256,         /* ModRM decides what follows, or whether it is an instruction at all */
	MB = M | B, MZ = M | Z, JB = J | B, JZ = J | Z, WB = W | B, MC = M | C, MBC = MB | C, MZC = MZ | C,
};

static const uint16_t one_byte[256] = {
	/* 00 */ M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,
	/* 10 */ M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,
	/* 20 */ M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,
	/* 30 */ M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,
	/* 40 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* 50 */ O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
	/* 60 */ X, X, X, M, X, X, X, X, Z, MZ, B, MB, X, X, X, X,
	/* 70 */ JB, JB, JB, JB, JB, JB, JB, JB, JB, JB, JB, JB, JB, JB, JB, JB,
	/* 80 */ MB, MZ, X, MB, M, M, M, M, M, M, M, M, MC, MC, MC, MC,
	/* 90 */ O, O, O, O, O, O, O, O, O, O, X, O, O, O, O, O,
	/* a0 */ A, A, A, A, O, O, O, O, B, Z, O, O, O, O, O, O,
	/* b0 */ B, B, B, B, B, B, B, B, V, V, V, V, V, V, V, V,
	/* c0 */ MB, MB, W, O, X, X, MBC, MZC, WB, O, X, X, O, B, X, X,
	/* d0 */ M, M, M, M, X, X, X, O, M, M, M, M, M, M, M, M,
	/* e0 */ JB, JB, JB, JB, X, X, X, X, JZ, JZ, X, JB, X, X, X, X,
	/* f0 */ X, X, X, X, O, O, MC, MC, O, O, X, X, O, O, MC, MC,
};

static const uint8_t two_byte[256] = {
	/* 00 */ M, M, M, M, X, O, X, X, X, X, X, O, X, M, X, MB,
	/* 10 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 20 */ X, X, X, X, X, X, X, X, M, M, M, M, M, M, M, M,
	/* 30 */ X, O, X, O, X, X, X, X, X, X, X, X, X, X, X, X,
	/* 40 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 50 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 60 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 70 */ MB, MB, MB, MB, M, M, M, O, M, M, X, X, M, M, M, M,
	/* 80 */ JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ, JZ,
	/* 90 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* a0 */ O, O, O, M, MB, M, X, X, O, O, X, M, MB, M, M, M,
	/* b0 */ M, M, M, M, M, M, M, M, M, M, MB, M, M, M, M, M,
	/* c0 */ M, M, MB, M, MB, MB, MB, M, O, O, O, O, O, O, O, O,
	/* d0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* e0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* f0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, X,
};

struct cursor {
	const uint8_t *p;
	unsigned at;
	unsigned limit;
	bool addr32;
	bool bad; /* ran past the end, or no instruction */
};

static uint8_t next_byte(struct cursor *c)
{
	if (c->at >= c->limit) {
		c->bad = true;
		return 0;
	}
	return c->p[c->at++];
}

static int64_t next_signed(struct cursor *c, unsigned bytes)
{
	const uint8_t *p = c->p + c->at;

	if (bytes > c->limit - c->at) {
		c->bad = true;
		return 0;
	}
	c->at += bytes;
	switch (bytes) {
	case 1:
		return (int8_t)p[0];
	case 2:
		return (int16_t)(p[0] | p[1] << 8);
	case 4:
		return (int32_t)arch_half_at(p);
	case 8:
		return (int64_t)arch_word_at(p);
	default: /* enter has 3 */
		return p[0] | p[1] << 8 | p[2] << 16;
	}
}

static bool take_prefix(struct cursor *c, struct arch_insn *i, uint8_t b)
{
	switch (b) {
	case 0x66:
		i->flags |= ARCH_INSN_OP16;
		return true;
	case 0x67:
		c->addr32 = true;
		return true;
	case 0xf2:
	case 0xf3:
		i->flags |= ARCH_INSN_REPEAT;
		return true;
	case 0x64:
	case 0x65:
		i->flags |= ARCH_INSN_SEGMENT;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0xf0:
		return true;
	default:
		return false;
	}
}

/* Reads prefixes and a REX byte, and returns the byte after them. */
static uint8_t take_prefixes(struct cursor *c, struct arch_insn *i)
{
	uint8_t b = next_byte(c);

	while (!c->bad && take_prefix(c, i, b))
		b = next_byte(c);
	if ((b & 0xf0) == 0x40) {
		i->rex = b;
		b = next_byte(c);
		if (take_prefix(c, i, b) || (b & 0xf0) == 0x40)
			c->bad = true; /* a REX byte that is not last has no effect: not real code */
	}
	return b;
}

static void take_modrm(struct cursor *c, struct arch_insn *i)
{
	unsigned mod, rm;

	i->flags |= ARCH_INSN_MODRM;
	i->modrm = next_byte(c);
	mod = i->modrm >> 6;
	rm = i->modrm & 7;
	if (mod == 3)
		return;
	if (rm == 4)
		i->sib = next_byte(c);
	if (rm == 4 && (i->sib & 7) == 5 && mod == 0)
		mod = 2; /* no base register: a 4-byte displacement */
	else if (rm == 5 && mod == 0) {
		i->flags |= ARCH_INSN_RIPREL;
		mod = 2;
	}
	if (mod == 1)
		i->disp = (int32_t)next_signed(c, 1);
	else if (mod == 2) {
		i->disp_at = (uint8_t)c->at;
		i->disp = (int32_t)next_signed(c, 4);
	}
}

static unsigned imm_bytes(const struct cursor *c, const struct arch_insn *i, unsigned form)
{
	if (form & A)
		return c->addr32 ? 4 : 8;
	if (form & V && i->rex & 8)
		return 8;
	if (form & (Z | V))
		return i->flags & ARCH_INSN_OP16 && !(form & J) && !(i->rex & 8) ? 2 : 4;
	return (form & B ? 1 : 0) + (form & W ? 2 : 0);
}

/* Members of opcode groups that do not exist, and register forms where only memory makes sense. */
static bool is_void(const struct arch_insn *i)
{
	unsigned member = i->modrm >> 3 & 7;
	bool is_reg = i->modrm >> 6 == 3;

	if (i->map != ARCH_MAP_ONE || !(i->flags & ARCH_INSN_MODRM))
		return false;
	switch (i->opcode) {
	case 0x62:
	case 0x8d: /* lea */
		return is_reg;
	case 0x8c:
		return member > 5;
	case 0x8e:
		return member > 5 || member == 1;
	case 0x8f:
		return member != 0;
	case 0xc6:
	case 0xc7: /* mov, xabort, xbegin */
		return member != 0 && i->modrm != 0xf8;
	case 0xfe:
		return member > 1;
	case 0xff:
		return member == 7 || (is_reg && (member == 3 || member == 5));
	default:
		return false;
	}
}

static void take_operands(struct cursor *c, struct arch_insn *i, unsigned form)
{
	if (form & X)
		c->bad = true;
	if (form & M)
		take_modrm(c, i);
	if (is_void(i))
		c->bad = true;
	/* Group 3: only its two `test` members have an immediate. */
	if (i->map == ARCH_MAP_ONE && (i->opcode & 0xfe) == 0xf6 && (i->modrm >> 3 & 7) < 2)
		form |= i->opcode & 1 ? Z : B;
	i->imm_len = (uint8_t)imm_bytes(c, i, form);
	if (i->imm_len == 0)
		return;
	i->flags |= ARCH_INSN_IMM;
	i->imm_at = (uint8_t)c->at;
	i->imm = next_signed(c, i->imm_len);
}

static unsigned vector_form(const struct arch_insn *i)
{
	if (i->map == ARCH_MAP_0F)
		return (two_byte[i->opcode] & J) ? M : two_byte[i->opcode];
	return i->map == ARCH_MAP_0F3A ? MB : M;
}

static void take_vex(struct cursor *c, struct arch_insn *i, uint8_t lead)
{
	uint8_t b = next_byte(c);

	i->flags |= ARCH_INSN_VEX;
	i->map = ARCH_MAP_0F;
	if (lead != 0xc5) {
		i->map = b & (lead == 0x62 ? 7 : 31);
		b = next_byte(c);
		if (lead == 0x62 && !(b & 4))
			c->bad = true;
	}
	if (lead == 0x62)
		next_byte(c);
	if (i->map == 0 || i->map > 6 || i->map == 4 || (i->map > 3 && lead != 0x62))
		c->bad = true;
	i->opcode = next_byte(c);
	take_operands(c, i, vector_form(i));
}

static void take_escape(struct cursor *c, struct arch_insn *i)
{
	i->map = ARCH_MAP_0F;
	i->opcode = next_byte(c);
	if (i->opcode == 0x38 || i->opcode == 0x3a) {
		i->map = i->opcode == 0x38 ? ARCH_MAP_0F38 : ARCH_MAP_0F3A;
		i->opcode = next_byte(c);
		take_operands(c, i, i->map == ARCH_MAP_0F38 ? M : MB);
		return;
	}
	take_operands(c, i, two_byte[i->opcode]);
}

static void clear(struct arch_insn *i)
{
	i->len = i->map = i->opcode = i->modrm = i->sib = i->rex = i->flags = 0;
	i->imm_at = i->imm_len = i->disp_at = 0;
	i->disp = 0;
	i->imm = 0;
}

bool arch_insn_decode(const uint8_t *p, size_t avail, struct arch_insn *ret)
{
	struct cursor c = { .p = p, .limit = avail < ARCH_INSN_MAX ? (unsigned)avail : ARCH_INSN_MAX };
	uint8_t b;

	clear(ret);
	b = take_prefixes(&c, ret);
	if (c.bad)
		return false;
	if (b == 0x0f)
		take_escape(&c, ret);
	else if (b == 0xc4 || b == 0xc5 || b == 0x62)
		take_vex(&c, ret, b);
	else {
		ret->opcode = b;
		take_operands(&c, ret, one_byte[b]);
	}
	ret->len = (uint8_t)c.at;
	return !c.bad;
}

/* Bytes of ModRM, SIB and displacement, by ModRM; a SIB byte may add a displacement. */
#define REG8 1, 1, 1, 1, 1, 1, 1, 1
#define MEM0 1, 1, 1, 1, 2, 5, 1, 1
#define MEM1 2, 2, 2, 2, 3, 2, 2, 2
#define MEM4 5, 5, 5, 5, 6, 5, 5, 5
#define ROWS(row) row, row, row, row, row, row, row, row
static const uint8_t modrm_len[256] = { ROWS(MEM0), ROWS(MEM1), ROWS(MEM4), ROWS(REG8) };

static unsigned slow_length(const uint8_t *p, size_t avail, bool *ret_branches)
{
	struct arch_insn i;
	int64_t unused;

	if (!arch_insn_decode(p, avail, &i))
		return 0;
	*ret_branches = arch_insn_target(&i, &unused);
	return i.len;
}

/* Few branches, because the bytes of a wrong walk let the processor guess wrong at each. */
unsigned arch_insn_length(const uint8_t *p, size_t avail, bool *ret_branches)
{
	unsigned n, form, has_modrm;
	bool wide;

	if (avail <= ARCH_INSN_MAX)
		return slow_length(p, avail, ret_branches);
	wide = (p[0] & 0xf8) == 0x48;
	n = (p[0] & 0xf0) == 0x40;
	form = one_byte[p[n]];
	if (p[n] == 0x0f)
		form = two_byte[p[++n]];
	n++;
	if (form & (W | A | X | C) || (form & V && wide))
		return slow_length(p, avail, ret_branches);
	has_modrm = form & M;
	*ret_branches = form & J;
	return n + (modrm_len[p[n]] & -has_modrm) + (has_modrm && (p[n] & 0xc7) == 4 && (p[n + 1] & 7) == 5 ? 4 : 0) +
	       (form >> 1 & 1) + (form & Z) + ((form & V) >> 2);
}

bool arch_insn_target(const struct arch_insn *i, int64_t *ret_distance)
{
	unsigned form;

	if (i->flags & ARCH_INSN_VEX || i->map > ARCH_MAP_0F)
		return false;
	form = i->map == ARCH_MAP_ONE ? one_byte[i->opcode] : two_byte[i->opcode];
	if (!(form & J))
		return false;
	*ret_distance = i->len + i->imm;
	return true;
}

static enum arch_insn_flow group5_flow(const struct arch_insn *i)
{
	switch (i->modrm >> 3 & 7) {
	case 2:
	case 3:
		return ARCH_FLOW_CALL;
	case 4:
	case 5:
		return ARCH_FLOW_STOP;
	default:
		return ARCH_FLOW_NEXT;
	}
}

enum arch_insn_flow arch_insn_flow(const struct arch_insn *i)
{
	int64_t unused;

	if (i->flags & ARCH_INSN_VEX || i->map > ARCH_MAP_0F)
		return ARCH_FLOW_NEXT;
	if (i->map == ARCH_MAP_0F && i->opcode == 0x0b)
		return ARCH_FLOW_STOP;
	if (i->map == ARCH_MAP_0F)
		return arch_insn_target(i, &unused) ? ARCH_FLOW_BRANCH : ARCH_FLOW_NEXT;
	switch (i->opcode) {
	case 0xe8:
		return ARCH_FLOW_CALL;
	case 0xe9:
	case 0xeb:
		return ARCH_FLOW_JUMP;
	case 0xc2:
	case 0xc3:
	case 0xcc:
	case 0xf1:
	case 0xf4:
		return ARCH_FLOW_STOP;
	case 0xff:
		return group5_flow(i);
	default:
		return arch_insn_target(i, &unused) ? ARCH_FLOW_BRANCH : ARCH_FLOW_NEXT;
	}
}
