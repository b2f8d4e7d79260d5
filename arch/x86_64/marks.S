/* SPDX-License-Identifier: MIT */
/*
 * void arch_mark(const uint8_t *p, size_t n, struct arch_marks *out)
 *
 * SSE2, which every x86_64 has. The scan runs inside a program's mmap, whose vector registers belong
 * to the program, so what is used here is saved. (The upper halves of wider registers stay as they are.)
 *
 *	xmm0 text		xmm4 0f 0f ..
 *	xmm1 text + 1		xmm5 05 05 ..
 *	xmm2 0f?		xmm6 fe fe ..	xmm8 f0 f0 ..
 *	xmm3			xmm7 e8 e8 ..	xmm9 80 80 ..
 */

#define SAVED 10

	.text
	.globl	arch_mark
	.hidden	arch_mark
	.type	arch_mark, @function
	.balign	16

	/* Spreads a byte constant over a vector register. */
	.macro	spread byte, reg
	mov	$0x\byte\byte\byte\byte, %eax
	movd	%eax, \reg
	pshufd	$0, \reg, \reg
	.endm

	/* 16 bytes at \at(%rdi): calls to the top of r8, jumps to the top of r9. */
	.macro	mark at
	movdqu	\at(%rdi), %xmm0
	movdqu	\at+1(%rdi), %xmm1
	movdqa	%xmm0, %xmm2
	pcmpeqb	%xmm4, %xmm2		/* 0f here */
	movdqa	%xmm1, %xmm3
	pcmpeqb	%xmm5, %xmm3		/* 05 next */
	pand	%xmm2, %xmm3
	pmovmskb %xmm3, %eax
	pand	%xmm8, %xmm1
	pcmpeqb	%xmm9, %xmm1		/* 80 to 8f next */
	pand	%xmm2, %xmm1
	pand	%xmm6, %xmm0
	pcmpeqb	%xmm7, %xmm0		/* e8 or e9 here */
	por	%xmm1, %xmm0
	pmovmskb %xmm0, %ecx
	shl	$48, %rax
	shl	$48, %rcx
	shr	$16, %r8
	shr	$16, %r9
	or	%rax, %r8
	or	%rcx, %r9
	.endm

arch_mark:
	sub	$SAVED * 16 + 8, %rsp
	.irp	k, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	movups	%xmm\k, \k * 16(%rsp)
	.endr
	spread	0f, %xmm4
	spread	05, %xmm5
	spread	fe, %xmm6
	spread	e8, %xmm7
	spread	f0, %xmm8
	spread	80, %xmm9
	test	%rsi, %rsi
	jz	2f
1:	mark	0
	mark	16
	mark	32
	mark	48
	mov	%r8, (%rdx)
	mov	%r9, 8(%rdx)
	add	$64, %rdi
	add	$16, %rdx
	dec	%rsi
	jnz	1b
2:	.irp	k, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	movups	\k * 16(%rsp), %xmm\k
	.endr
	add	$SAVED * 16 + 8, %rsp
	ret
	.size	arch_mark, .-arch_mark

	.section .note.GNU-stack, "", @progbits
