/* SPDX-License-Identifier: MIT */
/*
 * Instruction boundaries around one place in a text without symbols, and what can be proved there.
 */
#pragma once

#include "insn.h"

/* How far back a walk may look, and how many of the first offsets it takes as possible boundaries. */
#define ARCH_WALK_BACK 192
#define ARCH_WALK_SEEDS 16 /* no instruction is longer, so a real boundary is among them */
/* Enough to tell whether an instruction starts at the place, and which one stands before it. */
#define ARCH_WALK_SHORT 64
/* Enough for arch_walk_agrees, mostly. */
#define ARCH_WALK_BRIEF 40
/*
 * From how far away, on either side, a short jump can lead to within 16 bytes of the place. The rest
 * of the way back is for falling into step.
 */
#define ARCH_WALK_REACH 144

#define ARCH_WALK_NONE SIZE_MAX
#define ARCH_WALK_BRANCHES 0x80

struct arch_text {
	const uint8_t *p;
	size_t len;
};

/*
 * Decoding from a wrong offset falls into step with the real instructions after a few of them. So
 * each of the first offsets of the window gets one vote, votes move along the instructions, and the
 * offsets that gather them are the boundaries.
 */
struct arch_walk {
	struct arch_text text;
	size_t base;   /* offset of votes[0] in the text */
	size_t place;  /* the offset in question; base <= place */
	unsigned over; /* votes for instructions that cover the place instead of starting there */
	uint8_t votes[ARCH_WALK_BACK + 1];
	uint8_t lens[ARCH_WALK_BACK + 1]; /* with ARCH_WALK_BRANCHES added where a target is named */
};

void arch_walk_init(struct arch_walk *w, struct arch_text text, size_t place, size_t back);

/* Does an instruction start at the place? */
bool arch_walk_is_boundary(const struct arch_walk *w);

/* Do all walks come to the place by the instruction at `at`? */
bool arch_walk_agrees(const struct arch_walk *w, size_t at);

/* The instruction that ends at `at`; ARCH_WALK_NONE where the walk does not know one. */
size_t arch_walk_before(const struct arch_walk *w, size_t at, struct arch_insn *ret);

/*
 * The constant that eax holds at the place, if it is the same on every way there that the walk sees.
 *
 * Return: the constant, or -1.
 */
int32_t arch_walk_eax(const struct arch_walk *w);

/*
 * Calls `seen` for each direct branch within reach of the place until it returns false. Before the
 * place, an instruction counts if only one walk believes in it: none is missed, some are not real.
 * `from` and `to` are offsets in the text.
 */
bool arch_walk_branches(const struct arch_walk *w,
			bool (*seen)(void *arg, size_t from, size_t to), void *arg);
