/* SPDX-License-Identifier: MIT */
/*
 * plan-seeds DIR: writes small ELF files of many shapes, for the fuzzer to start from.
 */
#include <stdio.h>
#include <string.h>

#include "elfmake.h"

static const char *dir;
static unsigned count;

static int save(const struct elfmake *make)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/seed-%u", dir, count++);
	return elfmake_write(make, path);
}

static int save_shapes(unsigned type)
{
	static const uint64_t dyn[] = {
		DT_STRTAB, 0x1000, DT_STRSZ, 0x100, DT_SYMTAB, 0x1100, DT_GNU_HASH, 0x1200,
		DT_NEEDED, 1, DT_NULL, 0,
	};
	static const uint32_t property[] = { 4, 16, 5, 0x554e47, 0xc0000002, 4, 3, 0 };
	struct elfmake make;
	int ret;

	elfmake_init(&make, type);
	ret = save(&make);
	make.part[1].ph.p_memsz = 0x5001;
	ret |= save(&make);
	make.part[1].ph.p_offset -= 0x700;
	make.part[1].ph.p_vaddr -= 0x700;
	ret |= save(&make);
	elfmake_add_data(&make, PT_INTERP, "/lib64/ld-linux-x86-64.so.2", 28);
	ret |= save(&make);
	elfmake_add_data(&make, PT_NOTE, property, sizeof(property))->ph.p_align = 8;
	ret |= save(&make);
	elfmake_add_data(&make, PT_DYNAMIC, dyn, sizeof(dyn));
	ret |= save(&make);
	elfmake_add(&make, PT_LOAD, 6, 0, make.part[1].ph.p_vaddr + 0x10000, 0, 0x1234);
	ret |= save(&make);
	make.part[0].ph.p_align = 0x200000;
	return ret | save(&make);
}

/* At the upper end of what a fixed file may take, and a page beyond. */
static int save_high(void)
{
	const uint64_t shift = UINT64_C(0x7fffffffc000) - ELFMAKE_FIXED;
	struct elfmake make;
	int ret;

	elfmake_init(&make, ET_EXEC);
	make.eh.e_entry += shift;
	for (unsigned i = 0; i < 2; i++)
		make.part[i].ph.p_vaddr += shift;
	ret = save(&make);
	make.part[1].ph.p_memsz += 0x1000;
	return ret | save(&make);
}

/* As many program headers as fit, then as many loadable ones as may be, and one more. */
static int save_many(void)
{
	struct elfmake make;
	int ret;

	elfmake_init(&make, ET_DYN);
	make.eh.e_phoff = 0x2200;
	make.size = 0x4000;
	while (make.nparts < 60)
		elfmake_add(&make, PT_NULL, 0, 0, 0, 0, 0);
	ret = save(&make);
	for (unsigned i = 3; i < 32; i++) {
		make.part[i].ph = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W,
			.p_vaddr = 0x10000 + i * 0x1000, .p_memsz = 0x100 };
		if (i >= 30)
			ret |= save(&make);
	}
	return ret;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: plan-seeds DIR\n");
		return 2;
	}
	dir = argv[1];
	return save_shapes(ET_DYN) || save_shapes(ET_EXEC) || save_high() || save_many();
}
