/* SPDX-License-Identifier: MIT */
/*
 * System-call sites: where the text of an interpreter, a libc or a static executable enters the
 * kernel, and which bytes around each entry can be replaced by a jump to a stub.
 *
 * Pure code: bytes in, decisions out. It is compiled into the freestanding host (no libc, no TLS,
 * general registers only) and into ordinary tests.
 *
 * What a stub for a site must do, in this order and with nothing of its own on the stack:
 *
 *	pre[0 .. pre_len)     the displaced instructions that precede the call, `mov $nr,%eax` included
 *	the replacement call  number in eax, arguments as the kernel takes them; it may change rax, rcx
 *	                      and r11, and the flags; 128 bytes below rsp belong to the program
 *	post[0 .. post_len)   the displaced instructions that follow the call
 *	jmp resume
 *
 * The number in eax at run time is the truth. `nr` is what the scan could prove, for reports and
 * for choosing a cheaper stub; a stub that dispatches on eax is right for every site.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* System-call numbers fit in this many bits of a wanted set. */
#define ARCH_NR_MAX 512

/* No number could be proved: libc's syscall(), Go's Syscall6, a number computed at run time. */
#define ARCH_NR_UNKNOWN (-1)

#define ARCH_SITE_BYTES 32

enum arch_site_kind {
	/* The range holds the `syscall` instruction: the stub's call stands for it. */
	ARCH_SITE_CALL = 1,
	/*
	 * The range ends right before the `syscall` instruction, which stays where it is; chosen
	 * wherever there is room. A stub that wants the kernel's own call goes back to `off + len`
	 * and lets that instruction do it: a debugger sees it in its function, unwinding from a
	 * cancelled call works, and glibc >= 2.41 and musl know an interrupted cancellation point
	 * by that very address. For a routed number the stub goes on at `resume`.
	 */
	ARCH_SITE_KEEP = 2,
	/*
	 * The call at cancellation points of glibc >= 2.41 and musl (bridge.h): the range is a `call`
	 * of the function around it and becomes a `call` of the stub. What is left to the kernel
	 * goes on in the stub behind the first byte of post, what is done returns with it.
	 */
	ARCH_SITE_BRIDGE = 4,
	/* A wanted call that cannot be displaced: len is 0, off is the `syscall` itself. */
	ARCH_SITE_STUCK = 3,
};

struct arch_site {
	uint64_t off;     /* first replaced byte, from the start of the scanned text */
	uint64_t call;    /* the `syscall` instruction, from the start of the scanned text */
	uint64_t resume;  /* where the stub ends up: off + len, call + 2 (KEEP), or a function (BRIDGE) */
	int32_t nr;       /* proved number, or ARCH_NR_UNKNOWN */
	uint32_t targets; /* private to the scan: branch targets around the call */
	uint8_t kind;     /* enum arch_site_kind */
	uint8_t len;      /* replaced bytes: a 5-byte jmp rel32, the rest nops */
	uint8_t pre_len;
	uint8_t post_len;
	uint8_t pre[ARCH_SITE_BYTES];
	uint8_t post[ARCH_SITE_BYTES];
};

struct arch_scan_opts {
	uint64_t wanted[ARCH_NR_MAX / 64]; /* numbers to find, one bit each */
	bool want_generic;                 /* also sites whose number is unknown */
};

struct arch_scan_result {
	size_t calls; /* `syscall` instructions seen, wanted or not (those cheap to dismiss too) */
	size_t stuck; /* sites of kind ARCH_SITE_STUCK, and all those past `max` */
};

static inline void arch_scan_want(struct arch_scan_opts *o, unsigned nr)
{
	if (nr < ARCH_NR_MAX)
		o->wanted[nr / 64] |= UINT64_C(1) << (nr % 64);
}

static inline bool arch_scan_wants(const struct arch_scan_opts *o, unsigned nr)
{
	return nr < ARCH_NR_MAX && (o->wanted[nr / 64] >> (nr % 64) & 1) != 0;
}

/*
 * Every number of the routed-call table that this CPU has, and the generic sites.
 */
void arch_scan_want_routed(struct arch_scan_opts *o);

/*
 * Finds the wanted system-call sites in `len` bytes of code at `text`, in ascending order of the calls.
 *
 * @out, @max: filled with the first `max` sites; stuck ones are listed too.
 * @ret: may be NULL.
 *
 * Context: pure; no allocation, no lock; under 1.5 KiB of stack in all.
 * Return: the number of wanted sites, which may exceed `max`.
 */
size_t arch_sites_scan(const uint8_t *text, size_t len, const struct arch_scan_opts *o,
		       struct arch_site *out, size_t max, struct arch_scan_result *ret);
