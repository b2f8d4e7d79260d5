/* SPDX-License-Identifier: MIT */
/*
 * The single-thread flag of a static glibc program without symbols. In __libc_early_init (2.36):
 *
 *	bf 03 00 00 00         mov $3,%edi                 RLIMIT_STACK
 *	48 89 e6               mov %rsp,%rsi
 *	88 1d rel32            mov %bl,flag(%rip)
 *	e8 rel32               call getrlimit
 *
 * and hundreds of `cmpb $0,flag(%rip)` elsewhere.
 */
#include <linux/errno.h>
#include <stdbool.h>

#include "earlyinit.h"
#include "words.h"

#define NEAR 24 /* bytes around the `mov $3,%edi` in which the store and the call are */
#define MIN_READERS 4

static uint64_t target_of(const uint8_t *text, uint64_t addr, size_t at, size_t tail)
{
	return addr + at + 4 + tail + (uint64_t)(int64_t)(int32_t)arch_half_at(text + at);
}

static bool has_call(const uint8_t *text, size_t from, size_t to)
{
	for (size_t at = from; at < to; at++) {
		if (text[at] == 0xe8)
			return true;
	}
	return false;
}

/* How many `cmpb $0,flag(%rip)` there are, at most `enough`. */
static unsigned readers(const uint8_t *text, size_t len, uint64_t addr, uint64_t flag, unsigned enough)
{
	uint32_t sum = (uint32_t)(flag - addr - 7); /* distance plus position: the rarest condition first */
	unsigned n = 0;

	for (size_t at = 0; at + 7 <= len && n < enough; at++) {
		if (arch_half_at(text + at + 2) + (uint32_t)at == sum && text[at] == 0x80 &&
		    text[at + 1] == 0x3d && text[at + 6] == 0)
			n++;
	}
	return n;
}

/* Stores of a byte register, relative to rip, in [from, to). */
static int store_near(const uint8_t *text, size_t len, uint64_t addr, size_t from, size_t to,
		      uint64_t *flag)
{
	for (size_t at = from; at + 6 <= to; at++) {
		uint64_t found;

		if (text[at] != 0x88 || (text[at + 1] & 0xc7) != 0x05)
			continue;
		found = target_of(text, addr, at + 2, 0);
		if (found == *flag || readers(text, len, addr, found, MIN_READERS) < MIN_READERS)
			continue;
		if (*flag != 0)
			return -EEXIST;
		*flag = found;
	}
	return 0;
}

int arch_static_flag_find(const uint8_t *text, size_t len, uint64_t addr, uint64_t *ret_flag)
{
	uint64_t flag = 0;

	for (size_t at = NEAR; at + 5 + NEAR <= len; at++) {
		int err;

		if (arch_half_at(text + at + 1) != 3 || text[at] != 0xbf ||
		    !has_call(text, at + 5, at + 5 + NEAR))
			continue;
		err = store_near(text, len, addr, at - NEAR, at + 5 + NEAR, &flag);
		if (err < 0)
			return err;
	}
	if (flag == 0)
		return -ENOENT;
	*ret_flag = flag;
	return 0;
}
