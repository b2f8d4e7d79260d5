/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_PLAN_H
#define TP_LOADER_PLAN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf-file.h"
#include "error.h"
#include "tp/abi/layout.h"

/*
 * What is to be mapped for an ELF file, and where it starts: pure data, made from the file's bytes
 * alone. The rules are those of the kernel's own loader (fs/binfmt_elf.c); where the kernel would
 * map something that can only crash (a segment past the end of the file, an entry point that is
 * not code), the file is refused with that reason instead.
 *
 * All addresses are the file's own. A position-independent file is mapped at a bias that is a
 * multiple of `align`, which is added to every address here; the bias of a fixed one is 0.
 */

enum tp_plan_kind {
	TP_PLAN_DYN = 1, /* ET_DYN: position independent; also every interpreter */
	TP_PLAN_EXEC,    /* ET_EXEC: at its own addresses or not at all */
};

/* More loadable segments than this are refused; those of an executable and its interpreter, each in
 * a file part and an anonymous part, fit into one launch message. */
enum { TP_PLAN_MAPS = 30 };

/* Limits on what a file may ask for. */
#define TP_PLAN_SPAN_MAX  (UINT64_C(32) << 30)  /* bytes from lo to hi, position independent */
#define TP_PLAN_ALIGN_MAX (UINT64_C(1) << 30)
#define TP_PLAN_EXEC_MIN  (UINT64_C(64) << 10)  /* lowest address of a fixed file */
#define TP_PLAN_EXEC_MAX  ((UINT64_C(1) << 47) - TP_PAGE_SIZE)

/* Bits of tp_plan.property. */
enum tp_plan_property {
	TP_PROPERTY_X86_IBT = 1 << 0,
	TP_PROPERTY_X86_SHSTK = 1 << 1,
	TP_PROPERTY_ARM_BTI = 1 << 2,
	TP_PROPERTY_ARM_PAC = 1 << 3,
};

/* Bits of tp_plan.flavour: hints, none of which is needed to map the file. */
enum tp_plan_flavour {
	TP_FLAVOUR_STATIC = 1 << 0, /* no interpreter */
	TP_FLAVOUR_GO = 1 << 1,     /* carries Go's build note */
	TP_FLAVOUR_ASAN = 1 << 2,   /* needs or contains AddressSanitizer's run-time */
	TP_FLAVOUR_TSAN = 1 << 3,   /* … ThreadSanitizer's */
};

/*
 * One mapping:
 *
 *	vaddr           vaddr + len - anon_len      vaddr + len
 *	| file pages, prot          | anonymous, anon_prot |
 *	            ^ zero_at, zero_len: the end of the last file page, to be zeroed
 *
 * vaddr, len, off and anon_len are whole pages. The maps are in ascending order and never overlap.
 * Gaps between them are not mapped. zero_len is not 0 only if prot has PROT_WRITE.
 */
struct tp_plan_map {
	uint64_t vaddr;
	uint64_t len;       /* of the whole map: file pages and anonymous pages */
	uint64_t off;       /* file offset of the first page; 0 if there are no file pages */
	uint64_t file_len;  /* bytes of the file from off on: at most len - anon_len; 0: all anonymous */
	uint64_t anon_len;  /* anonymous pages behind the file pages */
	uint64_t zero_at;   /* address */
	uint64_t zero_len;  /* less than a page */
	uint32_t prot;      /* PROT_* of the file pages */
	uint32_t anon_prot; /* PROT_* of the anonymous pages: always writable, as the kernel's are */
};

struct tp_plan {
	enum tp_plan_kind kind;
	uint64_t lo, hi;       /* from the first map's start to the last map's end */
	uint64_t align;        /* a power of two, at least a page: what the bias is a multiple of */
	uint64_t entry;
	uint64_t phdr;         /* address of the program headers, for AT_PHDR; 0 if not mapped */
	uint32_t phnum, phent; /* AT_PHNUM, AT_PHENT */
	bool stack_exec;       /* PT_GNU_STACK asks for an executable stack */
	bool has_interp;
	uint32_t property;     /* enum tp_plan_property */
	uint32_t flavour;      /* enum tp_plan_flavour */
	uint32_t nmap;
	struct tp_plan_map map[TP_PLAN_MAPS];
	char interp[PATH_MAX]; /* PT_INTERP, if has_interp */
};

/*
 * tp_plan_read - decide what to map.
 * @name:     how to call the file in a message
 * @ret_plan: holds nothing that must be released; undefined on failure
 * @err:      on failure the reason; may be NULL
 * Context: thread-safe; allocates nothing that outlives the call; reads the file.
 * Returns 0; -ENOEXEC: not an ELF file that can be run here, or damaged; -ENOMEM; -EIO and other
 * negative errnos of pread.
 */
int tp_plan_read(const struct tp_elf *elf, const char *name, struct tp_plan *ret_plan,
		 struct tp_error *err);

/*
 * tp_plan_read_interp - the same for the file that PT_INTERP names, with the two further rules of
 * an interpreter: it is position independent and names no interpreter itself.
 */
int tp_plan_read_interp(const struct tp_elf *elf, const char *name, struct tp_plan *ret_plan,
			struct tp_error *err);

/* tp_plan_copy - the same as an assignment, but only of the parts in use. */
void tp_plan_copy(const struct tp_plan *plan, struct tp_plan *ret_plan);

/* Bytes of file pages (not anonymous) of a map. */
static inline uint64_t tp_plan_map_file_pages(const struct tp_plan_map *m)
{
	return m->len - m->anon_len;
}

#endif
