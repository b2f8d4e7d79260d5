/* SPDX-License-Identifier: MIT */
/*
 * The ways into C without a libc: the host's first instruction, a routed call, a program's birth; and out of it: a
 * program's start, a signal handler's return.
 */

#include "frame-offsets.h"

	.text

	/* Where an indirect call arrives: a landing pad, in case this text ever is mapped as guarded. */
	.macro	function name
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.balign	16
\name:
	hint	#34			/* bti c */
	.endm

/* The kernel starts the host here: sp points at argc, and is aligned. */
	function _start
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, sp
	bl	tpi_host_main
	brk	#0
	.size	_start, .-_start

/*
 * A stub calls this instead of executing `svc`: x8 is the number, the arguments are in x0 to x5, x16 points at the program's
 * struct tp_control, x30 into the stub, which has saved x16, x17 and its own x30 in the ARCH_STUB_SAVED bytes at sp. The
 * kernel would have left every other register and the flags alone, so this does too.
 *
 * Returns to the stub with 0 in x16 if the call is done, 1 if the stub is to make it.
 */
#define AT_NR	48	/* struct arch_frame: arg, nr, done; behind it what C may change */
#define AT_X8	64
#define AT_X6	72
#define AT_X9	88
#define AT_X11	104
#define AT_X13	120
#define AT_X15	136
#define AT_NZCV	152
#define FRAME	160

	.macro	restore_all_but_x0_x1
	ldr	x17, [sp, #AT_NZCV]
	msr	nzcv, x17
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldr	x30, [sp, #AT_NR + 8]
	ldr	x8, [sp, #AT_X8]
	ldp	x6, x7, [sp, #AT_X6]
	ldp	x9, x10, [sp, #AT_X9]
	ldp	x11, x12, [sp, #AT_X11]
	ldp	x13, x14, [sp, #AT_X13]
	ldp	x15, x18, [sp, #AT_X15]
	.endm

	function arch_route_enter
	sub	sp, sp, #FRAME
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x8, x30, [sp, #AT_NR]
	str	x8, [sp, #AT_X8]
	stp	x6, x7, [sp, #AT_X6]
	stp	x9, x10, [sp, #AT_X9]
	stp	x11, x12, [sp, #AT_X11]
	stp	x13, x14, [sp, #AT_X13]
	stp	x15, x18, [sp, #AT_X15]
	mrs	x17, nzcv
	str	x17, [sp, #AT_NZCV]
	mov	x0, x16
	mov	x1, sp
	bl	tpi_route
	cmp	x1, #1
	b.eq	2f
	b.hi	3f
	/* done: the result is in x0 */
	ldr	x1, [sp, #8]
	restore_all_but_x0_x1
	mov	x16, #0
	add	sp, sp, #FRAME
	ret
2:	/* raw: with the arguments of the frame, which may have been changed */
	restore_all_but_x0_x1
	ldp	x0, x1, [sp]
	mov	x16, #1
	add	sp, sp, #FRAME
	ret
3:	/* switch: as done, on another stack, to which what the stub has saved goes along */
	ldr	x16, [sp, #AT_NR]
	sub	x16, x16, #ARCH_STUB_SAVED
	ldp	x17, x1, [sp, #FRAME]
	stp	x17, x1, [x16]
	ldp	x17, x1, [sp, #FRAME + 16]
	stp	x17, x1, [x16, #16]
	ldr	x1, [sp, #8]
	restore_all_but_x0_x1
	mov	sp, x16
	mov	x16, #0
	ret
	.size	arch_route_enter, .-arch_route_enter

/*
 * long arch_clone3(struct clone_args *args, size_t size, void (*fn)(void *), void *arg)
 * long arch_clone(unsigned long flags, void *stack, int *pidfd, void (*fn)(void *), void *arg)
 *
 * The child starts in fn(arg) on its own stack, which these need not touch, and never returns.
 */
	function arch_clone3
	mov	x9, x2
	mov	x10, x3
	mov	x8, #435
	svc	#0
	cbz	x0, arch_child
	ret
	.size	arch_clone3, .-arch_clone3

	function arch_clone
	mov	x9, x3			/* fn: the kernel takes x3 as the child's TLS */
	mov	x10, x4
	mov	x3, xzr
	mov	x4, xzr
	mov	x8, #220
	svc	#0
	cbz	x0, arch_child
	ret
	.size	arch_clone, .-arch_clone

	.type	arch_child, %function
arch_child:
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, x10
	blr	x9
	brk	#0
	.size	arch_child, .-arch_child

/* void arch_jump(uint64_t entry, uint64_t sp): start a program with registers as a fresh exec has them. */
	function arch_jump
	mov	sp, x1
	mov	x16, x0			/* the one that may lead to an entry that is guarded by `bti c` */
	.irp	r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	mov	x\r, xzr
	.endr
	br	x16
	.size	arch_jump, .-arch_jump

/* Where a handler of the host returns to; unwinders know the two instructions. */
	.globl	arch_sigreturn
	.hidden	arch_sigreturn
	.type	arch_sigreturn, %function
	.balign	16
	nop
arch_sigreturn:
	mov	x8, #139
	svc	#0
	brk	#0
	.size	arch_sigreturn, .-arch_sigreturn

	.section .note.GNU-stack, "", %progbits
