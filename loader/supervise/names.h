/* SPDX-License-Identifier: MIT */
/*
 * Names of live programs: "bash", then "bash.2". Pure. Taking and dropping cost the same however
 * many live.
 */
#ifndef TP_SUPERVISE_NAMES_H
#define TP_SUPERVISE_NAMES_H

#include <stdint.h>

#include "tp/abi/segment.h"

enum { TP_NAMES_BUCKETS = 4096 }; /* a power of two */

/* All zeros: no names. */
struct tp_names {
	uint16_t bucket[TP_NAMES_BUCKETS]; /* index + 1 of the first name; 0: empty */
	uint16_t next[TP_REGISTRY_MAX];
	uint16_t hint[TP_NAMES_BUCKETS];  /* by hash of the wanted name: where to look for a free
					     number */
	uint32_t wanted[TP_REGISTRY_MAX]; /* hash of the wanted name */
	uint16_t number[TP_REGISTRY_MAX];
	char name[TP_REGISTRY_MAX][TP_NAME_MAX];
};

/*
 * Registers the next free form of `wanted` for a registry index that has no name. Bytes that could
 * hurt a terminal or a table (controls, spaces, '/') become '_'; long names are cut so that a
 * number fits behind them.
 */
const char *tp_names_take(struct tp_names *names, const char *wanted, uint32_t index);

void tp_names_drop(struct tp_names *names, uint32_t index);

/* Return: the registry index, or -1. */
int tp_names_find(const struct tp_names *names, const char *name);

#endif
