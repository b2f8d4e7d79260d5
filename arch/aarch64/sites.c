/* SPDX-License-Identifier: MIT */
/*
 * Finding and displacing system calls. An instruction and a branch have the same size here, so every `svc` can be replaced
 * where it stands, whatever is around it; only at cancellation points the instruction before it is taken.
 *
 * The patterns and the evidence for them are in docs/sites.md.
 */
#include "sites.h"

#include "branches.h"
#include "bridge.h"
#include "marks.h"
#include "tp/abi/routed.h"

enum {
#define NUMBER(name, x86_64, aarch64) ROUTED_##name = aarch64,
	TP_ROUTED_CALLS(NUMBER)
#undef NUMBER
};

struct scan {
	struct arch_text text;
	const struct arch_scan_opts *opts;
	struct arch_site *out;
	size_t max;
	size_t n;
	size_t calls;
	struct arch_function bridge;
};

void arch_scan_want_routed(struct arch_scan_opts *o)
{
#define WANT(name, x86_64, aarch64) arch_scan_want(o, (unsigned)(aarch64));
	TP_ROUTED_CALLS(WANT)
#undef WANT
	o->want_generic = true;
}

/* Of the routed calls, what pthread_cancel may act in: glibc before 2.41 makes it in line. */
static bool may_be_cancelled(int32_t nr)
{
	return nr == ROUTED_openat;
}

static void take_call(struct arch_site *s, size_t call, int32_t nr)
{
	*s = (struct arch_site){
		.off = call, .call = call, .resume = call + ARCH_INSN_LEN, .nr = nr, .kind = ARCH_SITE_CALL, .len = ARCH_INSN_LEN,
	};
}

static void take_before(struct arch_site *s, struct arch_text text)
{
	s->kind = ARCH_SITE_KEEP;
	s->off = s->call - ARCH_INSN_LEN;
	s->pre_len = ARCH_INSN_LEN;
	for (unsigned k = 0; k < ARCH_INSN_LEN; k++)
		s->pre[k] = text.p[s->off + k];
}

/* A branch straight to the call would go round the stub. */
static bool can_keep(struct arch_text text, size_t call)
{
	return call >= ARCH_INSN_LEN && arch_insn_can_move(arch_insn_at(text, call - ARCH_INSN_LEN)) &&
	       !arch_branches_lead_to(text, call);
}

static void add(struct scan *sc, size_t call, int32_t nr)
{
	struct arch_site *s;

	if (sc->n++ >= sc->max)
		return;
	s = &sc->out[sc->n - 1];
	take_call(s, call, nr);
	if (may_be_cancelled(nr) && can_keep(sc->text, call))
		take_before(s, sc->text);
	if (nr < 0 && sc->bridge.entry == SIZE_MAX)
		sc->bridge.entry = arch_bridge_entry(sc->text, call);
}

static void consider(struct scan *sc, size_t call)
{
	int32_t nr;

	if (!arch_walk_is_code(sc->text, call))
		return;
	sc->calls++;
	nr = arch_walk_x8(sc->text, call);
	if (nr < 0 ? sc->opts->want_generic : arch_scan_wants(sc->opts, (unsigned)nr))
		add(sc, call, nr);
}

static void look_between(struct scan *sc, size_t from, size_t to)
{
	for (size_t at = from; at + ARCH_INSN_LEN <= to; at += ARCH_INSN_LEN) {
		if (arch_insn_at(sc->text, at) == ARCH_INSN_SVC)
			consider(sc, at);
	}
}

static void find_calls(struct scan *sc)
{
	size_t blocks = sc->text.len / ARCH_MARK_BYTES;

	for (size_t k = 0; k < blocks; k++) {
		k += arch_find_calls(sc->text.p + k * ARCH_MARK_BYTES, blocks - k);
		if (k < blocks)
			look_between(sc, k * ARCH_MARK_BYTES, (k + 1) * ARCH_MARK_BYTES);
	}
	look_between(sc, blocks * ARCH_MARK_BYTES, sc->text.len);
}

static bool is_bridge(const struct scan *sc, const struct arch_site *s)
{
	const struct arch_function *f = &sc->bridge;

	return f->callers == 1 && !f->jumped_to && s->nr < 0 && arch_bridge_entry(sc->text, s->call) == f->entry;
}

/* Sites stay in the order of their calls, wherever the caller of the bridge is. */
static void build_bridge(struct scan *sc, size_t stored)
{
	if (sc->bridge.entry == SIZE_MAX)
		return;
	arch_branches_callers(sc->text, &sc->bridge);
	for (size_t k = 0; k < stored; k++) {
		if (is_bridge(sc, &sc->out[k]))
			arch_bridge_take(&sc->out[k], sc->bridge.entry, sc->bridge.caller);
	}
}

size_t arch_sites_scan(const uint8_t *text, size_t len, const struct arch_scan_opts *o,
		       struct arch_site *out, size_t max, struct arch_scan_result *ret)
{
	struct scan sc = { .text = { text, len }, .opts = o, .out = out, .max = max };
	size_t stored;

	sc.bridge.entry = SIZE_MAX;
	find_calls(&sc);
	stored = sc.n < max ? sc.n : max;
	build_bridge(&sc, stored);
	if (ret) {
		ret->calls = sc.calls;
		ret->stuck = sc.n - stored;
	}
	return sc.n;
}
