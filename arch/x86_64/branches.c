/* SPDX-License-Identifier: MIT */
/*
 * One pass over a whole text for near branches. Most of them lead nowhere near a site: a small
 * bitmap over all targets turns those away before the sites are searched.
 */
#include "branches.h"

#include "words.h"

#define FILTER_WORDS 32
#define FILTER_SHIFT 6 /* one bit covers 64 bytes of text; bits are shared 2,048 bits apart */

struct search {
	struct arch_text text;
	struct arch_site *sites;
	size_t n;
	uint64_t filter[FILTER_WORDS];
};

static void filter_add(struct search *s, size_t to)
{
	size_t bit = to >> FILTER_SHIFT;

	s->filter[bit / 64 % FILTER_WORDS] |= UINT64_C(1) << bit % 64;
}

static bool filter_has(const struct search *s, size_t to)
{
	size_t bit = to >> FILTER_SHIFT;

	return s->filter[bit / 64 % FILTER_WORDS] >> bit % 64 & 1;
}

void arch_branch_mark(struct arch_site *s, size_t to)
{
	size_t k = to + ARCH_TARGETS_BEFORE - s->call;

	if (to + ARCH_TARGETS_BEFORE >= s->call && k < 32)
		s->targets |= UINT32_C(1) << k;
}

/* The first site whose neighbourhood ends behind `to`; sites are in ascending order. */
static size_t first_near(const struct search *s, size_t to)
{
	size_t low = 0;
	size_t high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->sites[mid].call + 32 <= to)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void target(struct search *s, size_t to)
{
	if (to >= s->text.len || !filter_has(s, to))
		return;
	for (size_t k = first_near(s, to); k < s->n && s->sites[k].call <= to + 32; k++)
		arch_branch_mark(&s->sites[k], to);
}

/* `at` is where the 4-byte distance is. */
static void near_branch(struct search *s, size_t at)
{
	const struct arch_distance {
		int32_t v;
	} __attribute__((packed, may_alias)) *d = (const void *)(s->text.p + at);

	target(s, at + 4 + (size_t)(int64_t)d->v);
}

static void look(struct search *s, size_t at)
{
	const uint8_t *p = s->text.p + at;

	if ((p[0] & 0xfe) == 0xe8 && s->text.len - at >= 5)
		near_branch(s, at + 1);
	else if (p[0] == 0x0f && s->text.len - at >= 6 && (p[1] & 0xf0) == 0x80)
		near_branch(s, at + 2);
}

void arch_branches_far(struct arch_text text, struct arch_site *sites, size_t n)
{
	struct search s;
	size_t at = 0;

	s.text = text;
	s.sites = sites;
	s.n = n;
	for (size_t k = 0; k < FILTER_WORDS; k++)
		s.filter[k] = 0;
	for (size_t k = 0; k < n; k++) {
		filter_add(&s, sites[k].call > 32 ? sites[k].call - 32 : 0);
		filter_add(&s, sites[k].call + 32);
		filter_add(&s, sites[k].call);
	}
	for (; n > 0 && at + 9 <= text.len; at += 8) {
		uint64_t v = arch_word_at(text.p + at);
		uint64_t next = arch_word_at(text.p + at + 1);
		uint64_t jump = (v & ARCH_EACH_BYTE(0xfe)) ^ ARCH_EACH_BYTE(0xe8);
		uint64_t jcc = (v ^ ARCH_EACH_BYTE(0x0f)) |
			       ((next & ARCH_EACH_BYTE(0xf0)) ^ ARCH_EACH_BYTE(0x80));
		uint64_t marks = arch_zero_bytes(jump) | arch_zero_bytes(jcc);

		for (; marks != 0; marks &= marks - 1)
			look(&s, at + arch_first_byte(marks));
	}
	for (; n > 0 && at < text.len; at++)
		look(&s, at);
}
