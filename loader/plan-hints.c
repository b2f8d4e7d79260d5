/* SPDX-License-Identifier: MIT */
/*
 * What an ELF file says about itself beyond its segments: notes, and the dynamic section.
 *
 * All of this is advice. A note or table that is damaged, or larger than any that a linker makes,
 * gives no hint and no error: the program's own loader will judge it. Everything read is bounded by
 * the constants below, so a launch costs the same few reads however large the file is.
 */
#include <string.h>

#include "elfarch.h"
#include "plan-parts.h"

enum {
	NOTES_MAX = 2048,        /* bytes looked at in one PT_NOTE */
	DYNAMIC_MAX = 256,       /* entries looked at */
	CHAIN_MAX = 1024,        /* symbols looked at in one hash chain */
	NOTE_GO_BUILD_ID = 4,
};

/* The parts of a dynamic section that are of use here. */
struct dynamic {
	Elf64_Dyn entry[DYNAMIC_MAX];
	uint32_t n;
	uint64_t strtab, strsz, symtab, gnu_hash;
};

/* ---- notes ---- */

static void see_feature_mask(struct tp_plan *plan, uint32_t mask)
{
	static const struct {
		uint32_t bit, property;
	} table[] = ARCH_ELF_FEATURES;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (mask & table[i].bit)
			plan->property |= table[i].property;
}

/* A GNU property note: { type, size, data, padding to 8 }… */
static void see_properties(struct tp_plan *plan, const unsigned char *desc, size_t len)
{
	uint32_t head[2], mask;
	size_t step;

	while (len >= sizeof(head)) {
		memcpy(head, desc, sizeof(head));
		step = sizeof(head) + (((uint64_t)head[1] + 7) & ~UINT64_C(7));
		if (step > len)
			return;
		if (head[0] == ARCH_ELF_FEATURE_AND && head[1] == sizeof(mask)) {
			memcpy(&mask, desc + sizeof(head), sizeof(mask));
			see_feature_mask(plan, mask);
		}
		desc += step;
		len -= step;
	}
}

static void see_note(struct tp_plan *plan, const Elf64_Nhdr *note, const unsigned char *name,
	const unsigned char *desc)
{
	if (note->n_namesz != 4)
		return;
	if (memcmp(name, "Go\0", 4) == 0 && note->n_type == NOTE_GO_BUILD_ID)
		plan->flavour |= TP_FLAVOUR_GO;
	if (memcmp(name, "GNU", 4) == 0 && note->n_type == NT_GNU_PROPERTY_TYPE_0)
		see_properties(plan, desc, note->n_descsz);
}

static size_t round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* { namesz, descsz, type, name, padding, desc, padding }… */
static void see_notes(struct tp_plan *plan, const unsigned char *at, size_t len, size_t align)
{
	Elf64_Nhdr note;
	uint64_t desc, end;

	while (len >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		desc = round_up(sizeof(note) + (uint64_t)note.n_namesz, align);
		end = desc + note.n_descsz;
		if (desc > len || end > len)
			return;
		see_note(plan, &note, at + sizeof(note), at + desc);
		end = round_up(end, align);
		if (end > len)
			return;
		at += end;
		len -= end;
	}
}

static void read_notes(struct tpi_reader *r, const Elf64_Phdr *ph)
{
	unsigned char bytes[NOTES_MAX];
	size_t len = ph->p_filesz < NOTES_MAX ? ph->p_filesz : NOTES_MAX;

	if (tp_elf_read(r->elf, ph->p_offset, bytes, len) == 0)
		see_notes(r->plan, bytes, len, ph->p_align == 8 ? 8 : 4);
}

/* ---- the dynamic section ---- */

/* Reads what the program would find at an address. */
static int read_address(const struct tpi_reader *r, uint64_t vaddr, void *buf, size_t len)
{
	for (uint32_t i = 0; i < r->plan->phnum; i++) {
		const Elf64_Phdr *ph = &r->phdr[i];

		if (ph->p_type != PT_LOAD || vaddr < ph->p_vaddr || len > ph->p_filesz)
			continue;
		if (vaddr - ph->p_vaddr <= ph->p_filesz - len)
			return tp_elf_read(r->elf, ph->p_offset + (vaddr - ph->p_vaddr), buf, len);
	}
	return -1;
}

static void index_dynamic(struct dynamic *dyn, uint32_t room)
{
	for (dyn->n = 0; dyn->n < room; dyn->n++) {
		const Elf64_Dyn *d = &dyn->entry[dyn->n];

		if (d->d_tag == DT_NULL)
			return;
		if (d->d_tag == DT_STRTAB)
			dyn->strtab = d->d_un.d_ptr;
		else if (d->d_tag == DT_STRSZ)
			dyn->strsz = d->d_un.d_val;
		else if (d->d_tag == DT_SYMTAB)
			dyn->symtab = d->d_un.d_ptr;
		else if (d->d_tag == DT_GNU_HASH)
			dyn->gnu_hash = d->d_un.d_ptr;
	}
}

static bool read_dynamic(struct tpi_reader *r, const Elf64_Phdr *ph, struct dynamic *ret_dyn)
{
	uint64_t room = ph->p_filesz / sizeof(Elf64_Dyn);

	if (room > DYNAMIC_MAX)
		room = DYNAMIC_MAX;
	ret_dyn->strtab = ret_dyn->strsz = ret_dyn->symtab = ret_dyn->gnu_hash = 0;
	if (tp_elf_read(r->elf, ph->p_offset, ret_dyn->entry, room * sizeof(Elf64_Dyn)) < 0)
		return false;
	index_dynamic(ret_dyn, room);
	return ret_dyn->strtab != 0;
}

/* A string of the dynamic string table, cut to fit; "" if it is not there. */
static void read_string(const struct tpi_reader *r, const struct dynamic *dyn, uint64_t off,
	char *buf, size_t size)
{
	uint64_t len = 0;

	if (off < dyn->strsz)
		len = dyn->strsz - off < size - 1 ? dyn->strsz - off : size - 1;
	if (len && read_address(r, dyn->strtab + off, buf, len) < 0)
		len = 0;
	buf[len] = '\0';
}

static void see_needed(struct tpi_reader *r, const struct dynamic *dyn, uint64_t off)
{
	static const struct {
		const char *start;
		uint32_t flavour;
	} table[] = {
		{ "libasan.so", TP_FLAVOUR_ASAN },
		{ "libclang_rt.asan", TP_FLAVOUR_ASAN },
		{ "libtsan.so", TP_FLAVOUR_TSAN },
		{ "libclang_rt.tsan", TP_FLAVOUR_TSAN },
	};
	char name[24];

	read_string(r, dyn, off, name, sizeof(name));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strncmp(name, table[i].start, strlen(table[i].start)) == 0)
			r->plan->flavour |= table[i].flavour;
}

/* ---- one symbol, through the GNU hash table ---- */

struct gnu_hash {
	uint32_t nbuckets, first, nbloom, shift; /* the table's own header … */
	uint64_t bloom, buckets, chains;         /* … and the addresses of its parts */
};

static uint32_t hash_name(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

static bool read_gnu_hash(const struct tpi_reader *r, uint64_t at, struct gnu_hash *ret_table)
{
	if (!at || read_address(r, at, ret_table, 4 * sizeof(uint32_t)) < 0)
		return false;
	ret_table->bloom = at + 4 * sizeof(uint32_t);
	ret_table->buckets = ret_table->bloom + ret_table->nbloom * sizeof(uint64_t);
	ret_table->chains = ret_table->buckets + ret_table->nbuckets * sizeof(uint32_t);
	return ret_table->nbuckets && ret_table->nbloom;
}

/* Says no for nearly every name that is not there, at the price of one read. */
static bool bloom_admits(const struct tpi_reader *r, const struct gnu_hash *t, uint32_t h)
{
	uint64_t word, at = t->bloom + h / 64 % t->nbloom * sizeof(word);

	if (read_address(r, at, &word, sizeof(word)) < 0)
		return false;
	return (word >> (h % 64) & 1) && (word >> ((h >> (t->shift % 32)) % 64) & 1);
}

static bool symbol_is(const struct tpi_reader *r, const struct dynamic *dyn, uint64_t index,
	const char *name)
{
	Elf64_Sym sym;
	char found[24];

	if (read_address(r, dyn->symtab + index * sizeof(sym), &sym, sizeof(sym)) < 0)
		return false;
	read_string(r, dyn, sym.st_name, found, sizeof(found));
	return sym.st_shndx != SHN_UNDEF && strcmp(found, name) == 0;
}

static bool defines(const struct tpi_reader *r, const struct dynamic *dyn,
	const struct gnu_hash *t, const char *name)
{
	uint32_t h = hash_name(name), index, entry;
	uint64_t at;

	if (!bloom_admits(r, t, h))
		return false;
	at = t->buckets + h % t->nbuckets * sizeof(index);
	if (read_address(r, at, &index, sizeof(index)) < 0 || index < t->first)
		return false;
	for (int i = 0; i < CHAIN_MAX; i++, index++) {
		at = t->chains + (uint64_t)(index - t->first) * sizeof(entry);
		if (read_address(r, at, &entry, sizeof(entry)) < 0)
			return false;
		if ((entry | 1) == (h | 1) && symbol_is(r, dyn, index, name))
			return true;
		if (entry & 1) /* the chain's last */
			return false;
	}
	return false;
}

/*
 * A sanitizer is either a shared library that is needed, or part of the executable, which then
 * exports its entry points (clang) or at least the libc functions that it stands in for (gcc's
 * -static-libasan): no ordinary program brings these with it.
 */
static void see_sanitizer(struct tpi_reader *r, const struct dynamic *dyn,
	const struct gnu_hash *table)
{
	static const struct {
		const char *all[4]; /* ends in NULL */
		uint32_t flavour;
	} sign[] = {
		{ { "__asan_init" }, TP_FLAVOUR_ASAN },
		{ { "malloc", "index", "__longjmp_chk" }, TP_FLAVOUR_ASAN },
		{ { "__tsan_init" }, TP_FLAVOUR_TSAN },
		{ { "malloc", "_setjmp", "epoll_wait" }, TP_FLAVOUR_TSAN },
	};

	for (size_t i = 0; i < sizeof(sign) / sizeof(sign[0]); i++) {
		const char *const *name = sign[i].all;

		while (*name && defines(r, dyn, table, *name))
			name++;
		if (!*name)
			r->plan->flavour |= sign[i].flavour;
	}
}

static void see_dynamic(struct tpi_reader *r, const Elf64_Phdr *ph)
{
	struct dynamic dyn;
	struct gnu_hash table;

	if (!read_dynamic(r, ph, &dyn))
		return;
	for (uint32_t i = 0; i < dyn.n; i++)
		if (dyn.entry[i].d_tag == DT_NEEDED)
			see_needed(r, &dyn, dyn.entry[i].d_un.d_val);
	/* What needs no interpreter may be a libc, which defines everything. */
	if (r->plan->has_interp && read_gnu_hash(r, dyn.gnu_hash, &table))
		see_sanitizer(r, &dyn, &table);
}

void tpi_plan_hints(struct tpi_reader *r)
{
	const Elf64_Phdr *dynamic = NULL;

	for (uint32_t i = 0; i < r->plan->phnum; i++) {
		if (r->phdr[i].p_type == PT_NOTE)
			read_notes(r, &r->phdr[i]);
		else if (r->phdr[i].p_type == PT_DYNAMIC && !dynamic)
			dynamic = &r->phdr[i];
	}
	if (!r->plan->has_interp)
		r->plan->flavour |= TP_FLAVOUR_STATIC;
	if (dynamic)
		see_dynamic(r, dynamic);
}
