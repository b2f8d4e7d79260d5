/* SPDX-License-Identifier: MIT */
/*
 * sites-list FILE [N]: prints every routed call site of an ELF file's executable segments, one a
 * line, for sites-verify to compare with a real disassembly. With N, the scan is repeated N times and
 * the fastest is reported.
 *
 *	segment ADDRESS BYTES calls N sites N stuck N us N
 *	KIND CALL NR OFF LEN PRE POST RESUME        (addresses as in the file, hexadecimal)
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sites.h"

#define MAX_SITES 8192

static struct arch_site sites[MAX_SITES];

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static const char *kind_name(unsigned kind)
{
	static const char *const names[] = {
		[ARCH_SITE_CALL] = "CALL",
		[ARCH_SITE_KEEP] = "KEEP",
		[ARCH_SITE_STUCK] = "STUCK",
		[ARCH_SITE_BRIDGE] = "BRIDGE",
	};

	return names[kind];
}

static void print_site(const struct arch_site *s, uint64_t addr)
{
	printf("%s %" PRIx64 " %" PRId32 " %" PRIx64 " %u %u %u %" PRIx64 "\n", kind_name(s->kind),
	       addr + s->call, s->nr, addr + s->off, s->len, s->pre_len, s->post_len,
	       addr + s->resume);
}

static void list_segment(const uint8_t *text, size_t len, uint64_t addr, int repeat)
{
	struct arch_scan_opts opts = { 0 };
	struct arch_scan_result result;
	double fastest = 1e12;
	size_t n = 0;

	arch_scan_want_routed(&opts);
	while (repeat-- > 0) {
		double start = now_us();

		n = arch_sites_scan(text, len, &opts, sites, MAX_SITES, &result);
		if (now_us() - start < fastest)
			fastest = now_us() - start;
	}
	printf("segment %" PRIx64 " %zu calls %zu sites %zu stuck %zu us %.0f\n", addr, len,
	       result.calls, n, result.stuck, fastest);
	for (size_t k = 0; k < n && k < MAX_SITES; k++)
		print_site(&sites[k], addr);
}

static int list_file(const uint8_t *file, size_t size, int repeat)
{
	const Elf64_Ehdr *e = (const void *)file;
	const Elf64_Phdr *ph;

	if (size < sizeof(*e) || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_phoff > size ||
	    e->e_phnum > (size - e->e_phoff) / sizeof(*ph))
		return -1;
	ph = (const void *)(file + e->e_phoff);
	for (unsigned k = 0; k < e->e_phnum; k++) {
		if (ph[k].p_type != PT_LOAD || !(ph[k].p_flags & PF_X))
			continue;
		if (ph[k].p_offset > size || ph[k].p_filesz > size - ph[k].p_offset)
			return -1;
		list_segment(file + ph[k].p_offset, ph[k].p_filesz, ph[k].p_vaddr, repeat);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct stat st;
	uint8_t *file;
	int fd;

	if (argc < 2)
		return 2;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0) {
		perror(argv[1]);
		return 1;
	}
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	return list_file(file, (size_t)st.st_size, argc > 2 ? atoi(argv[2]) : 1) < 0;
}
