/* SPDX-License-Identifier: MIT */
/*
 * Looks at a text 64 bytes at a time, in assembly, since that uses vector registers, which the code around it
 * must not: what is used is put back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ARCH_MARK_BYTES 64

/*
 * Finds the first of n blocks of 64 bytes at `p` (a multiple of 4) that holds a `svc #0`.
 *
 * Return: the block's number; n if there is none.
 */
size_t arch_find_calls(const uint8_t *p, size_t n);
