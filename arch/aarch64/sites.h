/* SPDX-License-Identifier: MIT */
/*
 * System-call sites: where the text of an interpreter, a libc or a static executable enters the
 * kernel, and which instruction there is replaced by a branch to a stub.
 *
 * Pure code: bytes in, decisions out. It is compiled into the freestanding host (no libc, no TLS,
 * general registers only) and into ordinary tests.
 *
 * What a stub for a site must do:
 *
 *	pre                   the displaced instruction before the call, if there is one
 *	the replacement call  number in x8, arguments in x0 to x5; it may change x0 and nothing else, not even the flags:
 *	                      that is what `svc` does, and code around it counts on it
 *	b resume
 *
 * The number in x8 at run time is the truth. `nr` is what the scan could prove, for reports and
 * for choosing the kind of site; a stub that dispatches on x8 is right for every site.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* System-call numbers fit in this many bits of a wanted set. */
#define ARCH_NR_MAX 512

/* No number could be proved: libc's syscall(), Go's Syscall6, a number computed at run time. */
#define ARCH_NR_UNKNOWN (-1)

#define ARCH_SITE_BYTES 4

enum arch_site_kind {
	/* The `svc` itself is replaced: the stub's call stands for it. */
	ARCH_SITE_CALL = 1,
	/*
	 * The instruction before the `svc` is replaced, which stays where it is. Chosen for cancellation points, since there
	 * the unwinder must find its way from the interrupted call: what the stub leaves to the kernel goes back to the
	 * program's own `svc`. For a routed number the stub goes on at `resume`.
	 */
	ARCH_SITE_KEEP = 2,
	/* A wanted call that cannot be displaced: len is 0, off is the `svc` itself. */
	ARCH_SITE_STUCK = 3,
	/*
	 * The call at cancellation points of glibc >= 2.41 and musl (bridge.h): the `bl` of the function around it becomes a
	 * `bl` of the stub. What is left to the kernel goes on through the whole function, what is done returns.
	 */
	ARCH_SITE_BRIDGE = 4,
};

struct arch_site {
	uint64_t off;    /* the replaced instruction, from the start of the scanned text */
	uint64_t call;   /* the `svc`, from the start of the scanned text */
	uint64_t resume; /* where the stub ends up: call + 4, or a function (BRIDGE) */
	int32_t nr;      /* proved number, or ARCH_NR_UNKNOWN */
	uint32_t zero;
	uint8_t kind;    /* enum arch_site_kind */
	uint8_t len;     /* replaced bytes: 4 */
	uint8_t pre_len; /* 4 (KEEP) or 0 */
	uint8_t post_len; /* 0 */
	uint8_t pre[ARCH_SITE_BYTES];
};

struct arch_scan_opts {
	uint64_t wanted[ARCH_NR_MAX / 64]; /* numbers to find, one bit each */
	bool want_generic;                 /* also sites whose number is unknown */
};

struct arch_scan_result {
	size_t calls; /* `svc #0` instructions seen, wanted or not */
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
 * Finds the wanted system-call sites in `len` bytes of code at `text`, in ascending order of the calls. The text starts at a
 * multiple of 4.
 *
 * @out, @max: filled with the first `max` sites; stuck ones are listed too.
 * @ret: may be NULL.
 *
 * Context: pure; no allocation, no lock; under 1.5 KiB of stack in all.
 * Return: the number of wanted sites, which may exceed `max`.
 */
size_t arch_sites_scan(const uint8_t *text, size_t len, const struct arch_scan_opts *o,
		       struct arch_site *out, size_t max, struct arch_scan_result *ret);
