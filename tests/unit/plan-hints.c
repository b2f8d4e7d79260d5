/* SPDX-License-Identifier: MIT */
/*
 * What a plan tells beyond the maps: notes, and which sanitizer a program carries. The programs
 * named on the command line are built with a sanitizer: "asan", "tsan" or "none", then the path.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfarch.h"
#include "elfmake.h"
#include "plan.h"

static char **programs; /* pairs of kind and path; ends in NULL */

static struct tp_plan plan_with(uint32_t type, const void *data, size_t len, uint64_t align)
{
	struct elfmake make;
	struct tp_error err;
	struct tp_plan plan;
	struct tp_elf elf;
	unsigned char *file;
	size_t size;

	elfmake_init(&make, ET_DYN);
	elfmake_add_data(&make, type, data, len)->ph.p_align = align;
	file = elfmake_build(&make, &size);
	tp_elf_open_memory(file, size, &elf);
	if (tp_plan_read(&elf, "prog", &plan, &err) < 0)
		fail_msg("%s", err.text);
	free(file);
	return plan;
}

struct property_note {
	Elf64_Nhdr head;
	char owner[4];
	uint32_t type, size, value, padding;
};

static struct property_note make_property(uint32_t type, uint32_t value)
{
	return (struct property_note){
		.head = { .n_namesz = 4, .n_descsz = 16, .n_type = NT_GNU_PROPERTY_TYPE_0 },
		.owner = "GNU", .type = type, .size = 4, .value = value,
	};
}

static void properties(void **state)
{
	static const struct {
		uint32_t bit, property;
	} table[] = ARCH_ELF_FEATURES;
	struct property_note note;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		note = make_property(ARCH_ELF_FEATURE_AND, table[i].bit);
		assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 8).property,
			table[i].property);
	}
	note = make_property(ARCH_ELF_FEATURE_AND + 1, 3);
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 8).property, 0);
}

static void damaged_properties(void **state)
{
	struct property_note note = make_property(ARCH_ELF_FEATURE_AND, 3);

	(void)state;
	note.size = 8;
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 8).property, 0);
	note.size = UINT32_MAX;
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 8).property, 0);
	note.size = 4;
	note.head.n_descsz = UINT32_MAX;
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 8).property, 0);
	note.head.n_descsz = 16;
	note.head.n_namesz = UINT32_MAX;
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 8).property, 0);
	note.head.n_namesz = 4;
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note) - 9, 8).property, 0);
}

static void go(void **state)
{
	struct {
		Elf64_Nhdr head;
		char owner[4], id[8];
	} note = { { 4, 8, 4 }, "Go\0", "build-i" };

	(void)state;
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 4).flavour,
		TP_FLAVOUR_GO | TP_FLAVOUR_STATIC);
	note.owner[0] = 'g';
	assert_int_equal(plan_with(PT_NOTE, &note, sizeof(note), 4).flavour, TP_FLAVOUR_STATIC);
}

/* Behind another note, as linkers merge them. */
static void second_note(void **state)
{
	struct {
		Elf64_Nhdr head;
		char owner[4], id[4];
		Elf64_Nhdr head2;
		char owner2[4], id2[4];
	} note = { { 4, 3, NT_GNU_BUILD_ID }, "GNU", "id", { 4, 4, 4 }, "Go\0", "abc" };

	(void)state;
	assert_true(plan_with(PT_NOTE, &note, sizeof(note), 4).flavour & TP_FLAVOUR_GO);
}

static void damaged_dynamic_section(void **state)
{
	Elf64_Dyn dyn[4] = {
		{ DT_STRTAB, { 0x1000 } }, { DT_STRSZ, { UINT64_MAX } }, { DT_NEEDED, { 1 << 20 } },
		{ DT_GNU_HASH, { 0x17fe } },
	};

	(void)state;
	assert_int_equal(plan_with(PT_DYNAMIC, dyn, sizeof(dyn), 8).flavour, TP_FLAVOUR_STATIC);
	dyn[3].d_un.d_ptr = UINT64_MAX;
	dyn[2].d_un.d_val = UINT64_MAX - 1;
	assert_int_equal(plan_with(PT_DYNAMIC, dyn, sizeof(dyn), 8).flavour, TP_FLAVOUR_STATIC);
}

static uint32_t sanitizer_of(const char *path)
{
	struct tp_error err;
	struct tp_plan plan;
	struct tp_elf elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(tp_elf_open_fd(fd, &elf), 0);
	if (tp_plan_read(&elf, path, &plan, &err) < 0)
		fail_msg("%s", err.text);
	close(fd);
	return plan.flavour & (TP_FLAVOUR_ASAN | TP_FLAVOUR_TSAN);
}

static void sanitizers(void **state)
{
	uint32_t want, got;

	(void)state;
	for (char **p = programs; p[0] && p[1]; p += 2) {
		want = strcmp(p[0], "asan") == 0 ? TP_FLAVOUR_ASAN
			: strcmp(p[0], "tsan") == 0 ? TP_FLAVOUR_TSAN : 0;
		got = sanitizer_of(p[1]);
		if (got != want)
			fail_msg("%s (%s): %u instead of %u", p[1], p[0], got, want);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(properties),
		cmocka_unit_test(damaged_properties),
		cmocka_unit_test(go),
		cmocka_unit_test(second_note),
		cmocka_unit_test(damaged_dynamic_section),
		cmocka_unit_test(sanitizers),
	};

	programs = argv + (argc > 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
