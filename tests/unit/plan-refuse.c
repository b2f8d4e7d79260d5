/* SPDX-License-Identifier: MIT */
/*
 * Each way in which an ELF file can be broken, or not be for us, is refused with words that name
 * it. The broken files are built here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfmake.h"
#include "plan.h"

typedef int (*plan_reader)(const struct tp_elf *, const char *, struct tp_plan *,
	struct tp_error *);

static void expect_bytes(const void *bytes, size_t len, plan_reader reader, const char *words)
{
	struct tp_error err = { 0 };
	struct tp_plan plan;
	struct tp_elf elf;

	assert_int_equal(tp_elf_open_memory(bytes, len, &elf), 0);
	assert_int_equal(reader(&elf, "prog", &plan, &err), -ENOEXEC);
	assert_int_equal(err.err, -ENOEXEC);
	assert_int_equal(err.status, TP_STATUS_NOT_EXECUTABLE);
	assert_int_equal(strncmp(err.text, "prog: cannot be run: ", 21), 0);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void expect_from(const struct elfmake *make, plan_reader reader, const char *words)
{
	size_t len;
	unsigned char *file = elfmake_build(make, &len);

	expect_bytes(file, len, reader, words);
	free(file);
}

static void expect(const struct elfmake *make, const char *words)
{
	expect_from(make, tp_plan_read, words);
}

static struct elfmake sound(void)
{
	struct elfmake make;

	elfmake_init(&make, ET_DYN);
	return make;
}

static void not_elf(void **state)
{
	static const char junk[20] = "twenty bytes of junk";

	(void)state;
	expect_bytes("", 0, tp_plan_read, "the file is empty");
	expect_bytes("\177EL", 3, tp_plan_read, "not an ELF executable");
	expect_bytes(junk, sizeof(junk), tp_plan_read, "not an ELF executable");
	expect_bytes("hello, world\n", 13, tp_plan_read, "not an ELF executable");
}

/* Cut anywhere in the header or in the table of program headers. */
static void truncated_in_headers(void **state)
{
	struct elfmake make = sound();
	size_t len, table_end = sizeof(Elf64_Ehdr) + make.nparts * sizeof(Elf64_Phdr);
	unsigned char *file = elfmake_build(&make, &len), *copy;

	(void)state;
	for (size_t cut = 4; cut < table_end; cut++) {
		copy = malloc(cut); /* so that a sanitizer sees a byte too many */
		memcpy(copy, file, cut);
		expect_bytes(copy, cut, tp_plan_read, cut < sizeof(Elf64_Ehdr)
			? "ends inside its ELF header" : "ends inside its program headers");
		free(copy);
	}
	free(file);
}

static void truncated_in_a_segment(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.size = 0x2122;
	expect(&make, "segment 1 (0x123 bytes at offset 0x2000) goes past the end of the file, which "
		"has 0x2122 bytes");
	make.size = 0x1000;
	expect(&make, "segment 0");
}

static void wrong_class(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.eh.e_ident[EI_CLASS] = ELFCLASS32;
	expect(&make, "32-bit");
	make.eh.e_ident[EI_CLASS] = 7;
	expect(&make, "ELF class 7");
}

static void wrong_byte_order(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.eh.e_ident[EI_DATA] = ELFDATA2MSB;
	expect(&make, "big-endian");
	make.eh.e_ident[EI_DATA] = 0;
	expect(&make, "byte order 0");
}

static void wrong_version(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.eh.e_ident[EI_VERSION] = 2;
	expect(&make, "ELF version 2");
}

static void wrong_machine(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.eh.e_machine = EM_PPC64;
	expect(&make, "another processor (ELF machine 21");
}

static void wrong_type(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.eh.e_type = ET_REL;
	expect(&make, "object file");
	make.eh.e_type = ET_CORE;
	expect(&make, "core dump");
	make.eh.e_type = 0x1234;
	expect(&make, "ELF type 4660");
}

static void absurd_program_headers(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.eh.e_phnum = 1171;
	expect(&make, "1171 program headers (at most 1170");
	make.eh.e_phnum = 1170;
	expect(&make, "ends inside its program headers");
	make.eh.e_phnum = PN_XNUM;
	expect(&make, "65535 program headers");
	make.eh.e_phentsize = 32;
	expect(&make, "32 bytes long instead of 56");
	make = sound();
	make.eh.e_phoff = UINT64_MAX - 8;
	make.size = 0x3000;
	expect(&make, "ends inside its program headers");
	make = sound();
	make.nparts = 0;
	expect(&make, "no program headers");
}

static void absurd_memory(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[1].ph.p_memsz = UINT64_MAX;
	expect(&make, "outside the addresses of a program");
	make.part[1].ph.p_memsz = TP_PLAN_EXEC_MAX - ELFMAKE_DATA;
	expect(&make, "GiB of addresses in one piece (at most 32");
	make.part[1].ph.p_memsz = TP_PLAN_EXEC_MAX - ELFMAKE_DATA + 1;
	expect(&make, "outside the addresses of a program");
	make.part[1].ph.p_memsz = TP_PLAN_SPAN_MAX;
	expect(&make, "GiB of addresses in one piece");
}

static void absurd_addresses(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[1].ph.p_vaddr = UINT64_C(0xffffffffff602000);
	expect(&make, "outside the addresses of a program");
	make = sound();
	make.part[1].ph.p_vaddr = UINT64_C(0x10000002000);
	expect(&make, "GiB of addresses in one piece");
}

static void absurd_file_offset(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.size = 0x3000;
	make.part[1].ph.p_offset = UINT64_MAX & ~UINT64_C(0xfff);
	expect(&make, "goes past the end of the file");
}

static void entry_outside_code(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.eh.e_entry = ELFMAKE_DATA;
	expect(&make, "entry point 0x2000 is outside its executable segments");
	make.eh.e_entry = 0x1800;
	expect(&make, "entry point 0x1800");
	make.eh.e_entry = UINT64_MAX;
	expect(&make, "entry point 0xffffffffffffffff");
}

static void shared_library_is_no_program(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[0].ph.p_flags = PF_R;
	make.eh.e_entry = 0;
	expect(&make, "no entry point (a shared library");
}

static void file_part_larger_than_memory(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[1].ph.p_memsz = 0x122;
	expect(&make, "segment 1 has more bytes in the file (0x123) than in memory (0x122)");
	make.part[1].ph.p_memsz = 0;
	expect(&make, "segment 1 has more bytes in the file");
}

static void misaligned(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[1].ph.p_vaddr += 8;
	expect(&make, "address 0x2008 and file offset 0x2000 of segment 1 differ within a page");
}

static void overlapping(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[0].ph.p_memsz = 0x2001;
	expect(&make, "segments 0 and 1 overlap");
	make = sound();
	make.part[1].ph.p_vaddr = 0x1000;
	expect(&make, "segments 0 and 1 overlap");
}

static void out_of_order(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[0].ph.p_vaddr = 0x10000;
	make.eh.e_entry = 0x11000;
	expect(&make, "segments 0 and 1 are not in ascending order");
}

static void nothing_to_load(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[0].ph.p_type = make.part[1].ph.p_type = PT_NULL;
	expect(&make, "no loadable segment");
}

static void too_many_segments(void **state)
{
	struct elfmake make = sound();

	(void)state;
	for (unsigned i = 0; i < TP_PLAN_MAPS - 1; i++)
		elfmake_add(&make, PT_LOAD, PF_R, 0, 0x10000 + i * 0x2000, 0, 0x10);
	expect(&make, "more than 30 loadable segments");
}

static void fixed_address_too_low(void **state)
{
	struct elfmake make;

	(void)state;
	elfmake_init(&make, ET_EXEC);
	make.part[0].ph.p_vaddr = 0xf000;
	make.part[1].ph.p_vaddr = 0x11000;
	make.eh.e_entry = 0x10000;
	expect(&make, "fixed address 0xf000 is too low");
}

static void alignment_too_large(void **state)
{
	struct elfmake make = sound();

	(void)state;
	make.part[0].ph.p_align = UINT64_C(1) << 40;
	expect(&make, "alignment of 1024 GiB");
	make.part[0].ph.p_align = UINT64_C(1) << 63;
	expect(&make, "alignment of ");
}

static void broken_interpreter_name(void **state)
{
	static char long_name[PATH_MAX + 1];
	struct elfmake make = sound();

	(void)state;
	elfmake_add_data(&make, PT_INTERP, "", 1);
	expect(&make, "name of its interpreter is empty");
	make = sound();
	elfmake_add_data(&make, PT_INTERP, "\0", 2);
	expect(&make, "name of its interpreter is empty");
	make = sound();
	elfmake_add_data(&make, PT_INTERP, "/lib/ld.so", 10);
	expect(&make, "name of its interpreter is not terminated");
	make = sound();
	memset(long_name, 'a', PATH_MAX);
	elfmake_add_data(&make, PT_INTERP, long_name, sizeof(long_name));
	expect(&make, "name of its interpreter is too long");
	make = sound();
	elfmake_add_data(&make, PT_INTERP, "/lib/ld.so", 11)->ph.p_offset = 0x100000;
	make.size = 0x3000;
	expect(&make, "ends inside its interpreter's name");
}

static void unfit_interpreter(void **state)
{
	struct elfmake make;

	(void)state;
	elfmake_init(&make, ET_EXEC);
	expect_from(&make, tp_plan_read_interp, "as an interpreter, it is not position independent");
	make = sound();
	elfmake_add_data(&make, PT_INTERP, "/lib/ld.so", 11);
	expect_from(&make, tp_plan_read_interp,
		"as an interpreter, it needs one itself (/lib/ld.so)");
}

/* The file is cut after it was opened: never a crash, never a plan made of bytes not there. */
static void shrinks_while_it_is_read(void **state)
{
	char path[] = "/tmp/plan-shrinks-XXXXXX";
	struct elfmake make = sound();
	struct tp_error err;
	struct tp_plan plan;
	struct tp_elf elf;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	elfmake_add_data(&make, PT_INTERP, "/lib/ld.so", 11)->ph.p_offset = 0x5000;
	assert_int_equal(elfmake_write(&make, path), 0);
	assert_int_equal(tp_elf_open_fd(fd, &elf), 0);
	assert_int_equal(tp_plan_read(&elf, "prog", &plan, &err), 0);
	assert_string_equal(plan.interp, "/lib/ld.so");
	assert_int_equal(ftruncate(fd, 0x3000), 0);
	assert_int_equal(tp_plan_read(&elf, "prog", &plan, &err), -ENOEXEC);
	assert_non_null(strstr(err.text, "ends inside its interpreter's name"));
	close(fd);
	unlink(path);
}

static void reading_fails(void **state)
{
	struct tp_elf elf;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(tp_elf_open_fd(fd, &elf), -EISDIR);
	close(fd);
	assert_int_equal(tp_elf_open_fd(fd, &elf), -EBADF);
}

static void error_is_optional(void **state)
{
	struct tp_plan plan;
	struct tp_elf elf;

	(void)state;
	tp_elf_open_memory("", 0, &elf);
	assert_int_equal(tp_plan_read(&elf, "prog", &plan, NULL), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_elf),
		cmocka_unit_test(truncated_in_headers),
		cmocka_unit_test(truncated_in_a_segment),
		cmocka_unit_test(wrong_class),
		cmocka_unit_test(wrong_byte_order),
		cmocka_unit_test(wrong_version),
		cmocka_unit_test(wrong_machine),
		cmocka_unit_test(wrong_type),
		cmocka_unit_test(absurd_program_headers),
		cmocka_unit_test(absurd_memory),
		cmocka_unit_test(absurd_addresses),
		cmocka_unit_test(absurd_file_offset),
		cmocka_unit_test(entry_outside_code),
		cmocka_unit_test(shared_library_is_no_program),
		cmocka_unit_test(file_part_larger_than_memory),
		cmocka_unit_test(misaligned),
		cmocka_unit_test(overlapping),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(nothing_to_load),
		cmocka_unit_test(too_many_segments),
		cmocka_unit_test(fixed_address_too_low),
		cmocka_unit_test(alignment_too_large),
		cmocka_unit_test(broken_interpreter_name),
		cmocka_unit_test(unfit_interpreter),
		cmocka_unit_test(shrinks_while_it_is_read),
		cmocka_unit_test(reading_fails),
		cmocka_unit_test(error_is_optional),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
