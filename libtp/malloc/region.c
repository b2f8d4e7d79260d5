/* SPDX-License-Identifier: MIT */
/*
 * What core.h promises to the engine, for the malloc of a process: the group's region if there is one, else a region of its own, else none
 * and the C library's malloc is used.
 *
 * The first to allocate is the dynamic linker, before any constructor and any second thread. libtp's own state (../member.c) is another
 * copy: a program may use both, and a forked child, who is nobody in the group, goes on allocating in its copy of the region.
 */
#include <errno.h>
#include <linux/mman.h>
#include <sys/auxv.h>

#include "heap-place.h"
#include "library.h"
#include "region.h"
#include "syscall.h"
#include "tp/abi/control.h"

#define OWN_LEAST (2 * TPI_REGION_META)

union tpi_member_page tpi_member_page __attribute__((aligned(4096)));
struct tpi_region tpi_region;
union tpi_region_mark tpi_region_mark __attribute__((aligned(4096)));

/* Stands for the group's segment where there is no group: nobody but us is alive in it. */
static struct tp_segment no_segment;

static void set_mark(void)
{
	tpi_region_mark.here = 1;
	arch_syscall3(ARCH_NR_madvise, (long)&tpi_region_mark, sizeof(tpi_region_mark), MADV_WIPEONFORK);
}

/* As the loader made us: where the random bytes lie is the first stack, and that lies in the slot. */
static const struct tp_control *own_control(const struct tp_segment *s)
{
	uint64_t stack = getauxval(AT_RANDOM);
	const struct tp_control *c = (const struct tp_control *)TP_UNIT_BASE(TP_UNIT_OF(stack));

	if (TP_UNIT_OF(stack) >= TP_UNITS || s->owner[TP_UNIT_OF(stack)] <= TP_OWNER_RESERVED)
		return NULL;
	return c->magic == TP_CONTROL_MAGIC ? c : NULL;
}

/* Return: false: no group, or a group without the region. */
static bool find_group(void)
{
	struct tp_segment *s = (struct tp_segment *)getauxval(TP_AT_TP);
	const struct tp_control *c;

	if (!s || s->magic != TP_SEGMENT_MAGIC || s->abi_major != TP_ABI_MAJOR)
		return false;
	c = own_control(s);
	tpi_region.size = s->areas[TP_AREA_PRIVATE_HEAP].size;
	if (!c || !tpi_region.size || tpi_region.size > TP_PRIVATE_HEAP_MAX || tpi_region.size < OWN_LEAST)
		return false;
	tpi_region.mode = TPI_REGION_GROUP;
	tpi_region.forked = c->alone; /* loaded late, by a forked child */
	tpi_self.id = c->id;
	tpi_self.tag = c->alone ? TPI_REGION_TAG : TP_TAG(c->id);
	tpi_self.index = TP_ID_INDEX(c->id);
	tpi_self.entry = c->program;
	tpi_self.segment = s;
	return true;
}

static bool map_own(void)
{
	for (uint64_t size = TP_PRIVATE_HEAP_MAX; size >= OWN_LEAST; size /= 2) {
		long r = arch_syscall6(ARCH_NR_mmap, (long)TP_PRIVATE_HEAP_BASE, (long)size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

		if (r == -ENOMEM)
			continue;
		if (r != (long)TP_PRIVATE_HEAP_BASE)
			return false;
		tpi_region.mode = TPI_REGION_OWN;
		tpi_region.size = size;
		tpi_self.tag = TPI_REGION_TAG;
		tpi_self.segment = &no_segment;
		return true;
	}
	return false;
}

int tpi_ready_slow(void)
{
	if (tpi_region.mode != TPI_REGION_UNKNOWN)
		return -ENOTCONN;
	tpi_region.mode = TPI_REGION_ASIDE;
	if (!find_group() && (getauxval(TP_AT_TP) || !map_own()))
		return -ENOTCONN;
	tpi_self.threads = tpi_threads_create();
	if (!tpi_self.threads) {
		tpi_self.segment = NULL;
		tpi_region.mode = TPI_REGION_ASIDE;
		return -ENOTCONN;
	}
	tpi_ended_watch();
	set_mark();
	return 0;
}

bool tpi_alive(tp_id id)
{
	const struct tp_program *e = tpi_entry(TP_ID_INDEX(id) % TP_REGISTRY_MAX);
	uint32_t state = __atomic_load_n(&e->state, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&e->id, __ATOMIC_ACQUIRE) == id &&
	       (state == TP_PROGRAM_STARTING || state == TP_PROGRAM_RUNNING);
}

bool tpi_tag_alive(uint32_t tag)
{
	tp_id id;

	if (tag == tpi_self.tag || tpi_region.mode != TPI_REGION_GROUP || tpi_region.forked)
		return true;
	id = __atomic_load_n(&tpi_entry(TP_TAG_INDEX(tag))->id, __ATOMIC_ACQUIRE);
	return tag && TP_TAG(id) == tag && tpi_alive(id);
}

extern char **environ __attribute__((weak));

__attribute__((constructor)) static void at_start(void)
{
	if (tpi_ready() == 0 && tpi_region.mode == TPI_REGION_GROUP && &environ)
		tpi_preload_forget(environ);
	if (tpi_region.mode == TPI_REGION_ASIDE && getauxval(TP_AT_TP))
		tpi_complain("libtp-malloc: this group has no memory for it, so malloc is the C library's (start the group with "
			     "tprun run --shared-malloc)");
}
