/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_STACK_H
#define TP_LOADER_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tp/abi/layout.h" /* TP_AT_TP */

/*
 * The bytes that a program finds on its stack when it starts, in the layout of the kernel's execve:
 *
 *	sp -> argc | argv… NULL | envp… NULL | auxv… AT_NULL | random bytes, platform |
 *	      argument strings | environment strings | execfn | 8 zero bytes | <- top
 */

/* The values that are the program's own. All the others (HWCAP, PAGESZ, CLKTCK, UID, …, PLATFORM,
 * MINSIGSTKSZ, RSEQ_*) are those that the kernel gave to the calling process. */
struct tp_stack_aux {
	uint64_t sysinfo_ehdr; /* vDSO in the ADDRESS SPACE OF THE PROGRAM; 0: no such entry */
	uint64_t phdr;         /* with the bias added */
	uint64_t phnum, phent;
	uint64_t base;         /* bias of the interpreter; 0 if there is none */
	uint64_t entry;        /* of the program, not of the interpreter; with the bias added */
	uint64_t group;        /* TP_AT_TP; 0: no such entry */
};

struct tp_stack_spec {
	const char *const *argv; /* NULL-terminated; NULL or empty: one empty string, as execve */
	const char *const *envp; /* NULL-terminated; NULL: empty */
	const char *execfn;      /* AT_EXECFN */
	uint64_t top;            /* address of the first byte above; a multiple of 16 */
	uint64_t stack_limit;    /* the program's RLIMIT_STACK, soft, in bytes; RLIM_INFINITY: none */
	struct tp_stack_aux aux;
};

struct tp_stack {
	unsigned char *bytes; /* malloced: the memory from sp to top */
	size_t len;           /* top - sp */
	uint64_t sp;          /* a multiple of 16 */
};

/*
 * tp_stack_build - make the image.
 * @name: how to call the program in a message
 * Context: thread-safe; allocates; reads 16 bytes from getrandom.
 * Returns 0; -E2BIG: arguments and environment are larger than execve would take for this
 * stack_limit, or one string is (126); -ENOMEM (125).
 */
int tp_stack_build(const struct tp_stack_spec *spec, const char *name, struct tp_stack *ret_stack,
		   struct tp_error *err);

/* tp_stack_fini - release the bytes and zero the struct; harmless on a zeroed one. */
void tp_stack_fini(struct tp_stack *stack);

#endif
