/* SPDX-License-Identifier: MIT */
/*
 * Rewriting an image's text: stubs into the program's stub area, a jump over every site, the patched stores.
 *
 * It happens before anybody can execute that text: in the child before its first instruction, or inside the mmap that maps
 * it. The whole mapping becomes writable once and executable again once; page by page would split it for good.
 */
#include "shared.h"
#include "stub.h"

#define NEAR_STEP  UINT64_C(0x10000)
#define NEAR_TRIES 1024

struct stubs {
	uint64_t at, len, used;
};

static uint64_t bytes_for(const struct tpi_text *t)
{
	return tpi_page_up((uint64_t)t->nsites * ARCH_STUB_MAX);
}

static bool map_stubs(uint64_t at, uint64_t len)
{
	return !tpi_failed(tpi_mmap(at, len, PROT_READ | PROT_WRITE, TPI_MAP_ANON | MAP_FIXED_NOREPLACE, -1, 0));
}

/* In the first unit, within reach of its near zone. */
static bool stubs_in_slot(struct tp_control *c, struct stubs *s)
{
	uint64_t used = __atomic_fetch_add(&c->stubs_used, s->len, __ATOMIC_RELAXED);

	if (used + s->len > TP_SLOT_OWN_STUBS_SIZE)
		return false;
	s->at = c->base + TP_SLOT_OWN_STUBS + used;
	return map_stubs(s->at, s->len);
}

/* Every branch between the stubs and [text, end) can be made. */
static bool in_reach(uint64_t stubs, uint64_t len, uint64_t text, uint64_t end)
{
	uint64_t low = stubs < text ? stubs : text, high = stubs + len > end ? stubs + len : end;

	return high - low < ARCH_STUB_REACH;
}

/* In the first unit, but behind an image that is too far from where stubs usually are. */
static bool stubs_behind(struct tp_control *c, struct stubs *s, uint64_t text, uint64_t end)
{
	for (unsigned i = 1; i <= NEAR_TRIES; i++) {
		s->at = tpi_page_up(end) + i * NEAR_STEP;
		if (!in_reach(s->at, s->len, text, end))
			return false;
		if (!tpi_space_take_at(c, s->at, s->len))
			continue;
		if (map_stubs(s->at, s->len))
			return true;
		tpi_space_give(c, s->at, s->len);
	}
	return false;
}

/* Behind a fixed-address executable: its text is out of the unit's reach. */
static bool stubs_outside(struct tp_control *c, struct stubs *s, uint64_t end)
{
	for (int i = 0; i < NEAR_TRIES / 16; i++) {
		s->at = tpi_page_up(end) + (uint64_t)(i + 1) * NEAR_STEP;
		if (!c->alone)
			tpi_outside_add(c->program, s->at, s->len);
		if (map_stubs(s->at, s->len))
			return true;
		if (!c->alone)
			tpi_outside_remove(c->program, s->at, s->len);
	}
	return false;
}

static bool redirect(struct tp_control *c, struct stubs *s, const struct arch_site *site, uint64_t text)
{
	uint64_t n;

	if (site->kind == ARCH_SITE_STUCK)
		return false;
	n = arch_stub_write((uint8_t *)(s->at + s->used), s->at + s->used, site, text, (uint64_t)c,
			    (uint64_t)arch_route_enter);
	if (!n)
		return false;
	arch_site_redirect((uint8_t *)(text + site->off), site, text, s->at + s->used);
	s->used += n;
	return true;
}

static void apply(struct tp_control *c, const struct tpi_text *t, struct stubs *s, uint64_t text)
{
	uint32_t warnings = t->warnings;

	for (uint32_t i = 0; i < t->nsites; i++)
		if (!redirect(c, s, &t->sites[i], text))
			warnings |= TP_WARN_UNROUTED;
	for (uint32_t i = 0; i < t->npatches; i++)
		memcpy((void *)(text + t->patches[i].off), t->patches[i].bytes, t->patches[i].len);
	if (t->flag_off)
		*(volatile uint8_t *)(text + (uint64_t)t->flag_off) = 0;
	if (warnings)
		tpi_warn(c, warnings);
}

static bool is_outside(const struct tp_control *c, uint64_t text)
{
	return text < c->base || text >= c->base + TP_UNIT_SIZE;
}

static bool place_stubs(struct tp_control *c, struct stubs *s, uint64_t text, uint64_t end)
{
	if (is_outside(c, text))
		return stubs_outside(c, s, end);
	if (in_reach(c->base + TP_SLOT_OWN_STUBS, TP_SLOT_OWN_STUBS_SIZE, text, end))
		return stubs_in_slot(c, s);
	return stubs_behind(c, s, text, end);
}

static void patch_text(struct tp_control *c, struct tpi_text *t, uint64_t text, uint64_t len, uint64_t end)
{
	struct stubs s = { 0, bytes_for(t), 0 };
	bool outside = is_outside(c, text);

	if (__atomic_fetch_add(&t->used, 1, __ATOMIC_RELAXED) && !outside && !c->alone)
		tpi_shared_build(t, text);
	if (s.len && !place_stubs(c, &s, text, end))
		goto unrouted;
	if (tpi_mprotect(text, len, PROT_READ | PROT_WRITE))
		goto unrouted;
	apply(c, t, &s, text);
	if (tpi_mprotect(text, len, PROT_READ | PROT_EXEC) || (s.len && tpi_mprotect(s.at, s.len, PROT_READ | PROT_EXEC)))
		goto unrouted;
	arch_sync_code(text, len);
	if (s.len)
		arch_sync_code(s.at, s.len);
	return;
unrouted:
	tpi_warn(c, TP_WARN_UNROUTED);
}

/* A libc other than the one that was expected: its place was kept for nothing. */
static void drop_expected(struct tp_control *c)
{
	if (c->libc_head.len)
		tpi_munmap(c->libc_head.addr, c->libc_head.len);
	c->libc_head.len = 0;
}

void tpi_patch_mapped(struct tp_control *c, uint64_t text, uint64_t len, int fd, uint64_t off)
{
	struct tpi_text *t, *interp;

	if (!tpi_can_patch)
		return;
	t = tpi_text_facts(c, fd, text, len, off, TPI_ROLE_LOADED, 0);
	if (!t)
		return;
	if (t->role == TPI_ROLE_LIBC) {
		drop_expected(c);
		interp = tpi_text_by_number(c->interp_facts);
		if (interp)
			__atomic_store_n(&interp->libc, tpi_text_number(t), __ATOMIC_RELAXED);
	}
	patch_text(c, t, text, tpi_page_up(t->len), text + len);
	tpi_text_release(c, t);
}

static enum tpi_role role_of(const struct tp_host_image *image)
{
	return image->scan == TP_SCAN_STATIC ? TPI_ROLE_STATIC : TPI_ROLE_CALLS;
}

void tpi_patch_image(struct tp_control *c, const struct tp_host_image *image, const struct tp_host_map *maps, int fd)
{
	const struct tp_host_map *last = &maps[image->first_map + image->nmaps - 1];

	if (!tpi_can_patch) {
		tpi_warn(c, TP_WARN_NOT_PATCHED);
		return;
	}
	for (uint32_t i = image->first_map; i < image->first_map + image->nmaps; i++) {
		struct tpi_text *t;

		if (maps[i].fd < 0 || !(maps[i].prot & PROT_EXEC) || (maps[i].prot & PROT_WRITE))
			continue;
		t = tpi_text_facts(c, fd, maps[i].addr, maps[i].len, maps[i].off, role_of(image), image->bias);
		if (!t)
			continue;
		c->interp_facts = tpi_text_number(t);
		patch_text(c, t, maps[i].addr, maps[i].len, last->addr + last->len);
		tpi_text_release(c, t);
	}
}
