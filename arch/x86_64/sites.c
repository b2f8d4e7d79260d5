/* SPDX-License-Identifier: MIT */
/*
 * Finding and displacing system calls, in three passes:
 *
 *	1  every `0f 05` that starts an instruction and whose number is wanted
 *	2  every branch that leads into the neighbourhood of one of those
 *	3  for each, the fewest whole instructions before or around it that make room for a jump
 *
 * The patterns and the evidence for them are in docs/sites.md.
 */
#include "sites.h"

#include "branches.h"
#include "bridge.h"
#include "marks.h"
#include "tp/abi/routed.h"
#include "words.h"

#define JUMP_LEN 5
#define CALL_LEN 2
#define MAX_MOVED 6 /* instructions moved on one side of a call */

/* Boundaries that a range may start at (going back from the call) or end at (going on). */
struct edges {
	size_t at[MAX_MOVED + 1];
	unsigned n;
};

void arch_scan_want_routed(struct arch_scan_opts *o)
{
#define WANT(name, x86_64, aarch64) arch_scan_want(o, x86_64);
	TP_ROUTED_CALLS(WANT)
#undef WANT
	o->want_generic = true;
}

static bool is_short_jump(uint8_t opcode)
{
	return (opcode & 0xf0) == 0x70 || opcode == 0xeb || (opcode & 0xfc) == 0xe0;
}

/*
 * Might a short jump lead straight to the call, past the `mov` before it? Its last byte tells the distance to
 * the call, so each place within reach has one value to be compared with, eight places at a time.
 */
static bool may_be_entered(struct arch_text text, size_t call)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint8_t *p;

	if (call < 129 || text.len - call < 128)
		return true;
	p = text.p + call - 128;
	for (unsigned k = 0; k < 32; k++, p += 8) {
		uint64_t differs = arch_word_at(p) ^ (ones * (uint8_t)(120 - 8 * k) + UINT64_C(0x0001020304050607));
		uint64_t hits = (differs - ones) & ~differs & ones << 7;

		for (; hits != 0; hits &= hits - 1) {
			if (is_short_jump(p[__builtin_ctzll(hits) / 8 - 1]))
				return true;
		}
	}
	return false;
}

/* b8 as ModRM behind a byte operation without REX: bh and memory, which no compiler puts together. */
static bool is_odd(const uint8_t *b8)
{
	return (b8[-1] & 0xc5) == 0 && (b8[-2] & 0xf0) != 0x40 && b8[-2] != 0x0f;
}

/* Might the five bytes before the call be the end of a longer instruction, such as a constant behind a displacement? */
static bool may_be_tail(struct arch_text text, size_t call)
{
	bool ignored;

	for (size_t len = is_odd(text.p + call - 5) ? 7 : 6; len <= ARCH_INSN_MAX; len++) {
		if (arch_insn_length(text.p + call - len, text.len - call + len, &ignored) == len)
			return true;
	}
	return false;
}

/*
 * `mov $nr,%eax; syscall` with a number that nobody wants, the bulk of a libc. Where the same bytes may be the
 * end of another instruction, a walk decides.
 */
static bool dismiss(struct arch_text text, size_t call, const struct arch_scan_opts *o)
{
	struct arch_walk w;
	uint32_t nr;

	if (call < 5 || text.p[call - 5] != 0xb8)
		return false;
	nr = arch_half_at(text.p + call - 4);
	if (nr >= ARCH_NR_MAX || arch_scan_wants(o, nr) || may_be_entered(text, call))
		return false;
	if (!may_be_tail(text, call))
		return true;
	arch_walk_init(&w, text, call, ARCH_WALK_BRIEF);
	return arch_walk_agrees(&w, call - 5);
}

static bool mark_local(void *arg, size_t from, size_t to)
{
	(void)from;
	arch_branch_mark(arg, to);
	return true;
}

static void site_init(struct arch_site *s, size_t call, int32_t nr)
{
	s->off = s->call = call;
	s->resume = call + CALL_LEN;
	s->nr = nr;
	s->targets = 0;
	s->kind = ARCH_SITE_STUCK;
	s->len = s->pre_len = s->post_len = 0;
}

struct scan {
	struct arch_text text;
	const struct arch_scan_opts *opts;
	struct arch_site *out;
	size_t max;
	size_t n;
	size_t calls;
	struct arch_function bridge;
};

static void add(struct scan *sc, const struct arch_walk *w, int32_t nr)
{
	struct arch_site *s;

	if (sc->n++ >= sc->max)
		return;
	s = &sc->out[sc->n - 1];
	site_init(s, w->place, nr);
	arch_walk_branches(w, mark_local, s);
	if (nr < 0 && sc->bridge.entry == SIZE_MAX)
		sc->bridge.entry = arch_bridge_entry(sc->text, w->place);
}

/*
 * Whether a number that could not be proved may be any. A function that passes numbers through copies all 64 bits, as a
 * `long` is; a 32-bit copy is the compiler's, of a constant that it keeps in a register around a loop (futex, mostly).
 */
static bool may_be_any(const struct arch_walk *w)
{
	struct arch_insn i;
	size_t at = w->place;

	for (int k = 0; k < MAX_MOVED; k++) {
		at = arch_walk_before(w, at, &i);
		if (at == ARCH_WALK_NONE)
			return true;
		if (!(arch_insn_writes(&i) & 1))
			continue;
		return i.map != ARCH_MAP_ONE || arch_insn_mod(&i) != 3 || (i.opcode != 0x89 && i.opcode != 0x8b) ||
		       (i.rex & 8);
	}
	return true;
}

static void consider(struct scan *sc, size_t call)
{
	struct arch_walk w;
	int32_t nr;

	if (dismiss(sc->text, call, sc->opts)) {
		sc->calls++;
		return;
	}
	arch_walk_init(&w, sc->text, call, ARCH_WALK_BACK);
	if (!arch_walk_is_boundary(&w))
		return;
	sc->calls++;
	nr = arch_walk_eax(&w);
	if (nr < 0 ? sc->opts->want_generic && may_be_any(&w) : arch_scan_wants(sc->opts, (unsigned)nr))
		add(sc, &w, nr);
}

static void find_calls(struct scan *sc)
{
	const uint8_t *p = sc->text.p;
	size_t blocks = sc->text.len > 0 ? (sc->text.len - 1) / ARCH_MARK_BYTES : 0;
	size_t at, k;
	uint64_t calls;

	for (k = 0; k < blocks; k++) {
		k += arch_find_calls(p + k * ARCH_MARK_BYTES, blocks - k, &calls);
		if (k == blocks)
			break;
		for (; calls != 0; calls &= calls - 1)
			consider(sc, k * ARCH_MARK_BYTES + (size_t)__builtin_ctzll(calls));
	}
	for (at = blocks * ARCH_MARK_BYTES; at + CALL_LEN <= sc->text.len; at++) {
		if (p[at] == 0x0f && p[at + 1] == 0x05)
			consider(sc, at);
	}
}

/* Does it do the same at any address? */
static bool can_move(const struct arch_insn *i)
{
	return arch_insn_flow(i) == ARCH_FLOW_NEXT && !(i->flags & ARCH_INSN_RIPREL) &&
	       !arch_insn_is_syscall(i);
}

static void edges_before(const struct arch_walk *w, struct edges *e)
{
	struct arch_insn i;
	size_t at = w->place;

	e->at[0] = at;
	e->n = 1;
	while (e->n <= MAX_MOVED) {
		at = arch_walk_before(w, at, &i);
		if (at == ARCH_WALK_NONE || !can_move(&i) || w->place - at > ARCH_TARGETS_BEFORE)
			break;
		e->at[e->n++] = at;
	}
}

static void edges_after(const struct arch_walk *w, struct edges *e)
{
	struct arch_insn i;
	size_t at = w->place + CALL_LEN;

	e->at[0] = at;
	e->n = 1;
	while (e->n <= MAX_MOVED && at < w->text.len) {
		if (!arch_insn_decode(w->text.p + at, w->text.len - at, &i) || !can_move(&i))
			break;
		at += i.len;
		if (at > w->place + 16)
			break;
		e->at[e->n++] = at;
	}
}

/* No branch leads to a byte strictly between the two. */
static bool is_clear(const struct arch_site *s, size_t from, size_t to)
{
	for (size_t at = from + 1; at < to; at++) {
		if (s->targets >> (at + ARCH_TARGETS_BEFORE - s->call) & 1)
			return false;
	}
	return true;
}

static void copy(uint8_t *to, const uint8_t *from, size_t n)
{
	for (size_t k = 0; k < n; k++)
		to[k] = from[k];
}

static void take(struct arch_site *s, struct arch_text text, size_t from, size_t to)
{
	s->off = from;
	s->len = (uint8_t)(to - from);
	s->pre_len = (uint8_t)(s->call - from);
	copy(s->pre, text.p + from, s->pre_len);
	if (to <= s->call) {
		s->kind = ARCH_SITE_KEEP;
		return;
	}
	s->kind = ARCH_SITE_CALL;
	s->resume = to;
	s->post_len = (uint8_t)(to - s->call - CALL_LEN);
	copy(s->post, text.p + s->call + CALL_LEN, s->post_len);
}

/*
 * Where there is room before the call, it keeps its instruction: what the stub leaves to the kernel is
 * then done where the program did it. A branch straight to the call would go round the stub.
 */
static bool displace_before(struct arch_site *s, struct arch_text text, const struct edges *before)
{
	for (unsigned b = 1; b < before->n; b++) {
		if (s->call - before->at[b] < JUMP_LEN)
			continue;
		if (!is_clear(s, before->at[b], s->call + 1))
			return false;
		take(s, text, before->at[b], s->call);
		return true;
	}
	return false;
}

/* The shortest range that holds the call; of equal ones that which moves the earlier code. */
static void displace_around(struct arch_site *s, struct arch_text text, const struct edges *before,
			    const struct edges *after)
{
	size_t best = SIZE_MAX;

	for (unsigned a = 0; a < after->n; a++) {
		for (unsigned b = 0; b < before->n; b++) {
			size_t len = after->at[a] - before->at[b];

			if (len < JUMP_LEN || len >= best || !is_clear(s, before->at[b], after->at[a]))
				continue;
			best = len;
			take(s, text, before->at[b], after->at[a]);
		}
	}
}

static void displace(struct arch_site *s, struct arch_text text)
{
	struct arch_walk w;
	struct edges before;
	struct edges after;

	arch_walk_init(&w, text, s->call, ARCH_WALK_SHORT);
	edges_before(&w, &before);
	if (displace_before(s, text, &before))
		return;
	edges_after(&w, &after);
	displace_around(s, text, &before, &after);
}

/* Not inlined: its walk would lie on the stack beneath the other passes. */
__attribute__((noinline)) static void decide(struct scan *sc, struct arch_site *s)
{
	const struct arch_function *f = &sc->bridge;

	if (f->callers == 1 && !f->jumped_to && s->nr < 0 && arch_bridge_entry(sc->text, s->call) == f->entry)
		arch_bridge_take(s, f->entry, f->caller);
	else
		displace(s, sc->text);
}

size_t arch_sites_scan(const uint8_t *text, size_t len, const struct arch_scan_opts *o,
		       struct arch_site *out, size_t max, struct arch_scan_result *ret)
{
	struct scan sc = { .text = { text, len }, .opts = o, .out = out, .max = max };
	size_t stored, stuck;

	sc.bridge.entry = SIZE_MAX;
	find_calls(&sc);
	stored = sc.n < max ? sc.n : max;
	arch_branches_far(sc.text, out, stored, &sc.bridge);
	stuck = sc.n - stored;
	for (size_t k = 0; k < stored; k++) {
		decide(&sc, &out[k]);
		stuck += out[k].kind == ARCH_SITE_STUCK;
	}
	if (ret) {
		ret->calls = sc.calls;
		ret->stuck = stuck;
	}
	return sc.n;
}
