/* SPDX-License-Identifier: MIT */
#include "elfmake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfarch.h"
#include "elfcode.h"

static const unsigned char code[] = ARCH_CODE_PAUSE;

static void init_header(Elf64_Ehdr *eh, unsigned type, uint64_t base)
{
	memset(eh, 0, sizeof(*eh));
	memcpy(eh->e_ident, ELFMAG, SELFMAG);
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_ident[EI_VERSION] = EV_CURRENT;
	eh->e_type = type;
	eh->e_machine = ARCH_ELF_MACHINE;
	eh->e_version = EV_CURRENT;
	eh->e_entry = base + ELFMAKE_TEXT;
	eh->e_phoff = sizeof(*eh);
	eh->e_ehsize = sizeof(*eh);
	eh->e_phentsize = sizeof(Elf64_Phdr);
}

void elfmake_init(struct elfmake *make, unsigned type)
{
	uint64_t base = type == ET_EXEC ? ELFMAKE_FIXED : 0;

	make->nparts = 0;
	make->size = 0;
	init_header(&make->eh, type, base);
	elfmake_add(make, PT_LOAD, PF_R | PF_X, 0, base, 0x1800, 0x1800);
	elfmake_add(make, PT_LOAD, PF_R | PF_W, 0x2000, base + ELFMAKE_DATA, 0x123, 0x800);
	elfmake_add(make, PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0)->ph.p_align = 16;
}

struct elfmake_part *elfmake_add(struct elfmake *make, uint32_t type, uint32_t flags, uint64_t off,
	uint64_t vaddr, uint64_t filesz, uint64_t memsz)
{
	struct elfmake_part *part = &make->part[make->nparts++];

	*part = (struct elfmake_part){ .ph = {
		.p_type = type, .p_flags = flags, .p_offset = off, .p_vaddr = vaddr,
		.p_paddr = vaddr, .p_filesz = filesz, .p_memsz = memsz, .p_align = 0x1000,
	} };
	return part;
}

/* Data goes behind the code, 256 bytes each, in the order in which it is added. */
struct elfmake_part *elfmake_add_data(struct elfmake *make, uint32_t type, const void *data,
	size_t len)
{
	uint64_t off = ELFMAKE_TEXT + 0x100 * make->nparts;
	struct elfmake_part *part;

	part = elfmake_add(make, type, PF_R, off, make->part[0].ph.p_vaddr + off, len, len);
	part->data = data;
	part->len = len;
	part->ph.p_align = 4;
	return part;
}

static uint64_t file_size(const struct elfmake *make)
{
	uint64_t size = make->eh.e_phoff + make->nparts * sizeof(Elf64_Phdr), end;

	if (make->size)
		return make->size;
	for (unsigned i = 0; i < make->nparts; i++) {
		end = make->part[i].ph.p_offset + make->part[i].ph.p_filesz;
		if (end > size)
			size = end;
	}
	return size;
}

/* As much of it as the file has room for: files that end early are wanted. */
static void put(unsigned char *file, size_t size, uint64_t off, const void *from, size_t len)
{
	if (off >= size)
		return;
	memcpy(file + off, from, len < size - off ? len : size - off);
}

unsigned char *elfmake_build(const struct elfmake *make, size_t *ret_len)
{
	size_t size = file_size(make);
	unsigned char *file = malloc(size ? size : 1);
	Elf64_Ehdr eh = make->eh;

	if (!file)
		abort();
	for (size_t i = 0; i < size; i++)
		file[i] = 0x40 | (i >> 8 & 0x3f);
	if (eh.e_phnum == 0)
		eh.e_phnum = make->nparts;
	for (unsigned i = 0; i < make->nparts; i++)
		if (make->part[i].data)
			put(file, size, make->part[i].ph.p_offset, make->part[i].data,
				make->part[i].len);
	put(file, size, ELFMAKE_TEXT, code, sizeof(code));
	put(file, size, 0, &eh, sizeof(eh));
	for (unsigned i = 0; i < make->nparts && eh.e_phoff < size; i++)
		put(file, size, eh.e_phoff + i * sizeof(Elf64_Phdr), &make->part[i].ph,
			sizeof(Elf64_Phdr));
	*ret_len = size;
	return file;
}

int elfmake_write(const struct elfmake *make, const char *path)
{
	size_t len;
	unsigned char *file = elfmake_build(make, &len);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	int ret = 0;

	if (fd < 0 || write(fd, file, len) != (ssize_t)len)
		ret = -errno;
	if (fd >= 0)
		close(fd);
	free(file);
	return ret;
}
