/* SPDX-License-Identifier: MIT */
/*
 * A stub, in the program's own units within 2 GiB of the site:
 *
 *		<pre: displaced instructions before the call>
 *		movabs	$control, %r11		(shared stubs: lea 0(%rip), %r11; shr and shl $TP_UNIT_SHIFT, %r11)
 *		lea	done(%rip), %rcx
 *		jmp	*entry(%rip)
 *	entry:	.quad	arch_route_enter
 *	raw:	nop; nop; nop; syscall		(a site that keeps its own: jmp to it; a bridge: jmp done + 1)
 *	done:	<post: displaced instructions after the call>
 *		jmp	resume
 *
 * r11, rcx and the flags are free because `syscall` destroys them. Nothing is pushed: the program's red zone may be in use, and
 * at `raw` a new thread may come back on an empty stack.
 */
#include "stub.h"

#include "frame-offsets.h"
#include "tp/abi/layout.h"

struct cursor {
	uint8_t *p;
	uint64_t at; /* address of *p */
};

static void put(struct cursor *c, const uint8_t *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		c->p[i] = bytes[i];
	c->p += n;
	c->at += n;
}

/* Operands lie where the instructions before them end. */
struct operand32 {
	uint32_t v;
} __attribute__((packed, may_alias));

struct operand64 {
	uint64_t v;
} __attribute__((packed, may_alias));

static void put32(struct cursor *c, uint64_t v)
{
	((struct operand32 *)c->p)->v = (uint32_t)v;
	c->p += 4;
	c->at += 4;
}

static void put64(struct cursor *c, uint64_t v)
{
	((struct operand64 *)c->p)->v = v;
	c->p += 8;
	c->at += 8;
}

static int reaches(uint64_t from, uint64_t to)
{
	int64_t d = (int64_t)(to - from);

	return d >= INT32_MIN && d <= INT32_MAX;
}

static void put_branch(struct cursor *c, uint8_t opcode, uint64_t to)
{
	put(c, &opcode, 1);
	put32(c, to - (c->at + 4));
}

static void put_jump(struct cursor *c, uint64_t to)
{
	put_branch(c, 0xe9, to);
}

static void put_control(struct cursor *c, uint64_t control)
{
	static const uint8_t of_unit[] = {
		0x4c, 0x8d, 0x1d, 0, 0, 0, 0,		/* lea 0(%rip), %r11 */
		0x49, 0xc1, 0xeb, TP_UNIT_SHIFT,	/* shr $TP_UNIT_SHIFT, %r11 */
		0x49, 0xc1, 0xe3, TP_UNIT_SHIFT,	/* shl $TP_UNIT_SHIFT, %r11 */
	};

	if (!control) {
		put(c, of_unit, sizeof(of_unit));
		return;
	}
	put(c, (const uint8_t[]){ 0x49, 0xbb }, 2); /* movabs $control, %r11 */
	put64(c, control);
}

uint64_t arch_stub_write(uint8_t *buf, uint64_t at, const struct arch_site *site, uint64_t text, uint64_t control,
			 uint64_t entry)
{
	struct cursor c = { buf, at };
	uint64_t resume = text + site->resume, call = text + site->call;

	if (!reaches(at, text + site->off + 5) || !reaches(at + ARCH_STUB_MAX, text + site->off) ||
	    !reaches(at, resume) || !reaches(at + ARCH_STUB_MAX, resume))
		return 0;
	put(&c, site->pre, site->pre_len);
	put_control(&c, control);
	put(&c, (const uint8_t[]){ 0x48, 0x8d, 0x0d }, 3); /* lea done(%rip), %rcx */
	put32(&c, 6 + 8 + ARCH_STUB_RAW_BACK);
	put(&c, (const uint8_t[]){ 0xff, 0x25 }, 2); /* jmp *entry(%rip) */
	put32(&c, 0);
	put64(&c, entry);
	if (site->kind == ARCH_SITE_KEEP)
		put_jump(&c, call);
	else if (site->kind == ARCH_SITE_BRIDGE)
		put_jump(&c, c.at + 5 + 1); /* past the ret that `done` starts with */
	else
		put(&c, (const uint8_t[]){ 0x0f, 0x1f, 0x00, 0x0f, 0x05 }, ARCH_STUB_RAW_BACK);
	put(&c, site->post, site->post_len);
	put_jump(&c, resume);
	return c.at - at;
}

void arch_site_redirect(uint8_t *site_bytes, const struct arch_site *site, uint64_t text, uint64_t stub)
{
	struct cursor c = { site_bytes, text + site->off };

	put_branch(&c, site->kind == ARCH_SITE_BRIDGE ? 0xe8 : 0xe9, stub);
	for (unsigned i = 5; i < site->len; i++)
		put(&c, (const uint8_t[]){ 0x90 }, 1);
}
