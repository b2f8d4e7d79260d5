/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_LOOK_H
#define TP_TPRUN_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tp/abi/segment.h"

/* A group's shared memory, to be looked at only. Every byte may change at any time, and may be nonsense. */
struct tp_look {
	const struct tp_segment *segment; /* mapped; sealed, so that it cannot shrink under us */
	uint64_t size;
	int heap_fd; /* read, never mapped: its file may be cut off */
	uint64_t heap_size;
};

/* tp_look_open - at the group of that name; NULL: the only live one. */
int tp_look_open(const char *group, struct tp_look *ret_look, struct tp_error *err);
void tp_look_fini(struct tp_look *look);

/* tp_look_area - where an area is; NULL: there is none, or it has not the bytes that are asked for. */
const void *tp_look_area(const struct tp_look *look, enum tp_area_kind kind, uint64_t bytes);

const struct tp_program *tp_look_entry(const struct tp_look *look, uint32_t index);

/* tp_look_heap - copy of the heap at an address of the group; false: there is no such memory. */
bool tp_look_heap(const struct tp_look *look, uint64_t address, void *ret_bytes, size_t size);

#endif
