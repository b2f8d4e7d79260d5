/* SPDX-License-Identifier: MIT */
/* Just enough of an ELF reader for tests of code scans on the machine's own libraries. */
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reloc.h"

struct elf_file {
	const uint8_t *p;
	size_t size;
};

static inline bool elf_open(const char *path, struct elf_file *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(Elf64_Ehdr))
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return false;
	ret->p = p;
	ret->size = (size_t)st.st_size;
	return true;
}

/* The executable segment. */
static inline const Elf64_Phdr *elf_text(const struct elf_file *f)
{
	const Elf64_Ehdr *e = (const void *)f->p;
	const Elf64_Phdr *ph = (const void *)(f->p + e->e_phoff);

	for (unsigned k = 0; k < e->e_phnum; k++) {
		if (ph[k].p_type == PT_LOAD && ph[k].p_flags & PF_X)
			return &ph[k];
	}
	return NULL;
}

static inline const Elf64_Shdr *elf_section(const struct elf_file *f, unsigned type)
{
	const Elf64_Ehdr *e = (const void *)f->p;
	const Elf64_Shdr *sh = (const void *)(f->p + e->e_shoff);

	for (unsigned k = 0; k < e->e_shnum; k++) {
		if (sh[k].sh_type == type)
			return &sh[k];
	}
	return NULL;
}

static inline const char *elf_strings(const struct elf_file *f, const Elf64_Shdr *symbols)
{
	const Elf64_Ehdr *e = (const void *)f->p;
	const Elf64_Shdr *sh = (const void *)(f->p + e->e_shoff);

	return (const char *)f->p + sh[symbols->sh_link].sh_offset;
}

static inline const Elf64_Sym *elf_symbol(const struct elf_file *f, const char *name)
{
	const Elf64_Shdr *sh = elf_section(f, SHT_DYNSYM);
	const Elf64_Sym *sym = sh ? (const void *)(f->p + sh->sh_offset) : NULL;

	for (size_t k = 0; sh && k < sh->sh_size / sizeof(*sym); k++) {
		if (strcmp(elf_strings(f, sh) + sym[k].st_name, name) == 0)
			return &sym[k];
	}
	return NULL;
}

/* The GOT slot that the dynamic linker fills with a symbol's address. */
static inline uint64_t elf_got_slot(const struct elf_file *f, const char *name)
{
	const Elf64_Shdr *symbols = elf_section(f, SHT_DYNSYM);
	const Elf64_Shdr *sh = elf_section(f, SHT_RELA);
	const Elf64_Rela *r = sh ? (const void *)(f->p + sh->sh_offset) : NULL;
	const Elf64_Sym *sym = symbols ? (const void *)(f->p + symbols->sh_offset) : NULL;

	for (size_t k = 0; sh && symbols && k < sh->sh_size / sizeof(*r); k++) {
		if (ELF64_R_TYPE(r[k].r_info) == ARCH_R_GLOB_DAT &&
		    strcmp(elf_strings(f, symbols) + sym[ELF64_R_SYM(r[k].r_info)].st_name, name) == 0)
			return r[k].r_offset;
	}
	return 0;
}
