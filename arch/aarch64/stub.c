/* SPDX-License-Identifier: MIT */
/*
 * A stub, within 128 MiB of its site:
 *
 *		<pre: the displaced instruction before the call>
 *		stp	x16, x17, [sp, #-ARCH_STUB_SAVED]!
 *		str	x30, [sp, #16]
 *		ldr	x16, control		(shared stubs: adr x16, .; and x16, x16, #-TP_UNIT_SIZE)
 *		ldr	x17, entry
 *		blr	x17			arch_route_enter; leaves 0 in x16 if the call is done
 *		ldr	x30, [sp, #16]
 *		cbnz	x16, raw
 *		ldp	x16, x17, [sp], #ARCH_STUB_SAVED
 *		b	resume
 *	raw:	ldp	x16, x17, [sp], #ARCH_STUB_SAVED
 *		svc	#0			(a site that keeps its own: b call)
 *		b	resume
 *	entry:	.quad	arch_route_enter
 *	control: .quad	control
 *
 * `svc` changes x0 alone, so every register and the flags must survive. The stack below sp is nobody's in this procedure call
 * standard, so registers can be kept there; but at `raw` nothing is there any more: a new thread may come back on an empty
 * stack, and one that unmaps its own stack on none.
 *
 * The stub of a bridge is called like a function, and may change what a function may:
 *
 *		stp	x0, x30, [sp, #-ARCH_STUB_SAVED]!
 *		<the function's shuffle>
 *		ldr	x16, control
 *		ldr	x17, entry
 *		blr	x17
 *		cbnz	x16, raw
 *		ldr	x30, [sp, #8]
 *		add	sp, sp, #ARCH_STUB_SAVED
 *		ret
 *	raw:	<the shuffle undone>
 *		ldp	x0, x30, [sp], #ARCH_STUB_SAVED
 *		b	function
 */
#include "stub.h"

#include "frame-offsets.h"
#include "insn.h"
#include "tp/abi/layout.h"

#define SAVED_DOWN ((uint32_t)(-ARCH_STUB_SAVED / 8 & 0x7f) << 15)
#define SAVED_UP   ((uint32_t)(ARCH_STUB_SAVED / 8) << 15)

#define STP_DOWN(a, b)	(UINT32_C(0xa9800000) | SAVED_DOWN | (b) << 10 | 31 << 5 | (a))
#define LDP_UP(a, b)	(UINT32_C(0xa8c00000) | SAVED_UP | (b) << 10 | 31 << 5 | (a))
#define STR_SP(r, off)	(UINT32_C(0xf9000000) | (off) / 8 << 10 | 31 << 5 | (r))
#define LDR_SP(r, off)	(UINT32_C(0xf9400000) | (off) / 8 << 10 | 31 << 5 | (r))
#define ADD_SP(n)	(UINT32_C(0x91000000) | (n) << 10 | 31 << 5 | 31)
#define LDR_NEAR(r, d)	(UINT32_C(0x58000000) | ((uint32_t)(d) >> 2 & 0x7ffff) << 5 | (r))
#define CBNZ(r, d)	(UINT32_C(0xb5000000) | ((uint32_t)(d) >> 2 & 0x7ffff) << 5 | (r))
#define MOV(to, from)	(UINT32_C(0xaa0003e0) | (from) << 16 | (to))
#define BLR_X17		UINT32_C(0xd63f0220)
#define RET		UINT32_C(0xd65f03c0)
#define ADR_X16_HERE	UINT32_C(0x10000010)
/* and x16, x16, #-(1 << TP_UNIT_SHIFT): a run of 64 - TP_UNIT_SHIFT ones, rotated to the top */
#define AND_X16_UNIT                                                                                                    \
	(UINT32_C(0x92400000) | (64 - TP_UNIT_SHIFT) << 16 | (64 - TP_UNIT_SHIFT - 1) << 10 | 16 << 5 | 16)

struct cursor {
	uint8_t *p;
	uint64_t at; /* address of *p */
	uint64_t literals; /* address of `entry` */
	bool ok;
};

struct word {
	uint32_t v;
} __attribute__((packed, may_alias));

static void put(struct cursor *c, uint32_t w)
{
	((struct word *)c->p)->v = w;
	c->p += 4;
	c->at += 4;
}

static void put64(struct cursor *c, uint64_t v)
{
	put(c, (uint32_t)v);
	put(c, (uint32_t)(v >> 32));
}

static void put_branch(struct cursor *c, uint64_t to)
{
	uint32_t w = arch_insn_branch(ARCH_INSN_B, c->at, to);

	c->ok = c->ok && w != 0;
	put(c, w);
}

static void put_call_of_routine(struct cursor *c, uint64_t control)
{
	if (control) {
		put(c, LDR_NEAR(16, c->literals + 8 - c->at));
	} else {
		put(c, ADR_X16_HERE);
		put(c, AND_X16_UNIT);
	}
	put(c, LDR_NEAR(17, c->literals - c->at));
	put(c, BLR_X17);
}

static void put_bridge(struct cursor *c, uint64_t control, uint64_t function)
{
	put(c, STP_DOWN(0, 30));
	put(c, MOV(8, 1));
	for (uint32_t r = 0; r < 6; r++)
		put(c, MOV(r, r + 2));
	put_call_of_routine(c, control);
	put(c, CBNZ(16, 4 * 4));
	put(c, LDR_SP(30, 8));
	put(c, ADD_SP(ARCH_STUB_SAVED));
	put(c, RET);
	for (uint32_t r = 6; r-- > 0;)
		put(c, MOV(r + 2, r));
	put(c, MOV(1, 8));
	put(c, LDP_UP(0, 30));
	put_branch(c, function);
}

static uint32_t displaced(const struct arch_site *site)
{
	return ((const struct word *)site->pre)->v;
}

static void put_site(struct cursor *c, const struct arch_site *site, uint64_t control, uint64_t text)
{
	if (site->kind == ARCH_SITE_KEEP)
		put(c, displaced(site));
	put(c, STP_DOWN(16, 17));
	put(c, STR_SP(30, 16));
	put_call_of_routine(c, control);
	put(c, LDR_SP(30, 16));
	put(c, CBNZ(16, 3 * 4));
	put(c, LDP_UP(16, 17));
	put_branch(c, text + site->resume);
	put(c, LDP_UP(16, 17));
	if (site->kind == ARCH_SITE_KEEP) {
		put_branch(c, text + site->call);
		return;
	}
	put(c, ARCH_INSN_SVC);
	put_branch(c, text + site->resume);
}

uint64_t arch_stub_write(uint8_t *buf, uint64_t at, const struct arch_site *site, uint64_t text, uint64_t control,
			 uint64_t entry)
{
	struct cursor c = { buf, at, at + ARCH_STUB_MAX - 16, true };

	if (site->kind == ARCH_SITE_BRIDGE)
		put_bridge(&c, control, text + site->resume);
	else
		put_site(&c, site, control, text);
	while (c.at < c.literals)
		put(&c, ARCH_INSN_NOP);
	put64(&c, entry);
	put64(&c, control);
	return c.ok && arch_insn_branch(ARCH_INSN_B, text + site->off, at) ? ARCH_STUB_MAX : 0;
}

void arch_site_redirect(uint8_t *site_bytes, const struct arch_site *site, uint64_t text, uint64_t stub)
{
	uint32_t opcode = site->kind == ARCH_SITE_BRIDGE ? ARCH_INSN_BL : ARCH_INSN_B;

	((struct word *)site_bytes)->v = arch_insn_branch(opcode, text + site->off, stub);
}
