/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes at all, taken for an ELF file. Either they are refused with one line
 * of words, or the plan keeps what plan.h promises about every map. Reading the same bytes from a
 * file gives the same verdict.
 *
 * Half of the mutations change a field of the headers, which random bytes would seldom hit.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plan.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static bool whole_pages(uint64_t n)
{
	return n % TP_PAGE_SIZE == 0;
}

static void check_file_part(const struct tp_plan_map *m, uint64_t size)
{
	uint64_t pages = tp_plan_map_file_pages(m);

	MUST(m->file_len <= pages);
	MUST(pages == 0 ? m->file_len == 0 && m->off == 0 : m->file_len > 0);
	MUST(m->off <= size && m->file_len <= size - m->off);
	MUST(pages < m->file_len + TP_PAGE_SIZE);
}

static void check_zero_part(const struct tp_plan_map *m)
{
	uint64_t end = m->vaddr + tp_plan_map_file_pages(m);

	if (m->zero_len == 0)
		return;
	MUST(m->prot & PROT_WRITE);
	MUST(m->zero_len < TP_PAGE_SIZE);
	MUST(m->zero_at >= m->vaddr && m->zero_at < end);
	MUST(m->zero_at + m->zero_len == end);
	MUST(m->zero_at == m->vaddr + m->file_len);
}

static void check_map(const struct tp_plan_map *m, uint64_t size)
{
	MUST(m->len > 0 && m->anon_len <= m->len);
	MUST(whole_pages(m->vaddr) && whole_pages(m->len));
	MUST(whole_pages(m->off) && whole_pages(m->anon_len));
	MUST((m->prot & ~(PROT_READ | PROT_WRITE | PROT_EXEC)) == 0);
	MUST((m->anon_prot & ~PROT_EXEC) == (PROT_READ | PROT_WRITE));
	check_file_part(m, size);
	check_zero_part(m);
}

static void check_maps(const struct tp_plan *plan, uint64_t size)
{
	uint64_t end = plan->lo;

	MUST(plan->nmap > 0 && plan->nmap <= TP_PLAN_MAPS);
	MUST(plan->map[0].vaddr == plan->lo);
	for (uint32_t i = 0; i < plan->nmap; i++) {
		MUST(plan->map[i].vaddr >= end);
		check_map(&plan->map[i], size);
		end = plan->map[i].vaddr + plan->map[i].len;
	}
	MUST(end == plan->hi);
	MUST(plan->hi <= TP_PLAN_EXEC_MAX && plan->hi - plan->lo <= TP_PLAN_SPAN_MAX);
}

static void check_plan(const struct tp_plan *plan, uint64_t size)
{
	MUST(plan->kind == TP_PLAN_DYN || plan->kind == TP_PLAN_EXEC);
	MUST(plan->align >= TP_PAGE_SIZE && (plan->align & (plan->align - 1)) == 0);
	MUST(plan->kind == TP_PLAN_EXEC || plan->align <= TP_PLAN_ALIGN_MAX);
	MUST(plan->kind == TP_PLAN_DYN || plan->lo >= TP_PLAN_EXEC_MIN);
	MUST(plan->entry >= plan->lo && plan->entry < plan->hi);
	MUST(plan->phdr < plan->hi);
	MUST(plan->phnum > 0 && plan->phent == sizeof(Elf64_Phdr));
	MUST(strnlen(plan->interp, PATH_MAX) < PATH_MAX);
	MUST(plan->has_interp == (plan->interp[0] != '\0'));
	MUST(plan->has_interp == !(plan->flavour & TP_FLAVOUR_STATIC));
	check_maps(plan, size);
}

static void check_refusal(int ret, const struct tp_error *err)
{
	MUST(ret < 0 && err->err == ret);
	MUST(err->status == TP_STATUS_NOT_EXECUTABLE);
	MUST(strnlen(err->text, sizeof(err->text)) < sizeof(err->text));
	MUST(strncmp(err->text, "fuzz: cannot be run: ", 21) == 0);
	MUST(!strchr(err->text, '\n'));
}

static int read_from_file(const uint8_t *data, size_t size, struct tp_plan *plan,
	struct tp_error *err)
{
	static int fd = -1;
	struct tp_elf elf;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	MUST(ftruncate(fd, 0) == 0);
	MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
	MUST(tp_elf_open_fd(fd, &elf) == 0);
	return tp_plan_read(&elf, "fuzz", plan, err);
}

static void check_same(const struct tp_plan *a, const struct tp_plan *b)
{
	size_t len = offsetof(struct tp_plan, map) + a->nmap * sizeof(a->map[0]);

	MUST(memcmp(a, b, len) == 0);
	MUST(strcmp(a->interp, b->interp) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tp_plan plan, from_file;
	struct tp_error err, file_err;
	struct tp_elf elf;
	int ret;

	tp_elf_open_memory(data, size, &elf);
	memset(&plan, 0xa5, sizeof(plan));
	ret = tp_plan_read(&elf, "fuzz", &plan, &err);
	MUST(read_from_file(data, size, &from_file, &file_err) == ret);
	if (ret == 0) {
		check_plan(&plan, size);
		check_same(&plan, &from_file);
	} else {
		check_refusal(ret, &err);
		MUST(strcmp(err.text, file_err.text) == 0);
	}
	tp_plan_read_interp(&elf, "fuzz", &plan, &err);
	return 0;
}

/* A value that sits on some edge. */
static uint64_t edge_value(uint64_t old)
{
	static const uint64_t edge[] = {
		0, 1, 2, 0xfff, 0x1000, 0x1001, 0xffff, 0x10000, 0x200000, UINT32_MAX,
		UINT64_C(1) << 30, TP_PLAN_SPAN_MAX, TP_PLAN_EXEC_MAX, INT64_MAX,
		UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 0xfff,
	};

	switch (rand() % 4) {
	case 0: return edge[rand() % (sizeof(edge) / sizeof(edge[0]))];
	case 1: return old + 1 - 2 * (rand() % 2);
	case 2: return old + 0x1000 - 0x2000 * (rand() % 2);
	}
	return old ^ UINT64_C(1) << rand() % 64;
}

/* Where to change something: the file's header, or its table of program headers. */
static size_t pick_range(const uint8_t *data, size_t size, size_t *ret_at)
{
	Elf64_Ehdr eh;
	size_t len;

	memcpy(&eh, data, sizeof(eh));
	*ret_at = 0;
	if (rand() % 4 == 0 || eh.e_phoff >= size)
		return sizeof(eh);
	*ret_at = eh.e_phoff;
	len = eh.e_phnum * sizeof(Elf64_Phdr);
	return len < size - eh.e_phoff ? len : size - eh.e_phoff;
}

/* Replaces a field of 2, 4 or 8 bytes. */
static void mutate_field(uint8_t *data, size_t size)
{
	size_t width = 2 << rand() % 3, at, len = pick_range(data, size, &at);
	uint64_t value = 0;

	if (len < width)
		return;
	at += rand() % (len / width) * width;
	memcpy(&value, data + at, width);
	value = edge_value(value);
	memcpy(data + at, &value, width);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	srand(seed);
	if (size < sizeof(Elf64_Ehdr) || rand() % 2)
		return LLVMFuzzerMutate(data, size, max_size);
	for (int n = 1 + rand() % 3; n; n--)
		mutate_field(data, size);
	return size;
}
