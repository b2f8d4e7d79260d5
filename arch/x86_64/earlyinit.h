/* SPDX-License-Identifier: MIT */
/*
 * The byte stores that switch glibc to its single-threaded shortcut, and how to neutralise them.
 *
 * glibc skips atomic instructions in mutexes, condition variables and reference counts while
 * `__libc_single_threaded` is 1. In a group the process looks single-threaded and is not, so the
 * flag must stay 0 in every glibc. Pure code: bytes in, patches out; no libc, no allocation.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arch_patch {
	uint64_t off; /* from the start of the given text */
	uint8_t len;
	uint8_t bytes[15];
};

/* All addresses are relative to the image's load base (the ELF's own addresses). */
struct arch_early_init {
	const uint8_t *text; /* the bytes to look at: __libc_early_init, or a whole text */
	size_t len;
	uint64_t addr;       /* address of text[0] */
	uint64_t flag;       /* __libc_single_threaded: the libc's own copy */
	uint64_t got_slot;   /* GOT slot with R_X86_64_GLOB_DAT of that symbol, 0 = none */
};

/*
 * Finds the stores of 1 to the flag and the patches that turn each into a store of 0.
 *
 * @ret_stores: number of stores of a non-zero value seen; equal to the number of patches unless
 *              one could not be neutralised. May be NULL.
 *
 * Return: the number of patches written to `out`; -ENOENT: no store to the flag was found;
 * -EOPNOTSUPP: a store was found that cannot be neutralised in place; -ENOSPC: `max` is too small.
 */
int arch_early_init_patches(const struct arch_early_init *in, struct arch_patch *out, size_t max,
			    size_t *ret_stores);
