/* SPDX-License-Identifier: MIT */
/*
 * One pass over a whole text for near branches. Most of them lead nowhere near a site: a small
 * bitmap over all targets turns those away before the sites are searched.
 */
#include "branches.h"

#include "words.h"

#define FILTER_WORDS 64
#define FILTER_SHIFT 6 /* one bit covers 64 bytes of text, and those 256 KiB further on */

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

static bool may_matter(const struct search *s, size_t to)
{
	size_t bit = to >> FILTER_SHIFT;

	return (to < s->text.len) & (s->filter[bit / 64 % FILTER_WORDS] >> bit % 64);
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

		if (s->sites[mid].call + 16 < to)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void target(struct search *s, size_t to)
{
	if (!may_matter(s, to))
		return;
	for (size_t k = first_near(s, to); k < s->n && s->sites[k].call <= to + ARCH_TARGETS_BEFORE; k++)
		arch_branch_mark(&s->sites[k], to);
}

/* The target, were a near jump to start at `at` and end within the text. */
static size_t would_lead_to(const struct search *s, size_t at)
{
	size_t distance_at = at + (s->text.p[at] == 0x0f ? 2 : 1);

	return distance_at + 4 + (size_t)(int64_t)(int32_t)arch_half_at(s->text.p + distance_at);
}

static void look(struct search *s, size_t at)
{
	const uint8_t *p = s->text.p + at;

	if (p[0] == 0xe9 || (p[0] == 0x0f && (p[1] & 0xf0) == 0x80 && s->text.len - at >= 6))
		target(s, would_lead_to(s, at));
}

/* The bytes of a word at which a near jump might start. */
static uint64_t jumps_in(const uint8_t *p)
{
	uint64_t v = arch_word_at(p);
	uint64_t next = arch_word_at(p + 1);
	uint64_t jump = v ^ ARCH_EACH_BYTE(0xe9);
	uint64_t jcc = (v ^ ARCH_EACH_BYTE(0x0f)) |
		       ((next & ARCH_EACH_BYTE(0xf0)) ^ ARCH_EACH_BYTE(0x80));

	return arch_zero_bytes(jump) | arch_zero_bytes(jcc);
}

/*
 * A quarter of all words hold a jump, too many for the processor to guess which. So the first
 * candidate of each word is tried without asking whether there is one: only the filter decides.
 */
static void look_at_word(struct search *s, size_t at)
{
	uint64_t marks = jumps_in(s->text.p + at);
	size_t first = at + arch_first_byte(marks | UINT64_C(1) << 63);

	if (may_matter(s, would_lead_to(s, first)))
		look(s, first);
	while ((marks &= marks - 1) != 0)
		look(s, at + arch_first_byte(marks));
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
		filter_add(&s, sites[k].call - (sites[k].call < 15 ? sites[k].call : 15));
		filter_add(&s, sites[k].call + 16);
	}
	for (; n > 0 && at + 8 + 6 <= text.len; at += 8)
		look_at_word(&s, at);
	for (; n > 0 && at + 5 <= text.len; at++)
		look(&s, at);
}
