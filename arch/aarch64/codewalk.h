/* SPDX-License-Identifier: MIT */
/*
 * A text as a row of words, and what can be proved about a place in it.
 */
#pragma once

#include "insn.h"
#include "words.h"

/* How far back a proof may look, and from how far away a branch into that stretch is looked for (bytes). */
#define ARCH_WALK_BACK 256
#define ARCH_WALK_REACH 1024

struct arch_text {
	const uint8_t *p;
	size_t len;
};

static inline uint32_t arch_insn_at(struct arch_text t, size_t off)
{
	return arch_half_at(t.p + off);
}

/* Words around `place` that are instructions: something that runs, and no table. */
bool arch_walk_is_code(struct arch_text t, size_t place);

/*
 * Calls `seen` for each direct branch or call in [from, to) until it returns false; `at` and `target` are offsets in the
 * text. Return: false if `seen` did.
 */
bool arch_walk_branches(struct arch_text t, size_t from, size_t to, bool (*seen)(void *arg, size_t at, size_t target),
			void *arg);

/*
 * The constant that x8 holds at the place, if it is the same on every way there that is seen (proof.c).
 *
 * Return: the constant, or -1.
 */
int32_t arch_walk_x8(struct arch_text t, size_t place);
