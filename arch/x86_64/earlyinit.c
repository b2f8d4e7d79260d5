/* SPDX-License-Identifier: MIT */
/*
 * See earlyinit.h. Every reference to the flag is relative to rip, so it is found by its distance: four
 * bytes that lead exactly there. The instruction around them comes from a walk (codewalk.h), which
 * also rules out four bytes that only happen to fit.
 *
 * Forms seen in glibc 2.36 and 2.41:
 *
 *	88 1d rel32            mov %bl,flag(%rip)          libc's own copy
 *	48 8b 05 rel32         mov slot(%rip),%rax
 *	88 18                  mov %bl,(%rax)              the executable's copy
 *	c6 05 rel32 00         movb $0,flag(%rip)          pthread_create; stays
 */
#include "earlyinit.h"

#include <linux/errno.h>

#include "codewalk.h"
#include "words.h"

#define NOP 0x90
#define MAX_FOLLOWED 32 /* instructions after a pointer to the flag was loaded */

struct finder {
	const struct arch_early_init *in;
	struct arch_text text;
	struct arch_patch *out;
	size_t max;
	size_t n;
	size_t stores;
	int err;
};

static void patch(struct finder *f, size_t off, unsigned len, uint8_t value)
{
	for (size_t k = 0; k < f->n; k++) {
		if (f->out[k].off == off)
			return;
	}
	f->stores++;
	if (f->n == f->max) {
		f->err = -ENOSPC;
		return;
	}
	f->out[f->n].off = off;
	f->out[f->n].len = (uint8_t)len;
	for (unsigned k = 0; k < len && k < ARCH_PATCH_MAX; k++)
		f->out[f->n].bytes[k] = value;
	f->n++;
}

static bool is_one_byte(const struct arch_insn *i)
{
	return i->map == ARCH_MAP_ONE && !(i->flags & ARCH_INSN_VEX);
}

/* Opcodes with a memory operand that they only read. */
static bool only_reads(const struct arch_insn *i)
{
	uint8_t op = i->opcode;

	if (i->map == ARCH_MAP_0F)
		return op == 0xb6 || op == 0xbe || op == 0xb7 || op == 0xbf || (op & 0xf0) == 0x40;
	if (!is_one_byte(i))
		return false;
	if (op < 0x40)
		return (op & 7) == 2 || (op & 7) == 3 || op >= 0x38;
	if (op == 0x80 || op == 0x81 || op == 0x83)
		return (i->modrm >> 3 & 7) == 7;
	if (op == 0xf6 || op == 0xf7)
		return (i->modrm >> 3 & 7) < 2;
	return op == 0x84 || op == 0x85 || op == 0x8a || op == 0x8b || op == 0x63;
}

/* An instruction at `off` whose memory operand is the flag. */
static void operand_is_flag(struct finder *f, size_t off, const struct arch_insn *i)
{
	if (only_reads(i))
		return;
	if (is_one_byte(i) && i->opcode == 0x88)
		patch(f, off, i->len, NOP);
	else if (is_one_byte(i) && i->opcode == 0xc6) {
		if (i->imm != 0)
			patch(f, off + i->imm_at, 1, 0);
	} else {
		f->stores++;
		f->err = -EOPNOTSUPP;
	}
}

/* The base register of a memory operand that has no index, -1 if it is another kind of operand. */
static int plain_base(const struct arch_insn *i)
{
	unsigned mod = arch_insn_mod(i);
	unsigned low = i->modrm & 7;

	if (!(i->flags & ARCH_INSN_MODRM) || i->flags & (ARCH_INSN_RIPREL | ARCH_INSN_SEGMENT) ||
	    mod == 3)
		return -1;
	if (low == 4) {
		bool has_index = (i->sib >> 3 & 7) != 4 || i->rex & 2;

		low = i->sib & 7;
		if (has_index || (low == 5 && mod == 0))
			return -1;
	}
	return (int)(low | (i->rex & 1u) << 3);
}

/* Does it access exactly (%reg)? */
static bool points_with(const struct arch_insn *i, unsigned reg)
{
	bool is_lea = is_one_byte(i) && i->opcode == 0x8d;
	bool is_nop = i->map == ARCH_MAP_0F && i->opcode >= 0x18 && i->opcode < 0x20;

	return !is_lea && !is_nop && i->disp == 0 && plain_base(i) == (int)reg;
}

/* Follows the straight path on which a register holds the flag's address. */
static void follow_pointer(struct finder *f, size_t off, unsigned reg)
{
	struct arch_insn i;

	for (unsigned k = 0; k < MAX_FOLLOWED && off < f->text.len; k++, off += i.len) {
		enum arch_insn_flow flow;

		if (!arch_insn_decode(f->text.p + off, f->text.len - off, &i))
			return;
		flow = arch_insn_flow(&i);
		if (flow == ARCH_FLOW_JUMP || flow == ARCH_FLOW_STOP)
			return;
		if (points_with(&i, reg))
			operand_is_flag(f, off, &i);
		if (arch_insn_writes(&i) >> reg & 1)
			return;
	}
}

/* Loads the slot's content, or the flag's address, into a register: mov or lea. */
static bool loads_pointer(const struct arch_insn *i, bool slot)
{
	return is_one_byte(i) && i->rex & 8 && i->opcode == (slot ? 0x8b : 0x8d);
}

static void reference(struct finder *f, size_t off, const struct arch_insn *i, bool slot)
{
	if (loads_pointer(i, slot))
		follow_pointer(f, off + i->len, arch_insn_reg(i));
	else if (!slot)
		operand_is_flag(f, off, i);
}

/* The instruction whose 4-byte distance is at `at` and that ends `tail` bytes behind it. */
static bool instruction_around(struct arch_text text, size_t at, size_t tail, size_t *ret_off,
			       struct arch_insn *ret)
{
	struct arch_walk w;
	size_t end = at + 4 + tail;

	if (end > text.len)
		return false;
	arch_walk_init(&w, text, end, ARCH_WALK_SHORT);
	*ret_off = arch_walk_before(&w, end, ret);
	return *ret_off != ARCH_WALK_NONE && ret->flags & ARCH_INSN_RIPREL &&
	       *ret_off + ret->disp_at == at;
}

/* Do the four bytes at `at`, in an instruction that ends `tail` bytes behind them, lead to `addr`? */
static bool leads_to(const struct finder *f, size_t at, size_t tail, uint64_t addr)
{
	uint64_t next = f->in->addr + at + 4 + tail;

	return next + (uint64_t)(int64_t)(int32_t)arch_half_at(f->text.p + at) == addr;
}

static void look(struct finder *f, size_t at)
{
	struct arch_insn i;
	size_t off;

	for (size_t tail = 0; tail <= 1; tail++) {
		bool flag = leads_to(f, at, tail, f->in->flag);
		bool slot = f->in->got_slot != 0 && leads_to(f, at, tail, f->in->got_slot);

		if ((flag || slot) && instruction_around(f->text, at, tail, &off, &i))
			reference(f, off, &i, slot);
	}
}

/*
 * Distance plus position is the same number at every place that leads to one address; the byte behind a
 * distance (tail) takes one off. One comparison for each byte of the text and each address, then.
 */
static void look_everywhere(struct finder *f)
{
	uint32_t flag = (uint32_t)(f->in->flag - f->in->addr - 4);
	uint32_t slot = f->in->got_slot ? (uint32_t)(f->in->got_slot - f->in->addr - 4) : flag;

	for (size_t at = 0; at + 4 <= f->text.len; at++) {
		uint32_t sum = arch_half_at(f->text.p + at) + (uint32_t)at;

		if (flag - sum <= 1 || slot - sum <= 1)
			look(f, at);
	}
}

int arch_early_init_patches(const struct arch_early_init *in, struct arch_patch *out, size_t max,
			    size_t *ret_stores)
{
	struct finder f = { .in = in, .text = { in->text, in->len }, .out = out, .max = max };

	look_everywhere(&f);
	if (ret_stores)
		*ret_stores = f.stores;
	if (f.err < 0)
		return f.err;
	return f.n == 0 ? -ENOENT : (int)f.n;
}
