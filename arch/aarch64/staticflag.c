/* SPDX-License-Identifier: MIT */
/*
 * The single-thread flag of a static glibc program without symbols. In __libc_early_init (2.36):
 *
 *	adrp x2, page
 *	add  x1, sp, #0x28
 *	mov  w0, #3                      RLIMIT_STACK
 *	strb w20, [x2, #flag]
 *	bl   getrlimit
 *
 * Most readers come to it through the GOT, so nothing but this place tells which byte it is: the call must be one of
 * getrlimit, which is told by its system call.
 */
#include <linux/errno.h>

#include "codewalk.h"
#include "earlyinit.h"

#define MOV_W0_3 UINT32_C(0x52800060)
#define NEAR 8 /* instructions around the mov in which the store and the call are */
#define FUNCTION 24 /* instructions of getrlimit before its system call */
#define PRLIMIT64 261

/* The adrp that gives `reg` its value at `at`, in the straight code before it: its page. */
static bool page_of(struct arch_text t, uint64_t addr, size_t at, unsigned reg, uint64_t *ret_page)
{
	for (unsigned k = 0; k < 2 * NEAR && at >= ARCH_INSN_LEN; k++) {
		uint32_t w;

		at -= ARCH_INSN_LEN;
		w = arch_insn_at(t, at);
		if (!(arch_insn_writes(w) >> reg & 1))
			continue;
		*ret_page = arch_insn_page(w, addr + at);
		return arch_insn_is_adrp(w);
	}
	return false;
}

/* strb with an unsigned offset, of a register that may hold anything */
static bool is_byte_store(uint32_t w)
{
	return (w & 0xffc00000) == 0x39000000 && arch_insn_rd(w) != 31;
}

/* The address that a byte is stored at. */
static bool stored_at(struct arch_text t, uint64_t addr, size_t at, uint64_t *ret)
{
	uint32_t w = arch_insn_at(t, at);
	uint64_t page;

	if (!page_of(t, addr, at, arch_insn_rn(w), &page))
		return false;
	*ret = page + (w >> 10 & 0xfff);
	return true;
}

/* Does the function at `at` soon make the system call that asks for limits? */
static bool is_getrlimit(struct arch_text t, size_t at)
{
	for (unsigned k = 0; k < FUNCTION && at + ARCH_INSN_LEN <= t.len; k++, at += ARCH_INSN_LEN) {
		if (arch_insn_at(t, at) == ARCH_INSN_SVC)
			return arch_walk_x8(t, at) == PRLIMIT64;
	}
	return false;
}

static bool calls_getrlimit(struct arch_text t, size_t at)
{
	int64_t distance;

	return arch_insn_target(arch_insn_at(t, at), &distance) && at + (size_t)distance < t.len &&
	       is_getrlimit(t, at + (size_t)distance);
}

/* add x1, sp, #n: where the limit is to be put */
static bool is_add_x1_sp(uint32_t w)
{
	return (w & 0xffc003ff) == 0x910003e1;
}

/* A call behind the mov at `at`, and an address on the stack for it before or behind. */
static bool asks_for_limit(struct arch_text t, size_t at)
{
	size_t k = at > NEAR * ARCH_INSN_LEN ? at - NEAR * ARCH_INSN_LEN : 0;
	bool address = false;

	for (; k <= at + NEAR * ARCH_INSN_LEN && k + ARCH_INSN_LEN <= t.len; k += ARCH_INSN_LEN) {
		uint32_t w = arch_insn_at(t, k);

		address = address || is_add_x1_sp(w);
		if (k > at && arch_insn_flow(w) == ARCH_FLOW_CALL)
			return address && calls_getrlimit(t, k);
	}
	return false;
}

/* Stores of a byte register around `at`. */
static int store_near(struct arch_text t, uint64_t addr, size_t at, uint64_t *flag)
{
	size_t from = at > NEAR * ARCH_INSN_LEN ? at - NEAR * ARCH_INSN_LEN : 0;

	for (size_t k = from; k <= at + NEAR * ARCH_INSN_LEN && k + ARCH_INSN_LEN <= t.len; k += ARCH_INSN_LEN) {
		uint32_t w = arch_insn_at(t, k);
		uint64_t found;

		if (!is_byte_store(w) || !stored_at(t, addr, k, &found) || found == *flag)
			continue;
		if (*flag != 0)
			return -EEXIST;
		*flag = found;
	}
	return 0;
}

int arch_static_flag_find(const uint8_t *text, size_t len, uint64_t addr, uint64_t *ret_flag)
{
	struct arch_text t = { text, len };
	uint64_t flag = 0;

	for (size_t at = 0; at + ARCH_INSN_LEN <= len; at += ARCH_INSN_LEN) {
		int err;

		if (arch_insn_at(t, at) != MOV_W0_3 || !asks_for_limit(t, at))
			continue;
		err = store_near(t, addr, at, &flag);
		if (err < 0)
			return err;
	}
	if (flag == 0)
		return -ENOENT;
	*ret_flag = flag;
	return 0;
}
