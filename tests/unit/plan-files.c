/* SPDX-License-Identifier: MIT */
/*
 * The plan against this machine's own programs: every ELF executable of /usr/bin and /usr/sbin gets
 * one, and it agrees with what readelf prints; that of this very test agrees with its own mappings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan.h"

enum { READELF_EACH = 16 }; /* readelf takes a while: it is asked about each 16th file */

static bool is_elf_program(const char *path)
{
	char magic[4] = { 0 };
	struct stat st;
	int fd;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, magic, sizeof(magic)) != sizeof(magic))
		magic[0] = 0;
	close(fd);
	return memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static int plan_path(const char *path, struct tp_plan *plan, struct tp_error *err)
{
	struct tp_elf elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	assert_true(fd >= 0);
	assert_int_equal(tp_elf_open_fd(fd, &elf), 0);
	ret = tp_plan_read(&elf, path, plan, err);
	close(fd);
	return ret;
}

static const struct tp_plan_map *find_map(const struct tp_plan *plan, uint64_t vaddr)
{
	for (uint32_t i = 0; i < plan->nmap; i++)
		if (vaddr - plan->map[i].vaddr < plan->map[i].len)
			return &plan->map[i];
	return NULL;
}

/* One LOAD line of readelf. Its flags stand in three columns: "R E", "RW ", … */
static void agree_load(const char *path, const struct tp_plan *plan, const char *line)
{
	unsigned long off, vaddr, filesz, memsz;
	const struct tp_plan_map *m;
	const char *flags;
	int at = 0;

	if (sscanf(line, " LOAD %lx %lx %*x %lx %lx %n", &off, &vaddr, &filesz, &memsz, &at) != 4)
		fail_msg("%s: readelf prints %s", path, line);
	flags = line + at;
	m = find_map(plan, vaddr);
	if (!m || vaddr + memsz > m->vaddr + m->len)
		fail_msg("%s: %#lx is not mapped", path, vaddr);
	if (filesz && m->off + (vaddr - m->vaddr) != off)
		fail_msg("%s: offset of %#lx", path, vaddr);
	if (filesz)
		assert_int_equal(m->prot, (flags[0] == 'R' ? PROT_READ : 0)
			| (flags[1] == 'W' ? PROT_WRITE : 0) | (flags[2] == 'E' ? PROT_EXEC : 0));
	if (memsz > filesz && filesz && m->zero_len)
		assert_int_equal(m->zero_at, vaddr + filesz);
}

static void agree_line(const char *path, const struct tp_plan *plan, const char *line)
{
	unsigned long entry;
	char interp[256];

	if (strncmp(line, "  LOAD ", 7) == 0)
		agree_load(path, plan, line);
	else if (sscanf(line, "Entry point 0x%lx", &entry) == 1)
		assert_int_equal(plan->entry, entry);
	else if (sscanf(line, " [Requesting program interpreter: %255[^]]", interp) == 1)
		assert_string_equal(plan->interp, interp);
}

static void agree_with_readelf(const char *path, const struct tp_plan *plan)
{
	char command[PATH_MAX + 32], line[512];
	unsigned lines = 0;
	FILE *f;

	snprintf(command, sizeof(command), "LC_ALL=C readelf -lW '%s'", path);
	f = popen(command, "re");
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); lines++)
		agree_line(path, plan, line);
	if (pclose(f) != 0 || lines == 0)
		skip(); /* no readelf here */
}

static unsigned plan_directory(const char *dir)
{
	struct tp_error err;
	struct tp_plan plan;
	struct dirent *e;
	char path[512];
	unsigned n = 0;
	DIR *d = opendir(dir);

	assert_non_null(d);
	while ((e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (!is_elf_program(path))
			continue;
		if (plan_path(path, &plan, &err) < 0)
			fail_msg("%s", err.text);
		if (plan.flavour & (TP_FLAVOUR_ASAN | TP_FLAVOUR_TSAN))
			fail_msg("%s is taken for a sanitized program", path);
		if (n++ % READELF_EACH == 0)
			agree_with_readelf(path, &plan);
	}
	closedir(d);
	return n;
}

static void programs_of_this_machine(void **state)
{
	unsigned n = plan_directory("/usr/bin") + plan_directory("/usr/sbin");

	(void)state;
	print_message("%u programs\n", n);
	assert_true(n > 100);
}

/* RELRO has been protected since, so that only places are compared, not permissions. */
static void own_mappings(void **state)
{
	uint64_t bias, start, end, off;
	struct tp_error err;
	struct tp_plan plan;
	ino_t ino;
	struct stat st;
	char line[512];
	unsigned found = 0;
	FILE *f;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(plan_path("/proc/self/exe", &plan, &err), 0);
	bias = getauxval(AT_PHDR) - plan.phdr;
	assert_int_equal(bias + plan.entry, getauxval(AT_ENTRY));
	assert_int_equal(plan.phnum, getauxval(AT_PHNUM));
	f = fopen("/proc/self/maps", "re");
	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "%lx-%lx %*s %lx %*s %lu", &start, &end, &off, &ino), 4);
		if (ino != st.st_ino)
			continue;
		const struct tp_plan_map *m = find_map(&plan, start - bias);

		assert_non_null(m);
		assert_int_equal(m->off + (start - bias - m->vaddr), off);
		assert_true(end - bias <= m->vaddr + tp_plan_map_file_pages(m));
		found += end - start;
	}
	fclose(f);
	for (uint32_t i = 0; i < plan.nmap; i++)
		found -= tp_plan_map_file_pages(&plan.map[i]);
	assert_int_equal(found, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_of_this_machine),
		cmocka_unit_test(own_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
