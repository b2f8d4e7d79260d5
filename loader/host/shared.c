/* SPDX-License-Identifier: MIT */
/*
 * One rewritten copy of each interpreter's and libc's read-only part, in a memfd of the host, mapped MAP_PRIVATE into every
 * slot.
 *
 * Rewriting the file's own pages costs each program some thirty copied pages, gives the text an anon_vma, so that fork
 * copies all its page tables, and needs two mprotect calls, which interrupt every other CPU of the group. A shared copy
 * costs a mapping. It works because interpreter and libc have the same place in every slot (layout.h), and because the
 * stubs, in the memfd as well, find the control block from their own address.
 *
 * Headers, text and constants are one mapping, executable as a whole: each mapping of a group is one that every exit and
 * every fork of any program has to walk.
 *
 *	memfd:	[0, TP_SLOT_STUBS_SIZE) the stubs, as they lie in every slot | images, one behind the other
 *
 * The second program that needs a text makes the copy: a group that runs one program does not pay for it. Builders reserve
 * their bytes with one atomic add, fill them through the host's writable view, and publish with a release store of
 * text->shared that pairs with the acquire load of tpi_shared_ready. A builder that dies leaves its text unshared.
 */
#include "shared.h"
#include "stub.h"

#define AREA_SIZE (UINT64_C(64) << 20)
#define MFD_EXEC_FLAG 0x10
#define MFD_CLOEXEC_FLAG 1

static int area_fd = -1;
static uint8_t *area; /* the writable view */
static uint64_t stubs_used, texts_used = TP_SLOT_STUBS_SIZE;

static bool executable(int fd)
{
	long r = tpi_mmap(0, TP_PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (tpi_failed(r))
		return false;
	tpi_munmap((uint64_t)r, TP_PAGE_SIZE);
	return true;
}

void tpi_shared_init(void)
{
	static const char name[] = "tprun-text";
	long fd = arch_syscall3(ARCH_NR_memfd_create, (long)name, MFD_CLOEXEC_FLAG | MFD_EXEC_FLAG, 0), r;

	if (fd == -EINVAL) /* before Linux 6.3 */
		fd = arch_syscall3(ARCH_NR_memfd_create, (long)name, MFD_CLOEXEC_FLAG, 0);
	if (fd < 0)
		return;
	if (arch_syscall3(ARCH_NR_ftruncate, fd, AREA_SIZE, 0) || !executable((int)fd)) {
		tpi_close((int)fd);
		return;
	}
	r = tpi_mmap(0, AREA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (tpi_failed(r)) {
		tpi_close((int)fd);
		return;
	}
	tpi_madvise((uint64_t)r, AREA_SIZE, MADV_DONTDUMP); /* it is in no program's core, */
	tpi_madvise((uint64_t)r, AREA_SIZE, MADV_DONTFORK); /* and in no child */
	area = (uint8_t *)r;
	area_fd = (int)fd;
}

uint64_t tpi_shared_place(const struct tpi_text *t)
{
	return t->role == TPI_ROLE_LIBC ? TP_SLOT_LIBC : TP_SLOT_INTERP;
}

/* The text as it will lie at `place` of a unit; any unit's base will do, since all distances are within the unit. */
static bool rewrite(const struct tpi_text *t, uint8_t *copy, uint64_t place, uint64_t stubs)
{
	uint64_t at = stubs;

	for (uint32_t i = 0; i < t->nsites; i++) {
		const struct arch_site *site = &t->sites[i];
		uint64_t n;

		if (site->kind == ARCH_SITE_STUCK)
			continue;
		n = arch_stub_write(area + at, TP_SLOT_STUBS + at, site, place, 0, (uint64_t)arch_route_enter);
		if (!n)
			return false;
		arch_site_redirect(copy + site->off, site, place, TP_SLOT_STUBS + at);
		at += n;
	}
	for (uint32_t i = 0; i < t->npatches; i++)
		memcpy(copy + t->patches[i].off, t->patches[i].bytes, t->patches[i].len);
	return true;
}

/*
 * Whole pages of stubs for each text: nobody can have fetched instructions from a page that is still being written. What was
 * written leaves the data cache here; the kernel takes care of the rest when it first maps a page for execution.
 */
static bool build(struct tpi_text *t, uint64_t text)
{
	uint64_t len = t->head_len, need = tpi_page_up((uint64_t)t->nsites * ARCH_STUB_MAX);
	uint64_t stubs = __atomic_fetch_add(&stubs_used, need, __ATOMIC_RELAXED);
	uint64_t off = __atomic_fetch_add(&texts_used, len, __ATOMIC_RELAXED);

	if (t->bias_off + t->len > len || stubs + need > TP_SLOT_STUBS_SIZE || off + len > AREA_SIZE)
		return false;
	memcpy(area + off, (const void *)(text - t->bias_off), len);
	tpi_madvise(text, tpi_page_up(t->len), MADV_DONTNEED); /* as after a scan (text.c) */
	t->shared_off = off;
	if (!rewrite(t, area + off + t->bias_off, tpi_shared_place(t) + t->bias_off, stubs))
		return false;
	arch_sync_code((uint64_t)area + stubs, need);
	arch_sync_code((uint64_t)area + off, len);
	return true;
}

void tpi_shared_build(struct tpi_text *t, uint64_t text)
{
	uint32_t no = TPI_SHARED_NO;

	/* A libc gets its place later; anything else is worth it for the interpreter, which has it already. */
	if (t->role != TPI_ROLE_LIBC && ((text - t->bias_off) & (TP_UNIT_SIZE - 1)) != TP_SLOT_INTERP)
		return;
	if (!area || t->flag_off ||
	    !__atomic_compare_exchange_n(&t->shared, &no, TPI_SHARED_BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&t->shared, build(t, text) ? TPI_SHARED_READY : TPI_SHARED_NEVER, __ATOMIC_RELEASE);
}

long tpi_shared_map(const struct tpi_text *t, uint64_t unit_base)
{
	return tpi_mmap(unit_base + tpi_shared_place(t), t->head_len, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED, area_fd, t->shared_off);
}

long tpi_shared_map_stubs(uint64_t unit_base)
{
	return tpi_mmap(unit_base + TP_SLOT_STUBS, TP_SLOT_STUBS_SIZE, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED_NOREPLACE, area_fd, 0);
}
