/* SPDX-License-Identifier: MIT */
/*
 * See earlyinit.h. Every reference to the flag begins with an adrp of its page, or of the page with its GOT slot; what the
 * register then leads to is followed along the straight path.
 *
 * Forms seen in glibc 2.36 and 2.41:
 *
 *	adrp x3, page;  strb w19, [x3, #flag]                     libc's own copy
 *	adrp x2, page;  ldr x2, [x2, #slot];  strb w19, [x2]      the executable's copy
 *	adrp x0, page;  strb wzr, [x0, #flag]                     pthread_create; stays
 */
#include "earlyinit.h"

#include <linux/errno.h>

#include "codewalk.h"

#define MAX_FOLLOWED 64 /* instructions after an address was loaded */
#define ZERO_REGISTER 31u

struct finder {
	const struct arch_early_init *in;
	struct arch_text text;
	struct arch_patch *out;
	size_t max;
	size_t n;
	size_t stores;
	int err;
};

/* A register that holds an address near the flag, or near the slot. */
struct pointer {
	unsigned reg;
	uint64_t addr;
};

static void patch(struct finder *f, size_t off, uint32_t w)
{
	struct arch_patch *p;

	for (size_t k = 0; k < f->n; k++) {
		if (f->out[k].off == off)
			return;
	}
	f->stores++;
	if (f->n == f->max) {
		f->err = -ENOSPC;
		return;
	}
	p = &f->out[f->n++];
	p->off = off;
	p->len = ARCH_INSN_LEN;
	for (unsigned k = 0; k < ARCH_INSN_LEN; k++)
		p->bytes[k] = (uint8_t)((w | ZERO_REGISTER) >> 8 * k);
}

/* A load or store of one register: unsigned offset, in units of its size, or a signed 9-bit one without write-back. */
static bool is_access(uint32_t w, unsigned *ret_base, int64_t *ret_off)
{
	unsigned scale = w >> 30;

	*ret_base = arch_insn_rn(w);
	if ((w & 0x3b000000) == 0x39000000)
		*ret_off = (int64_t)(w >> 10 & 0xfff) << scale;
	else if ((w & 0x3b200c00) == 0x38000000)
		*ret_off = arch_insn_signed(w, 12, 9);
	else
		return false;
	return true;
}

static bool is_byte_store(uint32_t w)
{
	return (w & 0xffc00000) == 0x39000000 || (w & 0xffe00c00) == 0x38000000;
}

/* opc 0; with a vector register of 16 bytes it is 2. */
static bool is_store(uint32_t w)
{
	unsigned opc = w >> 22 & 3;

	return opc == 0 || (opc == 2 && (w >> 26 & 1) && w >> 30 == 0);
}

static bool is_plain_load64(uint32_t w)
{
	return (w & 0xffc00000) == 0xf9400000;
}

/* An access to the flag itself. */
static void flag_accessed(struct finder *f, size_t off, uint32_t w)
{
	if (!is_store(w))
		return;
	if (is_byte_store(w)) {
		if (arch_insn_rd(w) != ZERO_REGISTER)
			patch(f, off, w);
		return;
	}
	f->stores++;
	f->err = -EOPNOTSUPP;
}

/* Exclusive and ordered accesses have no offset: [reg] is the flag where reg points at it. */
static bool is_exclusive_store(uint32_t w)
{
	return (w & 0x3f400000) == 0x08000000;
}

/* An atomic read-modify-write instruction, swp among them. */
static bool is_atomic(uint32_t w)
{
	return (w & 0x3b200c00) == 0x38200000;
}

/* add reg, base, #n: the address goes on in another register, or the same. */
static bool is_add(uint32_t w, struct pointer *p)
{
	if ((w & 0xff800000) != 0x91000000 || arch_insn_rn(w) != p->reg)
		return false;
	p->reg = arch_insn_rd(w);
	p->addr += (uint64_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);
	return true;
}

static void follow(struct finder *f, size_t off, struct pointer p, unsigned depth);

static void used(struct finder *f, size_t off, uint32_t w, const struct pointer *p, unsigned depth)
{
	struct pointer next = *p;
	unsigned base;
	int64_t distance;

	if (is_add(w, &next)) {
		follow(f, off + ARCH_INSN_LEN, next, depth + 1);
		return;
	}
	if (is_access(w, &base, &distance)) {
		uint64_t addr = p->addr + (uint64_t)distance;

		if (base != p->reg)
			return;
		if (addr == f->in->flag)
			flag_accessed(f, off, w);
		else if (f->in->got_slot && addr == f->in->got_slot && is_plain_load64(w))
			follow(f, off + ARCH_INSN_LEN, (struct pointer){ arch_insn_rd(w), f->in->flag }, depth + 1);
		return;
	}
	if ((is_exclusive_store(w) || is_atomic(w)) && arch_insn_rn(w) == p->reg && p->addr == f->in->flag) {
		f->stores++;
		f->err = -EOPNOTSUPP;
	}
}

/* Along the straight path on which a register holds an address; each step may lead to one more register, not for ever. */
static void follow(struct finder *f, size_t off, struct pointer p, unsigned depth)
{
	if (depth > 3)
		return;
	for (unsigned k = 0; k < MAX_FOLLOWED && off + ARCH_INSN_LEN <= f->text.len; k++, off += ARCH_INSN_LEN) {
		uint32_t w = arch_insn_at(f->text, off);
		enum arch_insn_flow flow = arch_insn_flow(w);

		if (!arch_insn_is_code(w) || flow == ARCH_FLOW_JUMP || flow == ARCH_FLOW_STOP)
			return;
		used(f, off, w, &p, depth);
		if (arch_insn_writes(w) >> p.reg & 1)
			return;
	}
}

static bool is_page_of(uint64_t page, uint64_t addr)
{
	return page == (addr & ~UINT64_C(0xfff));
}

static void look_everywhere(struct finder *f)
{
	for (size_t off = 0; off + ARCH_INSN_LEN <= f->text.len; off += ARCH_INSN_LEN) {
		uint32_t w = arch_insn_at(f->text, off);
		uint64_t page;

		if (!arch_insn_is_adrp(w))
			continue;
		page = arch_insn_page(w, f->in->addr + off);
		if (is_page_of(page, f->in->flag) || (f->in->got_slot && is_page_of(page, f->in->got_slot)))
			follow(f, off + ARCH_INSN_LEN, (struct pointer){ arch_insn_rd(w), page }, 0);
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
