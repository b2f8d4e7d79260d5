/* SPDX-License-Identifier: MIT */
/* Looking things up in a shared library while its loader maps it. */
#pragma once

#include "host.h"

enum tpi_role {
	TPI_ROLE_NONE = 0, /* nothing in it is rewritten */
	TPI_ROLE_LIBC,	   /* glibc's libc.so.6 */
	TPI_ROLE_CALLS,	   /* only its system calls: ld.so, musl, libpthread, sanitizer run-times */
	TPI_ROLE_STATIC,   /* a static executable, which may hold a glibc */
	TPI_ROLE_LOADED,   /* a library that its loader just mapped: its soname will tell */
};

struct tpi_image {
	uint64_t bias;
	uint64_t text_len; /* bytes of the text's segment from its first page on, as far as the file has them */
	enum tpi_role role;
	uint64_t symtab, strtab, strsz, rela, relasz; /* addresses, biased */
};

/*
 * The library whose text was just mapped at `text` from file offset `off`. Reads headers from fd, tables from memory (the
 * loader maps them before the text, or with it).
 */
bool tpi_image_read(int fd, uint64_t text, uint64_t off, struct tpi_image *ret);

/*
 * How many bytes from the load address on are read-only and lie there as they lie in the file: the segments before the first
 * writable one. 0: they do not, or a gap follows them: where ld.so finds one, it first makes all behind the first segment
 * inaccessible. For an image that ld.so does not map itself gap_ok is true.
 */
uint64_t tpi_image_head(int fd, bool gap_ok);

/* Value of a defined dynamic symbol (unbiased) and its index, or false. */
bool tpi_image_symbol(const struct tpi_image *im, const char *name, uint64_t *ret_value, uint64_t *ret_size,
		      uint32_t *ret_index);

/* Address (unbiased) of the GOT slot that a GLOB_DAT relocation fills with symbol `index`; 0: none. */
uint64_t tpi_image_got_slot(const struct tpi_image *im, uint32_t index);
