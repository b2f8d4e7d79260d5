/* SPDX-License-Identifier: MIT */
/* See admit.h. Every refusal says which program or limit stands in the way. */
#include <errno.h>

#include "supervise/admit.h"
#include "supervise/end.h"
#include "supervise/mapcount.h"
#include "supervise/registry.h"

static struct tp_prog *find_in(
	struct tp_prog *p, bool (*match)(const struct tp_prog *p, const void *arg), const void *arg)
{
	for (; p; p = LIST_NEXT(p, link))
		if (match(p, arg))
			return p;
	return NULL;
}

/* Among all that still hold memory. */
static struct tp_prog *find(struct tp_group *g,
	bool (*match)(const struct tp_prog *p, const void *arg), const void *arg)
{
	struct tp_prog *p = find_in(LIST_FIRST(&g->live), match, arg);

	p = p ? p : find_in(LIST_FIRST(&g->lingering), match, arg);
	return p ? p : find_in(LIST_FIRST(&g->returning), match, arg);
}

static bool overlaps(const struct tp_prog *p, const void *arg)
{
	const struct tp_range *want = arg, *have = &p->fixed;

	return !p->cleaned && have->len && want->addr < have->addr + have->len &&
	       have->addr < want->addr + want->len;
}

static bool has_flavour(const struct tp_prog *p, const void *arg)
{
	return !p->cleaned && (p->flavour & *(const uint32_t *)arg);
}

static int admit_fixed(
	struct tp_group *g, const struct tp_plan *plan, const char *name, struct tp_error *err)
{
	struct tp_range want = {plan->lo, plan->hi - plan->lo};
	struct tp_prog *p;

	if (plan->kind != TP_PLAN_EXEC)
		return 0;
	p = find(g, overlaps, &want);
	if (p)
		return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, EEXIST, name,
			"could not be started: its fixed address 0x%llx is held by %s (pid %d) "
			"(wait for it to end, or use another group)",
			(unsigned long long)want.addr, p->name, p->pid);
	return 0;
}

static int admit_asan(
	struct tp_group *g, const struct tp_plan *plan, const char *name, struct tp_error *err)
{
	uint32_t flavour = TP_FLAVOUR_ASAN;
	struct tp_prog *p = plan->flavour & flavour ? find(g, has_flavour, &flavour) : NULL;

	if (p)
		return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, EEXIST, name,
			"could not be started: %s (pid %d) uses AddressSanitizer already, whose "
			"shadow memory has one fixed "
			"address (one such program a group)",
			p->name, p->pid);
	return 0;
}

/* Its run-time looks through the whole address space and exits at the first mapping outside the
 * ranges it knows. */
static int admit_tsan(const struct tp_plan *plan, const char *name, struct tp_error *err)
{
	if (!(plan->flavour & TP_FLAVOUR_TSAN))
		return 0;
	return tp_error_named(err, TP_STATUS_NOT_EXECUTABLE, ENOEXEC, name,
		"could not be started: it uses ThreadSanitizer, which accepts no address space but "
		"its own "
		"(run it without tprun)");
}

int tp_admit(
	struct tp_group *g, const struct tp_image *image, const char *name, struct tp_error *err)
{
	int r;

	if (tp_end_begun(g))
		return tp_error_named(err, TP_STATUS_OWN, ESHUTDOWN, name,
			"could not be started: group %s is ending", g->opts->group);
	if (!g->host.alive)
		return tp_error_named(err, TP_STATUS_OWN, EHOSTDOWN, name,
			"could not be started: the group's host is gone: %s (running programs go "
			"on; start a new group)",
			g->host.gone);
	r = admit_fixed(g, &image->plan, name, err);
	r = r ? r : admit_asan(g, &image->plan, name, err);
	r = r ? r : admit_tsan(&image->plan, name, err);
	return r ? r
		 : tp_mapcount_admit(g,
			   image->plan.nmap + image->interp_plan.nmap + TP_ADMIT_VMAS_EXTRA, name,
			   err);
}

static bool holds_memory(void *arg, uint64_t id)
{
	return tp_registry_by_id(arg, id) != NULL;
}

int tp_admit_unit(
	struct tp_group *g, uint64_t id, uint32_t *ret_unit, const char *name, struct tp_error *err)
{
	int r = tp_slots_take(&g->slots, id, ret_unit);

	if (r < 0) {
		tp_slots_sweep(&g->slots, holds_memory, g);
		r = tp_slots_take(&g->slots, id, ret_unit);
	}
	if (r < 0)
		return tp_error_named(err, TP_STATUS_OWN, EAGAIN, name,
			"could not be started: no slot is free (stop programs, or reclaim "
			"lingering ones)");
	return 0;
}
