/* SPDX-License-Identifier: MIT */
/*
 * void arch_mark_jumps(const uint8_t *p, size_t n, uint64_t *out)
 * size_t arch_find_calls(const uint8_t *p, size_t n, uint64_t *ret_calls)
 *
 * SSE2, which every x86_64 has. The scan runs inside a program's mmap, whose vector registers belong
 * to the program, so what is used here is saved. (The upper halves of wider registers stay as they are.)
 */

#define SAVED 8

	.text

	/* Spreads a byte constant over a vector register. */
	.macro	spread byte, reg
	mov	$0x\byte\byte\byte\byte, %eax
	movd	%eax, \reg
	pshufd	$0, \reg, \reg
	.endm

	.macro	function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	sub	$SAVED * 16 + 8, %rsp
	.irp	k, 0, 1, 2, 3, 4, 5, 6, 7
	movups	%xmm\k, \k * 16(%rsp)
	.endr
	.endm

	.macro	leave_function name
	.irp	k, 0, 1, 2, 3, 4, 5, 6, 7
	movups	\k * 16(%rsp), %xmm\k
	.endr
	add	$SAVED * 16 + 8, %rsp
	ret
	.size	\name, .-\name
	.endm

	/* Adds the marks of \reg, a byte each, to the top of \mask. */
	.macro	shift_in reg, mask
	pmovmskb \reg, %eax
	shl	$48, %rax
	shr	$16, \mask
	or	%rax, \mask
	.endm

	/* 16 bytes at \at(%rdi): near branches to the top of r8. */
	.macro	jumps at
	movdqu	\at(%rdi), %xmm0
	movdqu	\at+1(%rdi), %xmm1
	movdqa	%xmm0, %xmm2
	pcmpeqb	%xmm3, %xmm2		/* 0f here */
	pand	%xmm4, %xmm1
	pcmpeqb	%xmm5, %xmm1		/* 80 to 8f next */
	pand	%xmm2, %xmm1
	pand	%xmm6, %xmm0
	pcmpeqb	%xmm7, %xmm0		/* e8 or e9 here */
	por	%xmm1, %xmm0
	shift_in %xmm0, %r8
	.endm

	function arch_mark_jumps
	spread	0f, %xmm3
	spread	f0, %xmm4
	spread	80, %xmm5
	spread	fe, %xmm6
	spread	e8, %xmm7
	test	%rsi, %rsi
	jz	2f
1:	jumps	0
	jumps	16
	jumps	32
	jumps	48
	mov	%r8, (%rdx)
	add	$64, %rdi
	add	$8, %rdx
	dec	%rsi
	jnz	1b
2:	leave_function arch_mark_jumps

	/* 16 bytes at \at(%rdi): calls as bytes of \reg; xmm4 is overwritten. */
	.macro	calls at, reg
	movdqu	\at(%rdi), \reg
	movdqu	\at+1(%rdi), %xmm4
	pcmpeqb	%xmm5, \reg		/* 0f here */
	pcmpeqb	%xmm6, %xmm4		/* 05 next */
	pand	%xmm4, \reg
	.endm

	function arch_find_calls
	spread	0f, %xmm5
	spread	05, %xmm6
	mov	%rsi, %rcx
	test	%rcx, %rcx
	jz	3f
1:	calls	0, %xmm0
	calls	16, %xmm1
	calls	32, %xmm2
	calls	48, %xmm3
	movdqa	%xmm0, %xmm4
	por	%xmm1, %xmm4
	movdqa	%xmm2, %xmm7
	por	%xmm3, %xmm7
	por	%xmm7, %xmm4
	pmovmskb %xmm4, %eax
	test	%eax, %eax
	jnz	2f
	add	$64, %rdi
	dec	%rcx
	jnz	1b
	jmp	3f
2:	shift_in %xmm0, %r8
	shift_in %xmm1, %r8
	shift_in %xmm2, %r8
	shift_in %xmm3, %r8
	mov	%r8, (%rdx)
3:	mov	%rsi, %rax
	sub	%rcx, %rax
	leave_function arch_find_calls

	.section .note.GNU-stack, "", @progbits
