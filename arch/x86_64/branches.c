/* SPDX-License-Identifier: MIT */
/*
 * One pass over the text around the sites for near branches. Most of them lead nowhere near a site: a small
 * bitmap over all targets turns those away before the sites are searched.
 */
#include "branches.h"

#include "marks.h"
#include "words.h"

#define FILTER_WORDS 32
#define FILTER_SHIFT 6 /* one bit covers 64 bytes of text, and those 128 KiB further on */
#define BATCH 8	       /* marks at a time */

struct search {
	struct arch_text text;
	struct arch_site *sites;
	size_t n;
	struct arch_function *function;
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

/* The first site whose neighbourhood ends behind `to`. */
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

static void count_caller(struct search *s, size_t at)
{
	struct arch_walk w;

	arch_walk_init(&w, s->text, at, ARCH_WALK_SHORT);
	if (!arch_walk_is_boundary(&w))
		return;
	if (s->text.p[at] != 0xe8) {
		s->function->jumped_to = true;
		return;
	}
	s->function->caller = at;
	s->function->callers++;
}

static void target(struct search *s, size_t at, size_t to)
{
	if (to == s->function->entry)
		count_caller(s, at);
	for (size_t k = first_near(s, to); k < s->n && s->sites[k].call <= to + ARCH_TARGETS_BEFORE; k++)
		arch_branch_mark(&s->sites[k], to);
}

/* A near jump or call at `at`, which ends within the text. */
static void near_branch(struct search *s, size_t at)
{
	size_t distance_at = at + (s->text.p[at] == 0x0f ? 2 : 1);
	size_t to = distance_at + 4 + (size_t)(int64_t)(int32_t)arch_half_at(s->text.p + distance_at);

	if (may_matter(s, to))
		target(s, at, to);
}

static void look(struct search *s, size_t at)
{
	const uint8_t *p = s->text.p + at;
	size_t left = s->text.len - at;

	if ((left >= 5 && (p[0] & 0xfe) == 0xe8) || (left >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80))
		near_branch(s, at);
}

static void prepare(struct search *s)
{
	for (size_t k = 0; k < FILTER_WORDS; k++)
		s->filter[k] = 0;
	for (size_t k = 0; k < s->n; k++) {
		size_t call = s->sites[k].call;

		filter_add(s, call - (call < ARCH_TARGETS_BEFORE ? call : ARCH_TARGETS_BEFORE));
		filter_add(s, call + 16);
	}
	if (s->function->entry != SIZE_MAX)
		filter_add(s, s->function->entry);
}

/* Near branches that start in [at, end). */
static void look_between(struct search *s, size_t at, size_t end)
{
	uint64_t marks[BATCH];

	while (end - at >= BATCH * ARCH_MARK_BYTES && s->text.len - at >= BATCH * ARCH_MARK_BYTES + 6) {
		arch_mark_jumps(s->text.p + at, BATCH, marks);
		for (size_t k = 0; k < BATCH; k++, at += ARCH_MARK_BYTES) {
			for (uint64_t jumps = marks[k]; jumps != 0; jumps &= jumps - 1)
				near_branch(s, at + (size_t)__builtin_ctzll(jumps));
		}
	}
	for (; at < end; at++)
		look(s, at);
}

static size_t window_start(const struct search *s, size_t k)
{
	size_t call = s->sites[k].call;

	return call > ARCH_BRANCH_FAR ? call - ARCH_BRANCH_FAR : 0;
}

static size_t window_end(const struct search *s, size_t k)
{
	size_t call = s->sites[k].call;

	return s->text.len - call > ARCH_BRANCH_FAR ? call + ARCH_BRANCH_FAR : s->text.len;
}

static void look_near_sites(struct search *s)
{
	size_t done = 0;

	for (size_t k = 0; k < s->n; k++) {
		size_t start = window_start(s, k), end = window_end(s, k);

		look_between(s, start > done ? start : done, end);
		done = end;
	}
}

void arch_branches_far(struct arch_text text, struct arch_site *sites, size_t n, struct arch_function *f)
{
	struct search s;

	if (n == 0)
		return;
	s.text = text;
	s.sites = sites;
	s.n = n;
	s.function = f;
	prepare(&s);
	/* Calls may come from anywhere. */
	if (f->entry != SIZE_MAX)
		look_between(&s, 0, text.len);
	else
		look_near_sites(&s);
}
