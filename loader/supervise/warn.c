/* SPDX-License-Identifier: MIT */
/* What the routed calls found out about a program, in words, to whoever launched it. */
#include "supervise/warn.h"
#include "supervise/client.h"

static const struct {
	uint32_t bit;
	const char *text;
} warnings[] = {
	{TP_WARN_LIBC_UNKNOWN,
		"its C library skips atomic instructions while a program has one thread: "
		"do not share pthread locks with it by pointer"},
	{TP_WARN_UNROUTED, "some of its system calls could not be rerouted: memory it maps may lie "
			   "outside its slot until it ends"},
	{TP_WARN_NOT_PATCHED, "this system forbids rewriting program text: its memory may lie "
			      "outside its slot until it ends"},
};

void tp_warn(struct tp_prog *p)
{
	struct tp_program *e = tp_seg_entry(&p->group->seg, p->index);
	uint32_t seen = tp_seg_load(e->warnings), fresh;

	__atomic_fetch_and(&e->events, ~TP_EVENT_WARN, __ATOMIC_ACQ_REL);
	fresh = seen & ~p->group->warned;
	p->group->warned |= seen;
	for (size_t i = 0; i < sizeof(warnings) / sizeof(warnings[0]); i++)
		if (fresh & warnings[i].bit)
			tp_client_note(p->client, "%s: %s", p->name, warnings[i].text);
}
