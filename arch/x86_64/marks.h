/* SPDX-License-Identifier: MIT */
/*
 * Looks at a text 64 bytes at a time, in assembly, since that uses vector registers, which the code around it
 * must not: what is used is put back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ARCH_MARK_BYTES 64 /* bytes of text per mark, one bit each, the first one lowest */

/*
 * Marks the bytes of n * 64 at `p` at which a near call or jump may start: e8, e9, 0f 80 to 0f 8f. One byte more
 * must be readable.
 */
void arch_mark_jumps(const uint8_t *p, size_t n, uint64_t *out);

/*
 * Finds the first of n blocks of 64 bytes at `p` in which `0f 05` starts, and marks where; one byte more must be
 * readable.
 *
 * Return: the block's number; n if there is none, with *ret_calls untouched.
 */
size_t arch_find_calls(const uint8_t *p, size_t n, uint64_t *ret_calls);
