/* SPDX-License-Identifier: MIT */
/*
 * From an ELF file to a plan: the header, the table of program headers, and what concerns the file
 * as a whole. Its segments are plan-segments.c, its notes and dynamic section plan-hints.c.
 *
 * libelf decodes the header and the table. It is given a copy of just these two, put next to each
 * other and without a section table: the work and the memory are then bounded by the number of
 * program headers, whatever the rest of the file says.
 *
 * Source for what the kernel accepts: Linux, fs/binfmt_elf.c.
 */
#include "plan.h"

#include <errno.h>
#include <libelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "elfarch.h"
#include "plan-parts.h"

enum {
	TABLE_MAX = 64 << 10,  /* bytes of program headers; the kernel's limit, too */
	TABLE_USUAL = 16,      /* headers that need no malloc */
};

static void init_libelf(void)
{
	elf_version(EV_CURRENT);
}

/* "truncated" and "reading failed" are two things to the user. */
static int refuse_read(struct tpi_reader *r, int error, const char *what)
{
	if (error == -ERANGE)
		return TPI_REFUSE(r, ENOEXEC, "the file ends inside its %s (truncated? copy it again)",
			what);
	return TPI_REFUSE(r, error, "its %s cannot be read: %s", what, tp_errno_words(error));
}

static int check_magic(struct tpi_reader *r)
{
	const struct tp_elf *elf = r->elf;

	if (elf->size == 0)
		return TPI_REFUSE(r, ENOEXEC, "the file is empty");
	if (elf->nhead < SELFMAG || memcmp(elf->head, ELFMAG, SELFMAG) != 0)
		return TPI_REFUSE(r, ENOEXEC, "it is not an ELF executable");
	if (elf->nhead < EI_NIDENT)
		return refuse_read(r, -ERANGE, "ELF header");
	return 0;
}

static int check_ident(struct tpi_reader *r)
{
	const unsigned char *ident = r->elf->head;

	if (ident[EI_CLASS] == ELFCLASS32)
		return TPI_REFUSE(r, ENOEXEC, "it is a 32-bit program (only 64-bit "
			ARCH_ELF_MACHINE_NAME " ones can join a group)");
	if (ident[EI_CLASS] != ELFCLASS64)
		return TPI_REFUSE(r, ENOEXEC, "its ELF class %u is unknown", ident[EI_CLASS]);
	if (ident[EI_DATA] == ELFDATA2MSB)
		return TPI_REFUSE(r, ENOEXEC, "it is a big-endian program (only "
			ARCH_ELF_MACHINE_NAME " ones can join a group)");
	if (ident[EI_DATA] != ELFDATA2LSB)
		return TPI_REFUSE(r, ENOEXEC, "its ELF byte order %u is unknown", ident[EI_DATA]);
	if (ident[EI_VERSION] != EV_CURRENT)
		return TPI_REFUSE(r, ENOEXEC, "its ELF version %u is unknown", ident[EI_VERSION]);
	return 0;
}

static int check_type(struct tpi_reader *r)
{
	switch (r->ehdr.e_type) {
	case ET_DYN:
		r->plan->kind = TP_PLAN_DYN;
		return 0;
	case ET_EXEC:
		r->plan->kind = TP_PLAN_EXEC;
		return 0;
	case ET_REL:
		return TPI_REFUSE(r, ENOEXEC, "it is an object file (link it first)");
	case ET_CORE:
		return TPI_REFUSE(r, ENOEXEC, "it is a core dump");
	}
	return TPI_REFUSE(r, ENOEXEC, "its ELF type %u is unknown", r->ehdr.e_type);
}

static int check_header(struct tpi_reader *r)
{
	const Elf64_Ehdr *e = &r->ehdr;

	if (e->e_machine != ARCH_ELF_MACHINE)
		return TPI_REFUSE(r, ENOEXEC, "it is for another processor (ELF machine %u; this one "
			"is " ARCH_ELF_MACHINE_NAME ")", e->e_machine);
	if (e->e_phnum == 0)
		return TPI_REFUSE(r, ENOEXEC, "it has no program headers");
	if (e->e_phentsize != sizeof(Elf64_Phdr))
		return TPI_REFUSE(r, ENOEXEC, "its program headers are %u bytes long instead of %zu",
			e->e_phentsize, sizeof(Elf64_Phdr));
	if (e->e_phnum * sizeof(Elf64_Phdr) > TABLE_MAX)
		return TPI_REFUSE(r, ENOEXEC, "it has %u program headers (at most %zu are possible)",
			e->e_phnum, TABLE_MAX / sizeof(Elf64_Phdr));
	return 0;
}

static int read_header(struct tpi_reader *r)
{
	int ret;

	ret = check_magic(r);
	if (ret == 0)
		ret = check_ident(r);
	if (ret < 0)
		return ret;
	ret = tp_elf_read(r->elf, 0, &r->ehdr, sizeof(r->ehdr));
	if (ret < 0)
		return refuse_read(r, ret, "ELF header");
	ret = check_type(r);
	return ret < 0 ? ret : check_header(r);
}

/* The stack that PT_GNU_STACK asks for. Without one the kernel gives a 64-bit program a stack that
 * is not executable (since 5.8; a test compares). */
static void read_stack_flags(struct tpi_reader *r)
{
	for (uint32_t i = 0; i < r->plan->phnum; i++)
		if (r->phdr[i].p_type == PT_GNU_STACK)
			r->plan->stack_exec = (r->phdr[i].p_flags & PF_X) != 0;
}

static const Elf64_Phdr *find_interp(const struct tpi_reader *r)
{
	for (uint32_t i = 0; i < r->plan->phnum; i++)
		if (r->phdr[i].p_type == PT_INTERP)
			return &r->phdr[i];
	return NULL;
}

static int read_interp(struct tpi_reader *r)
{
	const Elf64_Phdr *ph = find_interp(r);
	char *path = r->plan->interp;
	int ret;

	if (!ph)
		return 0;
	if (ph->p_filesz < 2)
		return TPI_REFUSE(r, ENOEXEC, "the name of its interpreter is empty");
	if (ph->p_filesz > PATH_MAX)
		return TPI_REFUSE(r, ENOEXEC, "the name of its interpreter is too long");
	ret = tp_elf_read(r->elf, ph->p_offset, path, ph->p_filesz);
	if (ret < 0)
		return refuse_read(r, ret, "interpreter's name");
	if (path[ph->p_filesz - 1] != '\0')
		return TPI_REFUSE(r, ENOEXEC, "the name of its interpreter is not terminated");
	if (path[0] == '\0')
		return TPI_REFUSE(r, ENOEXEC, "the name of its interpreter is empty");
	r->plan->has_interp = true;
	return 0;
}

static bool inside(uint64_t at, uint64_t start, uint64_t len)
{
	return at >= start && at - start < len;
}

static int check_entry(struct tpi_reader *r)
{
	const Elf64_Phdr *ph = r->phdr;
	uint64_t entry = r->ehdr.e_entry;

	r->plan->entry = entry;
	for (uint32_t i = 0; i < r->plan->phnum; i++)
		if (ph[i].p_type == PT_LOAD && (ph[i].p_flags & PF_X)
				&& inside(entry, ph[i].p_vaddr, ph[i].p_memsz))
			return 0;
	if (entry == 0)
		return TPI_REFUSE(r, ENOEXEC, "it has no entry point (a shared library is not a program)");
	return TPI_REFUSE(r, ENOEXEC, "its entry point %#lx is outside its executable segments", entry);
}

/*
 * Where the program finds its own program headers: in the last segment whose file range holds
 * them, as the kernel does; where there is none, PT_PHDR is believed if its address is mapped.
 */
static uint64_t phdr_address(const struct tpi_reader *r)
{
	const Elf64_Phdr *ph = r->phdr;
	uint64_t off = r->ehdr.e_phoff, said = 0, at = 0;
	uint32_t n = r->plan->phnum;

	for (uint32_t i = 0; i < n; i++) {
		if (ph[i].p_type == PT_LOAD && inside(off, ph[i].p_offset, ph[i].p_filesz))
			at = off - ph[i].p_offset + ph[i].p_vaddr;
		if (ph[i].p_type == PT_PHDR)
			said = ph[i].p_vaddr;
	}
	if (at)
		return at;
	for (uint32_t i = 0; i < n; i++)
		if (ph[i].p_type == PT_LOAD && inside(said, ph[i].p_vaddr, ph[i].p_memsz))
			return said;
	return 0;
}

static int plan_parts(struct tpi_reader *r)
{
	int ret;

	r->plan->phnum = r->ehdr.e_phnum;
	r->plan->phent = sizeof(Elf64_Phdr);
	ret = tpi_plan_segments(r);
	if (ret == 0)
		ret = check_entry(r);
	if (ret == 0)
		ret = read_interp(r);
	if (ret < 0)
		return ret;
	read_stack_flags(r);
	r->plan->phdr = phdr_address(r);
	tpi_plan_hints(r);
	return 0;
}

/* libelf's turn: image is an ELF header with its table directly behind. */
static int decode(struct tpi_reader *r, unsigned char *image, size_t len)
{
	Elf64_Ehdr *ehdr;
	Elf *elf;
	int ret;

	elf = elf_memory((char *)image, len);
	if (!elf)
		return TPI_REFUSE(r, ENOMEM, "its headers cannot be decoded: %s", elf_errmsg(-1));
	ehdr = elf64_getehdr(elf);
	r->phdr = elf64_getphdr(elf);
	if (!ehdr || !r->phdr)
		ret = TPI_REFUSE(r, ENOEXEC, "its headers cannot be decoded: %s", elf_errmsg(-1));
	else
		ret = plan_parts(r);
	elf_end(elf);
	return ret;
}

static int read_table(struct tpi_reader *r, unsigned char *image)
{
	size_t len = r->ehdr.e_phnum * sizeof(Elf64_Phdr);
	Elf64_Ehdr alone = r->ehdr;
	int ret;

	ret = tp_elf_read(r->elf, r->ehdr.e_phoff, image + sizeof(alone), len);
	if (ret < 0)
		return refuse_read(r, ret, "program headers");
	alone.e_phoff = sizeof(alone);
	alone.e_shoff = 0;
	alone.e_shnum = 0;
	alone.e_shstrndx = SHN_UNDEF;
	memcpy(image, &alone, sizeof(alone));
	return decode(r, image, sizeof(alone) + len);
}

static int read_file(struct tpi_reader *r)
{
	_Alignas(8) unsigned char usual[sizeof(Elf64_Ehdr) + TABLE_USUAL * sizeof(Elf64_Phdr)];
	unsigned char *image;
	int ret;

	if (r->ehdr.e_phnum <= TABLE_USUAL)
		return read_table(r, usual);
	image = malloc(sizeof(Elf64_Ehdr) + r->ehdr.e_phnum * sizeof(Elf64_Phdr));
	if (!image)
		return TPI_REFUSE(r, ENOMEM, "out of memory");
	ret = read_table(r, image);
	free(image);
	return ret;
}

int tp_plan_read(const struct tp_elf *elf, const char *name, struct tp_plan *ret_plan,
	struct tp_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct tpi_reader r = { .elf = elf, .name = name, .err = err, .plan = ret_plan };
	int ret;

	pthread_once(&once, init_libelf);
	memset(ret_plan, 0, offsetof(struct tp_plan, map));
	ret_plan->interp[0] = '\0';
	ret = read_header(&r);
	return ret < 0 ? ret : read_file(&r);
}

int tp_plan_read_interp(const struct tp_elf *elf, const char *name, struct tp_plan *ret_plan,
	struct tp_error *err)
{
	struct tpi_reader r = { .elf = elf, .name = name, .err = err, .plan = ret_plan };
	int ret;

	ret = tp_plan_read(elf, name, ret_plan, err);
	if (ret < 0)
		return ret;
	if (ret_plan->has_interp)
		return TPI_REFUSE(&r, ENOEXEC, "as an interpreter, it needs one itself (%.64s)",
			ret_plan->interp);
	if (ret_plan->kind != TP_PLAN_DYN)
		return TPI_REFUSE(&r, ENOEXEC, "as an interpreter, it is not position independent");
	return 0;
}

void tp_plan_copy(const struct tp_plan *plan, struct tp_plan *ret_plan)
{
	memcpy(ret_plan, plan, offsetof(struct tp_plan, map) + plan->nmap * sizeof(plan->map[0]));
	strcpy(ret_plan->interp, plan->interp);
}
