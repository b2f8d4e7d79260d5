/* SPDX-License-Identifier: MIT */
/*
 * The ways into C without a libc: the host's first instruction, a routed call, a program's birth; and out of it: a
 * program's start, a signal handler's return.
 */

#include "frame-offsets.h"

	.text

/* The kernel starts the host here: rsp points at argc. */
	.globl	_start
	.hidden	_start
	.type	_start, @function
_start:
	xor	%ebp, %ebp
	mov	%rsp, %rdi
	and	$-16, %rsp
	call	tpi_host_main
	ud2
	.size	_start, .-_start

/*
 * A stub jumps here instead of executing `syscall`: eax is the number, the arguments are where the kernel takes them,
 * r11 points at the program's struct tp_control, rcx at the stub's second half. The kernel would have left every
 * other register and 128 bytes below rsp alone, so this does too.
 */
	.globl	arch_route_enter
	.hidden	arch_route_enter
	.type	arch_route_enter, @function
	.balign	64
arch_route_enter:
	lea	-128(%rsp), %rsp
	push	%rbp
	mov	%rsp, %rbp
	push	%rcx
	push	%rax
	push	%r9
	push	%r8
	push	%r10
	push	%rdx
	push	%rsi
	push	%rdi
	mov	%r11, %rdi
	mov	%rsp, %rsi
	and	$-16, %rsp
	call	tpi_route
	lea	-64(%rbp), %rsp
	cmp	$1, %edx
	je	2f
	ja	3f
	/* done */
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%r10
	pop	%r8
	pop	%r9
	pop	%rcx			/* the number: rax holds the result */
	pop	%rcx
	pop	%rbp
	lea	128(%rsp), %rsp
	jmp	*%rcx
2:	/* raw: the stub's own `syscall` (or the way to it) lies RAW_BACK bytes before its second half */
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%r10
	pop	%r8
	pop	%r9
	pop	%rax
	pop	%rcx
	pop	%rbp
	lea	128(%rsp), %rsp
	sub	$ARCH_STUB_RAW_BACK, %rcx
	jmp	*%rcx
3:	/* switch: as done, on another stack */
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%r10
	pop	%r8
	pop	%r9
	pop	%r11			/* the new stack pointer */
	pop	%rcx
	pop	%rbp
	mov	%r11, %rsp
	jmp	*%rcx
	.size	arch_route_enter, .-arch_route_enter

/*
 * long arch_clone3(struct clone_args *args, size_t size, void (*fn)(void *), void *arg)
 * long arch_clone(unsigned long flags, void *stack, int *pidfd, void (*fn)(void *), void *arg)
 *
 * The child starts in fn(arg) on its own stack, which these need not touch, and never returns.
 */
	.globl	arch_clone3
	.hidden	arch_clone3
	.type	arch_clone3, @function
arch_clone3:
	mov	%rdx, %r8
	mov	%rcx, %r9
	mov	$435, %eax
	syscall
	test	%rax, %rax
	jz	arch_child
	ret
	.size	arch_clone3, .-arch_clone3

	.globl	arch_clone
	.hidden	arch_clone
	.type	arch_clone, @function
arch_clone:
	push	%r12
	mov	%rcx, %r12		/* fn: the kernel takes r8 as the child's TLS */
	mov	%r8, %r9
	xor	%r8d, %r8d
	xor	%r10d, %r10d
	mov	$56, %eax
	syscall
	test	%rax, %rax
	jnz	1f
	mov	%r12, %r8
	jmp	arch_child
1:	pop	%r12
	ret
	.size	arch_clone, .-arch_clone

	.type	arch_child, @function
arch_child:
	xor	%ebp, %ebp
	mov	%r9, %rdi
	and	$-16, %rsp
	call	*%r8
	ud2
	.size	arch_child, .-arch_child

/* void arch_jump(uint64_t entry, uint64_t sp): start a program with registers as a fresh exec has them. */
	.globl	arch_jump
	.hidden	arch_jump
	.type	arch_jump, @function
arch_jump:
	mov	%rsi, %rsp
	push	%rdi
	xor	%eax, %eax
	xor	%ebx, %ebx
	xor	%ecx, %ecx
	xor	%edx, %edx
	xor	%esi, %esi
	xor	%edi, %edi
	xor	%ebp, %ebp
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	xor	%r10d, %r10d
	xor	%r11d, %r11d
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	xor	%r14d, %r14d
	xor	%r15d, %r15d
	ret
	.size	arch_jump, .-arch_jump

/* Where a handler of the host returns to. */
	.globl	arch_sigreturn
	.hidden	arch_sigreturn
	.type	arch_sigreturn, @function
	.balign	16
	nop
arch_sigreturn:
	mov	$15, %eax
	syscall
	ud2
	.size	arch_sigreturn, .-arch_sigreturn

	.section .note.GNU-stack, "", @progbits
