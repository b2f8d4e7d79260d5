/* SPDX-License-Identifier: MIT */
/*
 * Runs in the program's own task, so a damaged library can hurt that program only. Bounds come from the file's own tables
 * and are checked against each other as far as a look-up needs.
 */
#include "image.h"

#include "reloc.h"

#include <linux/elf.h>


static bool read_at(int fd, void *to, uint64_t n, uint64_t off)
{
	return arch_syscall6(ARCH_NR_pread64, fd, (long)to, (long)n, (long)off, 0, 0) == (long)n;
}

static bool starts(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return false;
	return true;
}

/* By its soname, the one thing that distributions do not rename. */
static enum tpi_role role_of(const char *soname)
{
	static const char others[][16] = { "ld-linux",	   "ld-musl",  "libc.musl", "libc.so\0", "libpthread.so",
					   "libasan.so.", "libtsan.so.", "liblsan.so.", "libclang_rt.", "librt.so.1" };

	if (tpi_streq(soname, "libc.so.6"))
		return TPI_ROLE_LIBC;
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (starts(soname, others[i]))
			return TPI_ROLE_CALLS;
	return TPI_ROLE_NONE;
}

static bool read_header(int fd, Elf64_Ehdr *eh)
{
	return read_at(fd, eh, sizeof(*eh), 0) && eh->e_ident[0] == 0x7f && eh->e_ident[1] == 'E' &&
	       eh->e_phentsize == sizeof(Elf64_Phdr) && eh->e_phnum <= 64;
}

uint64_t tpi_image_head(int fd, bool gap_ok)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	uint64_t head = 0;

	if (!read_header(fd, &eh))
		return 0;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (!read_at(fd, &ph, sizeof(ph), eh.e_phoff + i * sizeof(ph)))
			return 0;
		if (ph.p_type != PT_LOAD)
			continue;
		if (ph.p_flags & PF_W) {
			uint64_t data = ph.p_vaddr & ~(TP_PAGE_SIZE - 1);

			return head == data || (gap_ok && head < data) ? head : 0;
		}
		if (ph.p_vaddr != ph.p_offset || ph.p_filesz != ph.p_memsz || (ph.p_vaddr & ~(TP_PAGE_SIZE - 1)) != head)
			return 0;
		head = tpi_page_up(ph.p_vaddr + ph.p_memsz);
	}
	return 0;
}

static bool find_segments(int fd, uint64_t off, Elf64_Phdr *ret_text, Elf64_Phdr *ret_dynamic)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	bool text = false, dynamic = false;

	if (!read_header(fd, &eh))
		return false;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (!read_at(fd, &ph, sizeof(ph), eh.e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type == PT_LOAD && (ph.p_offset & ~(TP_PAGE_SIZE - 1)) == off && (ph.p_flags & PF_X)) {
			*ret_text = ph;
			text = true;
		} else if (ph.p_type == PT_DYNAMIC) {
			*ret_dynamic = ph;
			dynamic = true;
		}
	}
	return text && dynamic;
}

static void read_dynamic(int fd, const Elf64_Phdr *ph, struct tpi_image *im, uint64_t *ret_soname)
{
	Elf64_Dyn d;

	for (uint64_t at = 0; at + sizeof(d) <= ph->p_filesz; at += sizeof(d)) {
		if (!read_at(fd, &d, sizeof(d), ph->p_offset + at) || d.d_tag == DT_NULL)
			return;
		switch (d.d_tag) {
		case DT_SONAME: *ret_soname = d.d_un.d_val; break;
		case DT_SYMTAB: im->symtab = im->bias + d.d_un.d_ptr; break;
		case DT_STRTAB: im->strtab = im->bias + d.d_un.d_ptr; break;
		case DT_STRSZ: im->strsz = d.d_un.d_val; break;
		case DT_RELA: im->rela = im->bias + d.d_un.d_ptr; break;
		case DT_RELASZ: im->relasz = d.d_un.d_val; break;
		default: break;
		}
	}
}

bool tpi_image_read(int fd, uint64_t text, uint64_t off, struct tpi_image *ret)
{
	Elf64_Phdr tp = { 0 }, dp = { 0 };
	uint64_t soname = UINT64_MAX;

	*ret = (struct tpi_image){ 0 };
	if (!find_segments(fd, off, &tp, &dp))
		return false;
	ret->bias = text - (tp.p_vaddr & ~(TP_PAGE_SIZE - 1));
	ret->text_len = (tp.p_vaddr & (TP_PAGE_SIZE - 1)) + tp.p_filesz;
	read_dynamic(fd, &dp, ret, &soname);
	if (soname >= ret->strsz || !ret->strtab || ret->strtab >= text + ret->text_len)
		return true;
	ret->role = role_of((const char *)ret->strtab + soname);
	return true;
}

bool tpi_image_symbol(const struct tpi_image *im, const char *name, uint64_t *ret_value, uint64_t *ret_size,
		      uint32_t *ret_index)
{
	/* The symbol table has no length of its own; linkers put the string table right behind it. */
	uint64_t n = im->strtab > im->symtab ? (im->strtab - im->symtab) / sizeof(Elf64_Sym) : 0;
	const Elf64_Sym *s = (const Elf64_Sym *)im->symtab;

	for (uint64_t i = 1; im->symtab && i < n; i++) {
		if (!s[i].st_shndx || s[i].st_name >= im->strsz ||
		    !tpi_streq((const char *)im->strtab + s[i].st_name, name))
			continue;
		*ret_value = s[i].st_value;
		*ret_size = s[i].st_size;
		*ret_index = (uint32_t)i;
		return true;
	}
	return false;
}

uint64_t tpi_image_got_slot(const struct tpi_image *im, uint32_t index)
{
	const Elf64_Rela *r = (const Elf64_Rela *)im->rela;

	for (uint64_t i = 0; im->rela && i < im->relasz / sizeof(*r); i++)
		if (ELF64_R_SYM(r[i].r_info) == index && ELF64_R_TYPE(r[i].r_info) == ARCH_R_GLOB_DAT)
			return r[i].r_offset;
	return 0;
}
