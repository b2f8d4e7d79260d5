/* SPDX-License-Identifier: MIT */
/*
 * The byte stores that switch glibc to its single-threaded shortcut, and how to neutralise them.
 *
 * glibc (2.32 and later) leaves atomic instructions out of mutexes, condition variables and reference
 * counts while `__libc_single_threaded` is 1. In a group a process looks single-threaded and is not,
 * so the flag must stay 0 in every glibc. Pure code: bytes in, patches out; no libc, no allocation.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ARCH_PATCH_MAX 4

struct arch_patch {
	uint64_t off; /* from the start of the given text */
	uint8_t len;
	uint8_t bytes[ARCH_PATCH_MAX];
};

/* All addresses are the ELF file's own, that is, relative to the load base. */
struct arch_early_init {
	const uint8_t *text; /* __libc_early_init alone, or any larger part of the text */
	size_t len;
	uint64_t addr;       /* address of text[0] */
	uint64_t flag;       /* __libc_single_threaded: the libc's own copy */
	uint64_t got_slot;   /* GOT slot with R_AARCH64_GLOB_DAT of that symbol, 0 = none */
};

/*
 * Finds the stores to the flag that may set it, directly or through the GOT slot (which leads to the
 * executable's copy where there is one), and the patches that take their effect away: the stored register
 * becomes the zero register. Stores of that one stay.
 *
 * The flag then keeps its initial value: 0 in a shared libc, 1 in a static executable, whose byte of
 * .data the caller has to clear as well.
 *
 * @ret_stores: how many such stores were seen; more than patches if one has an unknown form.
 *              Set on -EOPNOTSUPP, too. May be NULL.
 *
 * Return: the number of patches in `out`; -ENOENT: no store was found; -EOPNOTSUPP: a store has a form
 * that cannot be neutralised; -ENOSPC: there are more than `max`.
 */
int arch_early_init_patches(const struct arch_early_init *in, struct arch_patch *out, size_t max,
			    size_t *ret_stores);

/*
 * Finds the flag of a static executable that has no symbol table: its early initialisation stores a
 * byte register right before it asks for the stack limit (resource 3).
 *
 * Return: 0; -ENOENT: nothing looks like it (the C library is another one, or too old to have it);
 * -EEXIST: several bytes look like it.
 */
int arch_static_flag_find(const uint8_t *text, size_t len, uint64_t addr, uint64_t *ret_flag);
