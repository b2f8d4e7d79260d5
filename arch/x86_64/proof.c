/* SPDX-License-Identifier: MIT */
/*
 * Which system call is it? Follows eax backwards from the call to the constant that was put there,
 * through copies from other registers, and takes the proof back if a branch joins in between.
 */
#include "codewalk.h"

#define RAX 0u

/* What one step backwards found out about the register that is being followed. */
enum step {
	STEP_ON,    /* not written, or copied from another register: go on */
	STEP_VALUE, /* a constant */
	STEP_LOST,
};

struct trail {
	const struct arch_walk *walk;
	unsigned reg;
	int64_t value;
	uint8_t low;   /* with `has_low`: the low byte was set apart (mov $56,%al) */
	bool has_low;
	size_t writer; /* the instruction that the proof rests on */
};

static bool wide(const struct arch_insn *i)
{
	return !(i->flags & (ARCH_INSN_OP16 | ARCH_INSN_VEX)) && i->map == ARCH_MAP_ONE;
}

static bool is_move_imm(const struct arch_insn *i)
{
	if (i->opcode >= 0xb8 && i->opcode < 0xc0)
		return true;
	return i->opcode == 0xc7 && arch_insn_mod(i) == 3;
}

static bool is_clear(const struct arch_insn *i)
{
	return (i->opcode == 0x31 || i->opcode == 0x33) && arch_insn_mod(i) == 3 &&
	       arch_insn_reg(i) == arch_insn_rm(i);
}

/* mov reg,reg into the followed register; sets it to the source. */
static bool follow_copy(struct trail *t, const struct arch_insn *i)
{
	if (arch_insn_mod(i) != 3 || t->has_low)
		return false;
	if (i->opcode == 0x89 && arch_insn_rm(i) == t->reg)
		t->reg = arch_insn_reg(i);
	else if (i->opcode == 0x8b && arch_insn_reg(i) == t->reg)
		t->reg = arch_insn_rm(i);
	else
		return false;
	return true;
}

/* pop %reg right behind push $imm, the shortest way to load a small number. */
static enum step popped(struct trail *t, size_t *at)
{
	struct arch_insn push;
	size_t before = arch_walk_before(t->walk, *at, &push);

	if (before == ARCH_WALK_NONE || push.map != ARCH_MAP_ONE ||
	    (push.opcode != 0x6a && push.opcode != 0x68))
		return STEP_LOST;
	t->value = push.imm;
	*at = before;
	return STEP_VALUE;
}

static enum step written(struct trail *t, const struct arch_insn *i, size_t *at)
{
	if (!wide(i))
		return STEP_LOST;
	if (is_move_imm(i)) {
		t->value = i->imm;
		return STEP_VALUE;
	}
	if (is_clear(i)) {
		t->value = 0;
		return STEP_VALUE;
	}
	if (i->opcode >= 0xb0 && i->opcode < 0xb4 && !t->has_low) {
		t->low = (uint8_t)i->imm;
		t->has_low = true;
		return STEP_ON;
	}
	if (i->opcode >= 0x58 && i->opcode < 0x60)
		return popped(t, at);
	return follow_copy(t, i) ? STEP_ON : STEP_LOST;
}

static enum step step_back(struct trail *t, size_t *at)
{
	struct arch_insn i;
	enum arch_insn_flow flow;

	*at = arch_walk_before(t->walk, *at, &i);
	if (*at == ARCH_WALK_NONE)
		return STEP_LOST;
	flow = arch_insn_flow(&i);
	if (flow == ARCH_FLOW_JUMP || flow == ARCH_FLOW_STOP)
		return STEP_LOST;
	if (!(arch_insn_writes(&i) >> t->reg & 1))
		return STEP_ON;
	return flow == ARCH_FLOW_CALL ? STEP_LOST : written(t, &i, at);
}

/* A branch from elsewhere to between the writer and the call may bring another value along. */
static bool joins_not(void *arg, size_t from, size_t to)
{
	const struct trail *t = arg;

	if (to <= t->writer || to > t->walk->place)
		return true;
	return from > t->writer && from < t->walk->place;
}

int32_t arch_walk_eax(const struct arch_walk *w)
{
	struct trail t = { .walk = w, .reg = RAX };
	enum step s = STEP_ON;
	size_t at = w->place;

	while (s == STEP_ON)
		s = step_back(&t, &at);
	t.writer = at;
	if (s == STEP_LOST || !arch_walk_branches(w, joins_not, &t))
		return -1;
	if (t.has_low)
		t.value = (t.value & ~INT64_C(0xff)) | t.low;
	return t.value >= 0 && t.value <= INT32_MAX ? (int32_t)t.value : -1;
}
