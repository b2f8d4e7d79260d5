/* SPDX-License-Identifier: MIT */
/* Stubs: the small pieces of code that a rewritten system-call site jumps to. */
#pragma once

#include <stdint.h>

#include "sites.h"

/* Upper bound of one stub's bytes. */
#define ARCH_STUB_MAX 112

/* How far a stub may lie from its site, in bytes: what a jump of 32 bits reaches, less what a stub and its own jumps take. */
#define ARCH_STUB_REACH UINT64_C(0x7fff0000)

/*
 * Writes the stub of a site.
 *
 * @buf:   where the stub's bytes go, at least ARCH_STUB_MAX
 * @at:    the address they will run at
 * @text:  the address of the text that was scanned
 * @control: address of the program's control block; 0: it is at the base of the unit that the stub runs in
 * @entry: arch_route_enter
 *
 * Return: bytes written, or 0 if the site is out of a jump's reach.
 */
uint64_t arch_stub_write(uint8_t *buf, uint64_t at, const struct arch_site *site, uint64_t text,
			 uint64_t control, uint64_t entry);

/* Writes the jump over the site itself: site->len bytes at `site_bytes`, which run at text + site->off. */
void arch_site_redirect(uint8_t *site_bytes, const struct arch_site *site, uint64_t text, uint64_t stub);
