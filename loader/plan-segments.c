/* SPDX-License-Identifier: MIT */
/*
 * From PT_LOAD segments to whole-page maps, by the kernel's rules:
 *
 *  - file pages come first, in whole pages, with the segment's protection;
 *  - if the segment is larger in memory than in the file, the rest of its last file page is zeroed,
 *    but only where the segment may be written, and the pages behind are anonymous and writable,
 *    executable if the segment is;
 *  - two segments may share a page (old linkers do that): the later one gets it.
 *
 * Unlike the kernel we refuse segments out of order, which share bytes, or which the file is too
 * short for. Invariant after each segment: the maps are ascending, disjoint, and none is empty.
 */
#include <errno.h>
#include <sys/mman.h>

#include "plan-parts.h"

#define PAGE_MASK (TP_PAGE_SIZE - 1)

static uint64_t page_down(uint64_t at)
{
	return at & ~PAGE_MASK;
}

/* Only for values below TP_PLAN_EXEC_MAX, so that nothing wraps. */
static uint64_t page_up(uint64_t at)
{
	return (at + PAGE_MASK) & ~PAGE_MASK;
}

static uint32_t protection(uint32_t flags)
{
	return ((flags & PF_R) ? PROT_READ : 0) | ((flags & PF_W) ? PROT_WRITE : 0)
		| ((flags & PF_X) ? PROT_EXEC : 0);
}

static int check_memory(const struct tpi_reader *r, uint32_t i)
{
	const Elf64_Phdr *ph = &r->phdr[i];

	if (ph->p_filesz > ph->p_memsz)
		return TPI_REFUSE(r, ENOEXEC, "segment %u has more bytes in the file (%#lx) than in "
			"memory (%#lx)", i, ph->p_filesz, ph->p_memsz);
	if (ph->p_memsz > TP_PLAN_EXEC_MAX || ph->p_vaddr > TP_PLAN_EXEC_MAX - ph->p_memsz)
		return TPI_REFUSE(r, ENOEXEC, "segment %u (%#lx bytes at %#lx) lies outside the "
			"addresses of a program", i, ph->p_memsz, ph->p_vaddr);
	return 0;
}

static int check_file(const struct tpi_reader *r, uint32_t i)
{
	const Elf64_Phdr *ph = &r->phdr[i];

	if (ph->p_filesz == 0)
		return 0;
	if ((ph->p_vaddr ^ ph->p_offset) & PAGE_MASK)
		return TPI_REFUSE(r, ENOEXEC, "the address %#lx and file offset %#lx of segment %u "
			"differ within a page", ph->p_vaddr, ph->p_offset, i);
	if (!tp_elf_has(r->elf, ph->p_offset, ph->p_filesz))
		return TPI_REFUSE(r, ENOEXEC, "segment %u (%#lx bytes at offset %#lx) goes past the "
			"end of the file, which has %#lx bytes (truncated? copy it again)", i,
			ph->p_filesz, ph->p_offset, r->elf->size);
	return 0;
}

/* last: the loadable segment before, which has passed the same checks; r->plan->phnum: none. */
static int check_order(const struct tpi_reader *r, uint32_t last, uint32_t i)
{
	const Elf64_Phdr *ph = &r->phdr[i], *before = &r->phdr[last];

	if (last == r->plan->phnum)
		return 0;
	if (ph->p_vaddr < before->p_vaddr)
		return TPI_REFUSE(r, ENOEXEC, "segments %u and %u are not in ascending order", last, i);
	if (ph->p_vaddr < before->p_vaddr + before->p_memsz)
		return TPI_REFUSE(r, ENOEXEC, "segments %u and %u overlap", last, i);
	return 0;
}

static void make_file_part(const Elf64_Phdr *ph, struct tp_plan_map *m)
{
	uint64_t file_end = ph->p_vaddr + ph->p_filesz;

	m->off = page_down(ph->p_offset);
	m->file_len = ph->p_filesz + (ph->p_offset & PAGE_MASK);
	m->prot = protection(ph->p_flags);
	if (ph->p_memsz > ph->p_filesz && (m->prot & PROT_WRITE)) {
		m->zero_at = file_end;
		m->zero_len = page_up(file_end) - file_end;
	}
}

static void make_map(const Elf64_Phdr *ph, struct tp_plan_map *m)
{
	uint64_t anon_at = page_down(ph->p_vaddr);
	uint64_t end = page_up(ph->p_vaddr + ph->p_memsz);

	*m = (struct tp_plan_map){ .vaddr = anon_at, .len = end - anon_at };
	m->anon_prot = PROT_READ | PROT_WRITE | (protection(ph->p_flags) & PROT_EXEC);
	m->prot = m->anon_prot;
	if (ph->p_filesz) {
		make_file_part(ph, m);
		anon_at = page_up(ph->p_vaddr + ph->p_filesz);
	}
	m->anon_len = end - anon_at;
}

/* Gives up the last page of the last map, to which the next segment lays claim. */
static void drop_last_page(struct tp_plan *plan)
{
	struct tp_plan_map *m = &plan->map[plan->nmap - 1];
	uint64_t file_pages;

	m->len -= TP_PAGE_SIZE;
	if (m->anon_len) {
		m->anon_len -= TP_PAGE_SIZE;
	} else {
		file_pages = m->len;
		m->file_len = m->file_len < file_pages ? m->file_len : file_pages;
		m->zero_at = m->zero_len = 0;
	}
	if (m->len == 0)
		plan->nmap--;
}

static int append(struct tpi_reader *r, const Elf64_Phdr *ph)
{
	struct tp_plan *plan = r->plan;
	struct tp_plan_map m, *last;

	make_map(ph, &m);
	if (plan->nmap > 0) {
		last = &plan->map[plan->nmap - 1];
		if (last->vaddr + last->len > m.vaddr)
			drop_last_page(plan);
	}
	if (plan->nmap == TP_PLAN_MAPS)
		return TPI_REFUSE(r, ENOEXEC, "it has more than %d loadable segments", TP_PLAN_MAPS);
	plan->map[plan->nmap++] = m;
	return 0;
}

/* As the kernel does, an alignment that is not a power of two is ignored. */
static void note_align(struct tp_plan *plan, uint64_t align)
{
	if ((align & (align - 1)) == 0 && align > plan->align)
		plan->align = align;
}

static int check_span(const struct tpi_reader *r)
{
	const struct tp_plan *plan = r->plan;

	if (plan->hi - plan->lo > TP_PLAN_SPAN_MAX)
		return TPI_REFUSE(r, ENOEXEC, "it needs %lu GiB of addresses in one piece (at most %lu "
			"are possible)", (plan->hi - plan->lo) >> 30, TP_PLAN_SPAN_MAX >> 30);
	if (plan->kind == TP_PLAN_EXEC && plan->lo < TP_PLAN_EXEC_MIN)
		return TPI_REFUSE(r, ENOEXEC, "its fixed address %#lx is too low (the lowest possible "
			"is %#lx)", plan->lo, TP_PLAN_EXEC_MIN);
	if (plan->kind == TP_PLAN_DYN && plan->align > TP_PLAN_ALIGN_MAX)
		return TPI_REFUSE(r, ENOEXEC, "it asks for an alignment of %lu GiB (at most %lu is "
			"possible)", plan->align >> 30, TP_PLAN_ALIGN_MAX >> 30);
	return 0;
}

/* Empty segments exist (an empty .data, say) and mean nothing. */
static bool is_empty(const Elf64_Phdr *ph)
{
	return ph->p_memsz == 0 && ph->p_filesz == 0;
}

static int add_segment(struct tpi_reader *r, uint32_t last, uint32_t i)
{
	int ret;

	ret = check_memory(r, i);
	if (ret == 0)
		ret = check_file(r, i);
	if (ret == 0)
		ret = check_order(r, last, i);
	if (ret == 0)
		ret = append(r, &r->phdr[i]);
	if (ret == 0)
		note_align(r->plan, r->phdr[i].p_align);
	return ret;
}

int tpi_plan_segments(struct tpi_reader *r)
{
	struct tp_plan *plan = r->plan;
	uint32_t last = plan->phnum;
	int ret;

	plan->align = TP_PAGE_SIZE;
	for (uint32_t i = 0; i < plan->phnum; i++) {
		if (r->phdr[i].p_type != PT_LOAD || is_empty(&r->phdr[i]))
			continue;
		ret = add_segment(r, last, i);
		if (ret < 0)
			return ret;
		last = i;
	}
	if (plan->nmap == 0)
		return TPI_REFUSE(r, ENOEXEC, "it has no loadable segment");
	plan->lo = plan->map[0].vaddr;
	plan->hi = plan->map[plan->nmap - 1].vaddr + plan->map[plan->nmap - 1].len;
	return check_span(r);
}
