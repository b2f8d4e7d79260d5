/* SPDX-License-Identifier: MIT */
/*
 * Which system call is it? Follows x8 backwards from the call to the constant that was put there, through copies from other
 * registers, and takes the proof back if a branch joins in between.
 */
#include "codewalk.h"

#define X8 8u

/* What one step backwards found out about the register that is being followed. */
enum step {
	STEP_ON,    /* not written, or copied from another register: go on */
	STEP_VALUE, /* a constant */
	STEP_LOST,
};

struct trail {
	size_t place;
	size_t writer; /* the instruction that the proof rests on */
	unsigned reg;
	uint64_t value;
};

/* movz (32 or 64 bits) */
static bool is_constant(uint32_t w, uint64_t *ret)
{
	if ((w & 0x7f800000) != 0x52800000)
		return false;
	*ret = (uint64_t)(w >> 5 & 0xffff) << (w >> 21 & 3) * 16;
	return true;
}

/* mov reg, reg: orr with the zero register */
static bool is_copy(uint32_t w, unsigned *ret_from)
{
	if ((w & 0x7fe0ffe0) != 0x2a0003e0)
		return false;
	*ret_from = arch_insn_rm(w);
	return true;
}

static enum step written(struct trail *t, uint32_t w)
{
	unsigned from;

	if (is_constant(w, &t->value))
		return STEP_VALUE;
	if (!is_copy(w, &from) || from == 31)
		return STEP_LOST;
	t->reg = from;
	return STEP_ON;
}

static enum step step_back(struct trail *t, uint32_t w)
{
	enum arch_insn_flow flow = arch_insn_flow(w);

	if (!arch_insn_is_code(w) || flow == ARCH_FLOW_JUMP || flow == ARCH_FLOW_STOP)
		return STEP_LOST;
	if (!(arch_insn_writes(w) >> t->reg & 1))
		return STEP_ON;
	return flow == ARCH_FLOW_CALL ? STEP_LOST : written(t, w);
}

/* A branch from elsewhere to between the writer and the call may bring another value along. */
static bool joins_not(void *arg, size_t at, size_t target)
{
	const struct trail *t = arg;

	if (target <= t->writer || target > t->place)
		return true;
	return at > t->writer && at < t->place;
}

static bool is_joined(struct arch_text text, struct trail *t)
{
	size_t from = t->place > ARCH_WALK_REACH ? t->place - ARCH_WALK_REACH : t->place % ARCH_INSN_LEN;

	return !arch_walk_branches(text, from, t->place + ARCH_WALK_REACH, joins_not, t);
}

int32_t arch_walk_x8(struct arch_text text, size_t place)
{
	struct trail t = { .place = place, .writer = place, .reg = X8 };
	enum step s = STEP_ON;

	while (s == STEP_ON && t.writer >= ARCH_INSN_LEN && place - t.writer < ARCH_WALK_BACK) {
		t.writer -= ARCH_INSN_LEN;
		s = step_back(&t, arch_insn_at(text, t.writer));
	}
	if (s != STEP_VALUE || t.value > INT32_MAX)
		return -1;
	if (is_joined(text, &t))
		return -1;
	return (int32_t)t.value;
}
