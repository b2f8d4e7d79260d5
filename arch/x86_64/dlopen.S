/* SPDX-License-Identifier: MIT */
/*
 * dlopen for libtp-malloc.so: void *dlopen(const char *path, int mode), without RTLD_DEEPBIND (libtp/malloc/dlopen.c says why).
 *
 * The C library takes whose search path is meant from the return address. So the call is passed on as a jump, with the caller's
 * arguments and return address as they are, which C cannot promise.
 *
 * tpi_dlopen_next is the C library's dlopen, once tpi_dlopen_find has looked for it.
 */
#define DEEPBIND 8

	.text
	.globl	dlopen
	.type	dlopen, @function
	.p2align 4
dlopen:
	.cfi_startproc
	andl	$~DEEPBIND, %esi
	movq	tpi_dlopen_next(%rip), %rax
	testq	%rax, %rax
	jz	1f
	jmp	*%rax
1:	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	tpi_dlopen_find
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	dlopen, . - dlopen

	.section .note.GNU-stack, "", @progbits
