/* SPDX-License-Identifier: MIT */
/*
 * Names of programs, out of the registry, where any program may write and entries change hands: a name is copied, ended, and good if the
 * entry bore the same id before and afterwards (partner: tp_registry_publish).
 */
#include "program-name.h"

#include <string.h>

tp_id tpi_tag_holder(uint32_t tag)
{
	tp_id id = __atomic_load_n(&tpi_entry(TP_TAG_INDEX(tag))->id, __ATOMIC_ACQUIRE);

	return tag && TP_TAG(id) == tag ? id : 0;
}

tp_id tpi_slot_holder(uint64_t addr)
{
	uint64_t unit = addr >> TP_UNIT_SHIFT;
	tp_id id = unit < TP_UNITS ? __atomic_load_n(&tpi_self.segment->owner[unit], __ATOMIC_ACQUIRE) : 0;

	return id > TP_OWNER_RESERVED ? id : 0;
}

bool tpi_program_known(tp_id id, char room[TP_NAME_MAX])
{
	const struct tp_program *e = tpi_entry(TP_ID_INDEX(id) % TP_REGISTRY_MAX);
	char name[TP_NAME_MAX];

	if (!id || __atomic_load_n(&e->id, __ATOMIC_ACQUIRE) != id)
		return false;
	memcpy(name, e->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&e->id, __ATOMIC_RELAXED) != id || !name[0])
		return false;
	memcpy(room, name, sizeof(name));
	return true;
}

const char *tpi_program_in_words(tp_id id, char room[TP_NAME_MAX])
{
	return tpi_program_known(id, room) ? room : "a program that is gone";
}
