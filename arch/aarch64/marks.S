/* SPDX-License-Identifier: MIT */
/*
 * size_t arch_find_calls(const uint8_t *p, size_t n)
 *
 * Advanced SIMD, which every aarch64 has. The scan runs inside a program's mmap, whose vector registers belong to the
 * program, so what is used here is saved. (The upper parts of SVE registers are not kept by any system call either.)
 */
	.text
	.globl	arch_find_calls
	.hidden	arch_find_calls
	.type	arch_find_calls, %function
	.balign	16
arch_find_calls:
	sub	sp, sp, #112
	stp	q0, q1, [sp]
	stp	q2, q3, [sp, #32]
	stp	q4, q5, [sp, #64]
	str	q6, [sp, #96]
	mov	w2, #1
	movk	w2, #0xd400, lsl #16	/* svc #0 */
	dup	v6.4s, w2
	mov	x2, x1
	cbz	x2, 2f
1:	ldp	q0, q1, [x0], #32
	ldp	q2, q3, [x0], #32
	cmeq	v0.4s, v0.4s, v6.4s
	cmeq	v1.4s, v1.4s, v6.4s
	cmeq	v2.4s, v2.4s, v6.4s
	cmeq	v3.4s, v3.4s, v6.4s
	orr	v4.16b, v0.16b, v1.16b
	orr	v5.16b, v2.16b, v3.16b
	orr	v4.16b, v4.16b, v5.16b
	umaxv	s4, v4.4s
	fmov	w3, s4
	cbnz	w3, 2f
	subs	x2, x2, #1
	b.ne	1b
2:	sub	x0, x1, x2
	ldp	q0, q1, [sp]
	ldp	q2, q3, [sp, #32]
	ldp	q4, q5, [sp, #64]
	ldr	q6, [sp, #96]
	add	sp, sp, #112
	ret
	.size	arch_find_calls, .-arch_find_calls

	.section .note.GNU-stack, "", %progbits
