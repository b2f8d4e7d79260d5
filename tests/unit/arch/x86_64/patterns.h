/* SPDX-License-Identifier: MIT */
/*
 * Code of the shapes that libcs and runtimes have, written by the assembler: PATTERN(name, "...")
 * defines the bytes name_begin to name_end. They start with 64 bytes of nops, as a walk would find
 * other code in front, and can be called at name_begin: each returns what its system call returned.
 */
#pragma once

#include <stdint.h>

#define PATTERN(name, code)                                      \
	extern const uint8_t name##_begin[], name##_end[];       \
	__asm__(".pushsection .rodata." #name ",\"a\",@progbits\n" \
		".globl " #name "_begin, " #name "_end\n"        \
		".balign 16\n" #name "_begin:\n"                 \
		".rept 64\n nop\n .endr\n" code "\n"             \
		#name "_end:\n"                                  \
		".popsection\n")

/* The call that the runnable patterns make: getpid. */
#define GETPID 39

PATTERN(adjacent, "mov $39, %eax\n syscall\n cmp $-4095, %rax\n jae 1f\n ret\n 1: or $-1, %rax\n ret");

/* The move stands further up; the instruction right before the call is long enough. */
PATTERN(apart, "mov $39, %eax\n mov %rsp, %rsi\n xor %edx, %edx\n mov %rsi, %rdi\n syscall\n ret");

/* Nothing can be moved before (relative to rip), the comparison after can. */
PATTERN(after, "mov $39, %eax\n lea adjacent_begin(%rip), %rdi\n syscall\n cmp $-4095, %rax\n ret");

/* libc's syscall(): the number is an argument. */
PATTERN(generic, "mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n mov %rcx, %rdx\n"
		 "mov %r8, %r10\n mov %r9, %r8\n mov 8(%rsp), %r9\n syscall\n"
		 "cmp $-4095, %rax\n ret");

/* The shortest encodings, as -Os makes them. */
PATTERN(pushed, "push $39\n pop %rax\n mov %rsp, %rsi\n syscall\n ret");
PATTERN(low_byte, "xor %eax, %eax\n mov $39, %al\n mov %rsp, %rsi\n syscall\n ret");

/* musl: the number sits in another register first. */
PATTERN(copied, "mov $39, %r8d\n xor %edx, %edx\n mov %r8, %rax\n mov %rsp, %rsi\n syscall\n ret");

/* vfork: the stack must be left alone, the return address is in a register. */
PATTERN(popped_return, "pop %rdi\n mov $39, %eax\n syscall\n push %rdi\n cmp $-4095, %eax\n ret");

/* A loop that goes back to the instruction before the call: that one cannot start a range's inside. */
PATTERN(looped, "mov $2, %ecx\n mov $39, %eax\n xor %edx, %edx\n 1: mov %rsp, %rsi\n syscall\n"
		"mov %rax, %rdi\n mov %rdi, %rax\n ret\n jmp 1b");

/* A jump straight to the call, with another number: nothing may be proved, nothing moved before. */
PATTERN(joined, "mov $39, %eax\n test %edi, %edi\n je 1f\n mov $186, %eax\n 1: syscall\n"
		"cmp $-4095, %rax\n ret");

/* The two bytes of a call inside of a constant and of a distance. */
PATTERN(false_calls, "mov $0x50f, %edx\n mov $0x90050f90, %esi\n lea 0x50f(%rdi), %eax\n"
		     "movl $0x050f, 8(%rsp)\n ret");

/* Bytes before the call that look like `mov $nr,%eax` and are the end of another instruction. */
PATTERN(disguised, "mov $39, %eax\n mov 0x90(%r8), %edi\n syscall\n ret");
PATTERN(disguised_store, "mov $39, %eax\n movl $0x90, -0x48(%rbp)\n syscall\n ret");

/* No room: relative to rip before, a jump after. */
PATTERN(stuck, "1: lea adjacent_begin(%rip), %rdi\n mov $39, %eax\n lea adjacent_begin(%rip), %rsi\n"
	       "syscall\n jmp 1b");

/* A jump from more than a short jump's reach away, into the middle of what could be moved. */
PATTERN(far_jump, "mov $39, %eax\n 1: mov %edx, %edx\n 2: syscall\n mov %rax, %rdx\n ret\n"
		  ".skip 30000, 0x90\n jmp 2b");
PATTERN(far_branch, "mov $39, %eax\n 1: mov %edx, %edx\n 2: syscall\n mov %rax, %rdx\n ret\n"
		    ".skip 30001, 0x90\n je 1b\n .skip 100, 0x90");
