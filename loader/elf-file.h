/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_ELF_FILE_H
#define TP_LOADER_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The bytes of one ELF file, read safely.
 *
 * The file is never mapped: it is read with pread, so that one that shrinks under us gives a short
 * read and not a SIGBUS. Every offset that a file names passes through tp_elf_has, the only place
 * that compares offsets with the file's size. Nothing but the headers and the few ranges asked for
 * are read, however large the file is.
 */

enum { TP_ELF_HEAD = 4096 };

struct tp_elf {
	int fd;                    /* borrowed; -1 when the bytes are in memory */
	const unsigned char *mem;  /* borrowed; NULL when they are in fd */
	uint64_t size;             /* of the file, when it was opened */
	uint32_t nhead;
	unsigned char head[TP_ELF_HEAD]; /* the first bytes, which nearly always hold all we need */
};

/*
 * tp_elf_open_fd - look at a regular file; fd stays the caller's and must outlive the tp_elf.
 * Returns 0 or a negative errno (of fstat or pread).
 * There is nothing to release.
 */
int tp_elf_open_fd(int fd, struct tp_elf *ret_elf);

/* tp_elf_open_memory - the same over a copy in memory, which must outlive the tp_elf. */
int tp_elf_open_memory(const void *bytes, size_t size, struct tp_elf *ret_elf);

/* tp_elf_has - whether the len bytes at off lie inside the file; no sum can overflow. */
bool tp_elf_has(const struct tp_elf *elf, uint64_t off, uint64_t len);

/*
 * tp_elf_read - copy the len bytes at offset off into buf.
 * Returns 0; -ERANGE: the range does not lie inside the file (also when the file has shrunk since
 * it was opened); another negative errno: reading failed.
 */
int tp_elf_read(const struct tp_elf *elf, uint64_t off, void *buf, size_t len);

#endif
