/* SPDX-License-Identifier: MIT */
/*
 * Gives the executable and its interpreter their addresses: one behind the other in the near zone,
 * where the stubs of their system calls are in reach; a fixed-address executable where it wants to
 * be.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "supervise/launch.h"

#define TP_PLACE_HUGE (UINT64_C(512) << 20)

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

static void put(struct tp_place *p, const struct tp_host_map *map)
{
	p->maps[p->nmaps++] = *map;
}

/* One map of the plan is up to two of the host's: pages of the file, and anonymous ones behind. */
static void put_map(
	struct tp_place *p, const struct tp_plan_map *m, uint64_t bias, int fd, uint32_t outside)
{
	uint64_t file_pages = tp_plan_map_file_pages(m);

	if (file_pages)
		put(p, &(struct tp_host_map){.addr = bias + m->vaddr,
			       .len = file_pages,
			       .off = m->off,
			       .prot = m->prot,
			       .fd = fd,
			       .zero_at = m->zero_len ? bias + m->zero_at : 0,
			       .zero_len = m->zero_len,
			       .outside = outside});
	if (m->anon_len)
		put(p, &(struct tp_host_map){.addr = bias + m->vaddr + file_pages,
			       .len = m->anon_len,
			       .prot = m->anon_prot,
			       .fd = -1,
			       .outside = outside});
}

static void put_image(
	struct tp_place *p, const struct tp_plan *plan, uint64_t bias, int fd, uint32_t scan)
{
	uint32_t first = p->nmaps;

	for (uint32_t i = 0; i < plan->nmap; i++)
		put_map(p, &plan->map[i], bias, fd, plan->kind == TP_PLAN_EXEC);
	p->images[p->nimages++] = (struct tp_host_image){.bias = bias,
		.first_map = first,
		.nmaps = p->nmaps - first,
		.fd = fd,
		.scan = scan};
}

/* Where the next image may start, and what it must not reach. */
struct zone {
	uint64_t at, end;
};

static int fit(const struct tp_plan *plan, struct zone *zones, int n, uint64_t *ret_bias)
{
	for (int i = 0; i < n; i++) {
		uint64_t bias = align_up(zones[i].at - plan->lo, plan->align);

		if (bias + plan->hi > zones[i].end)
			continue;
		zones[i].at = bias + plan->hi + TP_PAGE_SIZE;
		*ret_bias = bias;
		return 0;
	}
	return -ENOMEM;
}

/*
 * The interpreter goes to its own place, where its rewritten text is shared with other programs;
 * there and in the near zone its stubs are in reach. A huge executable goes behind what the program
 * maps later.
 */
static int fit_images(const struct tp_image *image, uint64_t base, struct tp_place *p)
{
	struct zone zones[] = {
		{base + TP_SLOT_INTERP, base + TP_SLOT_LIBC},
		{base + TP_SLOT_NEAR, base + TP_SLOT_NEAR_END},
		{base + TP_SLOT_MMAP, base + TP_SLOT_STACK_TOP - TP_SLOT_STACK_RESERVE},
	};
	bool huge = image->plan.hi - image->plan.lo > TP_PLACE_HUGE;
	int r = image->has_interp ? fit(&image->interp_plan, zones, 3, &p->interp_bias) : 0;

	if (!r && image->plan.kind != TP_PLAN_EXEC)
		r = fit(&image->plan, zones + (huge ? 2 : 1), huge ? 1 : 2, &p->bias);
	return r;
}

/* Most dynamic executables leave system calls to their libc; Go's and clang's sanitizer run-times
 * make their own. */
static uint32_t scan_of(const struct tp_image *image)
{
	if (!image->has_interp)
		return TP_SCAN_STATIC;
	return image->plan.flavour & (TP_FLAVOUR_GO | TP_FLAVOUR_ASAN) ? TP_SCAN_CALLS : TP_SCAN_NO;
}

int tp_place_image(
	const struct tp_image *image, uint64_t base, struct tp_place *ret, struct tp_error *err)
{
	const struct tp_plan *exe = &image->plan, *interp = &image->interp_plan;
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->base = base;
	if (exe->kind == TP_PLAN_EXEC)
		ret->fixed = (struct tp_range){exe->lo, exe->hi - exe->lo};
	r = fit_images(image, base, ret);
	if (r < 0)
		return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, r, image->exe.realpath,
			"could not be started: it is too large for one slot");
	put_image(ret, exe, ret->bias, 0, scan_of(image));
	ret->entry = ret->exe_entry = exe->entry + ret->bias;
	if (image->has_interp) {
		put_image(ret, interp, ret->interp_bias, 1, TP_SCAN_CALLS);
		ret->entry = interp->entry + ret->interp_bias;
	}
	return 0;
}
