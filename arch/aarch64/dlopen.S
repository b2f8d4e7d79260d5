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
	.type	dlopen, %function
	.p2align 4
dlopen:
	.cfi_startproc
	hint	#34			/* bti c */
	and	w1, w1, #~DEEPBIND
	adrp	x16, tpi_dlopen_next
	ldr	x16, [x16, #:lo12:tpi_dlopen_next]
	cbz	x16, 1f
	br	x16
1:	stp	x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	bl	tpi_dlopen_find
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_adjust_cfa_offset -32
	.cfi_restore x29
	.cfi_restore x30
	br	x16
	.cfi_endproc
	.size	dlopen, . - dlopen

	.section .note.GNU-stack, "", %progbits
