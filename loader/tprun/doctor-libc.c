/* SPDX-License-Identifier: MIT */
/*
 * Checks of the C libraries of this machine: whether the shortcut that glibc takes in processes
 * that look single-threaded can be kept off in this build of it.
 *
 * The stores are looked for as the host does when it loads that libc: in __libc_early_init.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "earlyinit.h"
#include "elfarch.h"
#include "error.h"
#include "tprun/doctor.h"

#define EARLY_INIT_MAX 4096

/* What is needed of one libc; addresses are the file's own. */
struct libc_file {
	uint64_t early_init, early_init_size, flag, got_slot;
	uint8_t text[EARLY_INIT_MAX];
	size_t len;
};

static void look_at_symbol(struct libc_file *l, const char *name, const GElf_Sym *sym)
{
	if (!strcmp(name, "__libc_early_init")) {
		l->early_init = sym->st_value;
		l->early_init_size = sym->st_size;
	} else if (!strcmp(name, "__libc_single_threaded")) {
		l->flag = sym->st_value;
	}
}

/* Returns the index of the flag's symbol, or -1. */
static long read_symbols(struct libc_file *l, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	long flag = -1;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (!name)
			continue;
		look_at_symbol(l, name, &sym);
		if (!strcmp(name, "__libc_single_threaded"))
			flag = i;
	}
	return flag;
}

static void read_relocations(struct libc_file *l, Elf_Scn *scn, long flag)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if ((long)GELF_R_SYM(rela.r_info) == flag)
			l->got_slot = rela.r_offset;
}

static void read_sections(struct libc_file *l, Elf *elf)
{
	Elf_Scn *scn = NULL;
	long flag = -1;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM)
			flag = read_symbols(l, elf, scn, &sh);
	while (flag >= 0 && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
			read_relocations(l, scn, flag);
}

static void read_text(struct libc_file *l, Elf *elf, int fd)
{
	size_t n = 0;
	GElf_Phdr ph;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t in;
		ssize_t got;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		in = l->early_init - ph.p_vaddr;
		if (in >= ph.p_filesz)
			continue;
		l->len = l->early_init_size < EARLY_INIT_MAX ? l->early_init_size : EARLY_INIT_MAX;
		got = pread(fd, l->text, l->len, (off_t)(ph.p_offset + in));
		l->len = got > 0 ? (size_t)got : 0;
	}
}

static int read_libc(const char *path, struct libc_file *l)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		read_sections(l, elf);
		read_text(l, elf, fd);
		elf_end(elf);
	}
	close(fd);
	return elf ? 0 : -ENOEXEC;
}

static int patches_for(const struct libc_file *l)
{
	const struct arch_early_init in = {
		.text = l->text,
		.len = l->len,
		.addr = l->early_init,
		.flag = l->flag,
		.got_slot = l->got_slot,
	};
	struct arch_patch out[8];
	size_t stores = 0;

	return arch_early_init_patches(&in, out, 8, &stores);
}

/* NULL: none of these exists. */
static const char *first_of(const char *const *paths)
{
	for (; *paths; paths++)
		if (!access(*paths, R_OK))
			return *paths;
	return NULL;
}

static void judge_glibc(struct tp_finding *f, const char *path)
{
	struct libc_file l = {.len = 0};
	int n = read_libc(path, &l);

	if (!n && !l.early_init) {
		tp_found(f, "%s: older than 2.32", path);
		tp_limits(f, "default locks shared by pointer need its libpthread in every program",
			"");
		return;
	}
	if (!n)
		n = l.flag ? patches_for(&l) : -ENOENT;
	if (n > 0) {
		tp_found(f, "%s: its single-thread shortcut can be kept off", path);
		return;
	}
	tp_found(f, "%s: its single-thread shortcut is not known", path);
	tp_limits(f, "default locks shared by pointer between its programs can hang or crash",
		"use libtp's locks, and report this libc");
}

static void check_glibc(struct tp_finding *f)
{
	static const char *const paths[] = {
		"/lib/" ARCH_ELF_MACHINE_NAME "-linux-gnu/libc.so.6",
		"/lib64/libc.so.6",
		"/usr/lib/libc.so.6",
		NULL,
	};
	const char *path = first_of(paths);

	if (path)
		judge_glibc(f, path);
	else
		tp_found(f, "none where it usually is");
}

static void check_musl(struct tp_finding *f)
{
	static const char *const paths[] = {"/lib/ld-musl-" ARCH_ELF_MACHINE_NAME ".so.1", NULL};
	const char *path = first_of(paths);

	tp_found(f, "%s%s", path ? path : "none", path ? ": needs no change" : "");
}

const struct tp_check tp_checks_libc[] = {
	{"glibc", check_glibc},
	{"musl", check_musl},
	{.name = NULL},
};
