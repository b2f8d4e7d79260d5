/* SPDX-License-Identifier: MIT */
/*
 * Room for a program's mappings: the near zone and the mmap zone of its first unit, then further units. A further unit
 * starts with its hints and has its bitmap where the first one has it.
 */
#include "host.h"

struct zone {
	uint32_t from, to; /* pages of the unit */
	struct tp_hints *hints;
};

static struct zone zone_of(struct tp_control *c, enum tpi_zone which)
{
	if (which == TPI_ZONE_NEAR)
		return (struct zone){ TP_SLOT_NEAR >> TP_PAGE_SHIFT, TP_SLOT_NEAR_END >> TP_PAGE_SHIFT, &c->near_hints };
	return (struct zone){ (TP_SLOT_MMAP >> TP_PAGE_SHIFT) + c->colour, (uint32_t)((c->limit - c->base) >> TP_PAGE_SHIFT), &c->hints };
}

static uint32_t take_from(uint64_t *bitmap, struct zone z, uint32_t n, uint32_t align)
{
	struct tpi_hint h = tpi_hint_get(z.hints, n, align);
	uint32_t page, from = h.page > z.from ? h.page : z.from;

	do {
		page = tpi_pages_find(bitmap, from, z.to, n, align);
		from = page;
	} while (page != UINT32_MAX && !tpi_hint_claim(z.hints, bitmap, page, n));
	tpi_hint_raise(z.hints, &h, page == UINT32_MAX ? z.to : page + n);
	return page;
}

/* Another unit of the group, for this program only. The registry entry lists it before owner[] names it ours. */
static uint64_t unit_add(struct tp_control *c, uint32_t count)
{
	struct tp_segment *s = TPI_SEGMENT;
	struct tp_program *p = c->program;
	uint32_t run = 0;

	if (c->alone)
		return 0;
	for (uint32_t u = TP_UNITS; u-- > 0;) {
		run = __atomic_load_n(&s->owner[u], __ATOMIC_RELAXED) == TP_OWNER_NONE ? run + 1 : 0;
		if (run < count)
			continue;
		uint32_t slot = __atomic_fetch_add(&p->extra_units_n, count, __ATOMIC_ACQ_REL), got = 0;

		if (slot + count > TP_EXTRA_UNITS_MAX) {
			__atomic_fetch_sub(&p->extra_units_n, count, __ATOMIC_ACQ_REL);
			return 0;
		}
		for (; got < count; got++) {
			uint64_t none = TP_OWNER_NONE;

			__atomic_store_n(&p->extra_units[slot + got], u + got, __ATOMIC_RELEASE);
			if (!__atomic_compare_exchange_n(&s->owner[u + got], &none, c->id, false, __ATOMIC_ACQ_REL,
							 __ATOMIC_RELAXED))
				break;
		}
		if (got == count)
			return TP_UNIT_BASE(u);
		/* Somebody was faster: keep what was taken as spent registry slots, give the units back. */
		for (uint32_t i = 0; i < got; i++)
			__atomic_store_n(&s->owner[u + i], TP_OWNER_NONE, __ATOMIC_RELEASE);
		for (uint32_t i = 0; i < count; i++)
			__atomic_store_n(&p->extra_units[slot + i], 0, __ATOMIC_RELEASE);
		run = 0;
	}
	return 0;
}

/* Units in one piece for a mapping that fits in no unit; they carry no bitmap and stay the program's to its end. */
static uint64_t take_units(struct tp_control *c, uint64_t len)
{
	uint64_t count = (len + TP_UNIT_SIZE - 1) >> TP_UNIT_SHIFT;

	return count <= TP_EXTRA_UNITS_MAX ? unit_add(c, (uint32_t)count) : 0;
}

static struct zone extra_zone(uint64_t base)
{
	return (struct zone){ TP_SLOT_NEAR >> TP_PAGE_SHIFT, TP_UNIT_SIZE >> TP_PAGE_SHIFT, (struct tp_hints *)base };
}

static uint64_t take_extra(struct tp_control *c, uint32_t n, uint32_t align)
{
	uint32_t have = __atomic_load_n(&c->units_n, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < TP_EXTRA_UNITS_MAX; i++) {
		uint64_t base, page;

		if (i >= have) {
			base = unit_add(c, 1);
			if (!base || tpi_failed(tpi_mmap(base, TP_SLOT_BITMAP + TP_SLOT_BITMAP_SIZE, PROT_READ | PROT_WRITE,
							 TPI_MAP_ANON | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0)))
				return 0;
			have = __atomic_fetch_add(&c->units_n, 1, __ATOMIC_ACQ_REL);
			if (have >= TP_EXTRA_UNITS_MAX)
				return 0;
			__atomic_store_n(&c->units[have], base, __ATOMIC_RELEASE);
			i = have;
			have++;
		}
		base = __atomic_load_n(&c->units[i], __ATOMIC_ACQUIRE);
		if (!base)
			continue;
		page = take_from(tpi_bitmap(base), extra_zone(base), n, align);
		if (page != UINT32_MAX)
			return base + (page << TP_PAGE_SHIFT);
	}
	return 0;
}

static uint64_t take_anywhere(struct tp_control *c, enum tpi_zone which, uint64_t len, uint64_t align)
{
	uint32_t n = (uint32_t)(len >> TP_PAGE_SHIFT), pages_align = (uint32_t)(align >> TP_PAGE_SHIFT), page;

	if (len > TP_UNIT_SIZE - TP_SLOT_NEAR)
		return take_units(c, len);
	if (which == TPI_ZONE_NEAR) {
		page = take_from(tpi_bitmap(c->base), zone_of(c, TPI_ZONE_NEAR), n, pages_align);
		if (page != UINT32_MAX)
			return c->base + ((uint64_t)page << TP_PAGE_SHIFT);
	}
	page = take_from(tpi_bitmap(c->base), zone_of(c, TPI_ZONE_MMAP), n, pages_align);
	if (page != UINT32_MAX)
		return c->base + ((uint64_t)page << TP_PAGE_SHIFT);
	return take_extra(c, n, pages_align);
}

/* Returns an address whose pages nobody else will map, or 0. */
uint64_t tpi_space_take(struct tp_control *c, enum tpi_zone which, uint64_t len, uint64_t align)
{
	uint64_t addr = take_anywhere(c, which, len, align);

	if (addr && len <= TP_UNIT_SIZE)
		__atomic_fetch_add(&c->pages, len >> TP_PAGE_SHIFT, __ATOMIC_RELAXED);
	return addr;
}

/* The unit of the program that holds the whole range and has a bitmap, or 0. */
static uint64_t unit_of(const struct tp_control *c, uint64_t addr, uint64_t len)
{
	uint64_t base = addr & ~(TP_UNIT_SIZE - 1);

	if (!len || len > TP_UNIT_SIZE || addr + len > base + TP_UNIT_SIZE)
		return 0;
	if (base == c->base)
		return base;
	for (uint32_t i = 0; i < TP_EXTRA_UNITS_MAX && i < __atomic_load_n(&c->units_n, __ATOMIC_ACQUIRE); i++)
		if (__atomic_load_n(&c->units[i], __ATOMIC_ACQUIRE) == base)
			return base;
	return 0;
}

static uint32_t page_in(uint64_t base, uint64_t addr)
{
	return (uint32_t)((addr - base) >> TP_PAGE_SHIFT);
}

/* The hints that cover a page of a unit. */
static struct tp_hints *hints_at(struct tp_control *c, uint64_t base, uint32_t page)
{
	if (base != c->base)
		return (struct tp_hints *)base;
	return page < TP_SLOT_NEAR_END >> TP_PAGE_SHIFT ? &c->near_hints : &c->hints;
}

bool tpi_space_take_at(struct tp_control *c, uint64_t addr, uint64_t len)
{
	uint64_t base = unit_of(c, addr, len);
	uint32_t page = page_in(base, addr);

	if (!base || !tpi_hint_claim(hints_at(c, base, page), tpi_bitmap(base), page, page_in(0, len)))
		return false;
	__atomic_fetch_add(&c->pages, len >> TP_PAGE_SHIFT, __ATOMIC_RELAXED);
	return true;
}

void tpi_space_set(struct tp_control *c, uint64_t addr, uint64_t len)
{
	uint64_t base = unit_of(c, addr, len);

	if (base)
		__atomic_fetch_add(&c->pages, tpi_pages_set(tpi_bitmap(base), page_in(base, addr), page_in(0, len)),
				   __ATOMIC_RELAXED);
}

void tpi_space_give(struct tp_control *c, uint64_t addr, uint64_t len)
{
	uint64_t base = unit_of(c, addr, len);
	uint32_t page = page_in(base, addr);

	if (!base)
		return;
	tpi_data_note(c, addr, len, false);
	__atomic_fetch_sub(&c->pages, tpi_pages_clear(tpi_bitmap(base), page, page_in(0, len)), __ATOMIC_RELAXED);
	tpi_hint_freed(hints_at(c, base, page), page);
}

/*
 * Every unit that the range touches is the program's. A forked child may outlive its parent, whose units then go to others:
 * it asks its own copy of the control block, or it could give no page back.
 */
bool tpi_space_own(const struct tp_control *c, uint64_t addr, uint64_t len)
{
	uint64_t first = addr >> TP_UNIT_SHIFT, last = (addr + len - 1) >> TP_UNIT_SHIFT;

	if (c->alone)
		return unit_of(c, addr, len) != 0;
	if (addr + len < addr || last >= TP_UNITS)
		return false;
	for (uint64_t u = first; u <= last; u++)
		if (__atomic_load_n(&TPI_SEGMENT->owner[u], __ATOMIC_RELAXED) != c->id)
			return false;
	return true;
}

/* The range touches a unit of another program, or the group segment. */
bool tpi_space_foreign(const struct tp_control *c, uint64_t addr, uint64_t len)
{
	uint64_t first = addr >> TP_UNIT_SHIFT, last = (addr + len - 1) >> TP_UNIT_SHIFT;

	if (addr + len < addr || c->alone)
		return false;
	if (addr < TP_SEGMENT_END && addr + len > TP_SEGMENT_BASE)
		return true;
	for (uint64_t u = first; u <= last && u < TP_UNITS; u++) {
		uint64_t owner = __atomic_load_n(&TPI_SEGMENT->owner[u], __ATOMIC_RELAXED);

		if (owner > TP_OWNER_RESERVED && owner != c->id)
			return true;
	}
	return false;
}

/* Something was mapped here: the next fork of another program must mark this unit again (fork.c). */
void tpi_space_dirty(struct tp_control *c, uint64_t addr)
{
	uint32_t u = TP_UNIT_OF(addr);

	if (!c->alone && u < TP_UNITS && !__atomic_load_n(&TPI_SEGMENT->dirty[u], __ATOMIC_RELAXED))
		__atomic_store_n(&TPI_SEGMENT->dirty[u], 1, __ATOMIC_RELEASE);
}

/* RLIMIT_AS of the program. */
bool tpi_space_over(const struct tp_control *c, uint64_t more)
{
	uint64_t limit = __atomic_load_n(&c->rlimit_as[0], __ATOMIC_RELAXED);

	if (limit == UINT64_MAX)
		return false;
	return (__atomic_load_n(&c->pages, __ATOMIC_RELAXED) << TP_PAGE_SHIFT) + more > limit;
}
