/* SPDX-License-Identifier: MIT */
/* A group without processes: a real segment, real slots and registry, nobody running. */
#ifndef TP_UNIT_SUPERVISE_FAKEGROUP_H
#define TP_UNIT_SUPERVISE_FAKEGROUP_H

#include <string.h>

#include "supervise/registry.h"

static struct tp_group group;

static int open_group(void **state)
{
	(void)state;
	memset(&group, 0, sizeof(group));
	if (tp_registry_init(&group) || tp_seg_create(&group.seg, "unit", 0))
		return -1;
	tp_slots_init(&group.slots, group.seg.at->owner, NULL);
	group.host.alive = true;
	return 0;
}

static int close_group(void **state)
{
	(void)state;
	tp_registry_fini(&group);
	tp_seg_fini(&group.seg);
	return 0;
}

static inline struct tp_prog *add_prog(const char *name, pid_t pid)
{
	struct tp_prog *p = tp_registry_add(&group, name);

	if (!p || tp_slots_take(&group.slots, p->id, &p->unit))
		return NULL;
	tp_registry_publish(p);
	tp_registry_set_pid(p, pid);
	return p;
}

static inline struct tp_program *entry_of(const struct tp_prog *p)
{
	return tp_seg_entry(&group.seg, p->index);
}

#endif
