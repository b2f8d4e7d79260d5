/* SPDX-License-Identifier: MIT */
/*
 * See codewalk.h. Nothing here trusts the bytes: a walk over data gives fewer proofs, no over-read.
 */
#include "codewalk.h"

static void vote(struct arch_walk *w, size_t off)
{
	size_t k = off - w->base;
	bool branches = false;
	unsigned len;

	if (w->votes[k] == 0)
		return;
	len = arch_insn_length(w->text.p + off, w->text.len - off, &branches);
	if (len == 0)
		return;
	w->lens[k] = (uint8_t)(len | (branches ? ARCH_WALK_BRANCHES : 0));
	if (off + len <= w->place)
		w->votes[k + len] += w->votes[k];
	else
		w->over += w->votes[k];
}

void arch_walk_init(struct arch_walk *w, struct arch_text text, size_t place, size_t back)
{
	size_t seeds;

	w->text = text;
	w->place = place;
	w->base = place > back ? place - back : 0;
	w->over = 0;
	for (size_t k = 0; k <= place - w->base; k++)
		w->votes[k] = w->lens[k] = 0;
	/* The start of a text is a boundary; any other offset only might be. */
	seeds = w->base == 0 ? 1 : ARCH_WALK_SEEDS;
	for (size_t k = 0; k < seeds && k <= place - w->base; k++)
		w->votes[k] = 1;
	for (size_t off = w->base; off < place; off++)
		vote(w, off);
}

bool arch_walk_is_boundary(const struct arch_walk *w)
{
	return w->votes[w->place - w->base] > w->over;
}

bool arch_walk_agrees(const struct arch_walk *w, size_t at)
{
	size_t k = at - w->base, place = w->place - w->base;

	return w->over == 0 && w->votes[k] == w->votes[place] && k + (w->lens[k] & ~ARCH_WALK_BRANCHES) == place;
}

/* Before the walks have fallen into step, half of them or more are still wrong. */
size_t arch_walk_before(const struct arch_walk *w, size_t at, struct arch_insn *ret)
{
	size_t best = ARCH_WALK_NONE;
	unsigned most = w->votes[w->place - w->base] / 2;

	for (size_t len = 1; len <= ARCH_INSN_MAX && len <= at - w->base; len++) {
		size_t k = at - len - w->base;

		if ((w->lens[k] & ~ARCH_WALK_BRANCHES) == len && w->votes[k] > most) {
			most = w->votes[k];
			best = at - len;
		}
	}
	if (best != ARCH_WALK_NONE)
		arch_insn_decode(w->text.p + best, w->text.len - best, ret);
	return best;
}

static bool report(const struct arch_walk *w, size_t off, const struct arch_insn *i,
		   bool (*seen)(void *arg, size_t from, size_t to), void *arg)
{
	int64_t distance;
	int64_t to;

	if (!arch_insn_target(i, &distance))
		return true;
	to = (int64_t)off + distance;
	return to < 0 || (size_t)to >= w->text.len || seen(arg, off, (size_t)to);
}

static bool branches_before(const struct arch_walk *w,
			    bool (*seen)(void *arg, size_t from, size_t to), void *arg)
{
	size_t off = w->place - w->base > ARCH_WALK_REACH ? w->place - ARCH_WALK_REACH : w->base;
	struct arch_insn i;

	for (; off < w->place; off++) {
		if (!(w->lens[off - w->base] & ARCH_WALK_BRANCHES) ||
		    !arch_insn_decode(w->text.p + off, w->text.len - off, &i))
			continue;
		if (!report(w, off, &i, seen, arg))
			return false;
	}
	return true;
}

bool arch_walk_branches(const struct arch_walk *w, bool (*seen)(void *arg, size_t from, size_t to),
			void *arg)
{
	size_t end = w->text.len - w->place > ARCH_WALK_REACH ? w->place + ARCH_WALK_REACH : w->text.len;
	size_t off = w->place;
	struct arch_insn i;
	bool branches = false;
	unsigned len;

	for (; off < end; off += len) {
		len = arch_insn_length(w->text.p + off, w->text.len - off, &branches);
		if (len == 0)
			break;
		if (branches && arch_insn_decode(w->text.p + off, len, &i) && !report(w, off, &i, seen, arg))
			return false;
	}
	return branches_before(w, seen, arg);
}
