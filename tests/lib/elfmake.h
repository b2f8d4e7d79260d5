/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_ELFMAKE_H
#define TP_TESTS_ELFMAKE_H

/*
 * Builds ELF files, sound and broken, from a short description: a test says what is wrong with its
 * file and no binary is kept in the tree.
 */

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

enum { ELFMAKE_PARTS = 80 };

/* One program header, and the bytes that it points at. */
struct elfmake_part {
	Elf64_Phdr ph;
	const void *data; /* copied to ph.p_offset; NULL: the file has a pattern there */
	size_t len;       /* of data */
};

struct elfmake {
	Elf64_Ehdr eh;    /* written as it is; e_phnum 0 becomes the number of parts */
	uint64_t size;    /* of the file; 0: up to the end of the last part */
	unsigned nparts;
	struct elfmake_part part[ELFMAKE_PARTS];
};

/* Addresses and offsets of elfmake_init's file. */
#define ELFMAKE_TEXT  0x1000 /* the entry point, too */
#define ELFMAKE_DATA  0x2000
#define ELFMAKE_FIXED 0x400000 /* added to addresses when type is ET_EXEC */

/*
 * elfmake_init - a sound little static program of type ET_DYN or ET_EXEC that waits for a signal:
 * part 0 is headers and text, part 1 data with some bss in the same page, part 2 PT_GNU_STACK.
 */
void elfmake_init(struct elfmake *make, unsigned type);

/* elfmake_add - append a program header; returns its part, for changes. */
struct elfmake_part *elfmake_add(struct elfmake *make, uint32_t type, uint32_t flags, uint64_t off,
				 uint64_t vaddr, uint64_t filesz, uint64_t memsz);

/* elfmake_add_data - append one of type whose bytes are data, at a file offset that no other part
 * uses and (unless it is 0) at the address of the text part that corresponds to it. */
struct elfmake_part *elfmake_add_data(struct elfmake *make, uint32_t type, const void *data,
				      size_t len);

/* elfmake_build - the file's bytes, malloced. Those that no part fills hold a pattern. */
unsigned char *elfmake_build(const struct elfmake *make, size_t *ret_len);

/* elfmake_write - write it to an executable file. Returns 0 or -errno. */
int elfmake_write(const struct elfmake *make, const char *path);

#endif
