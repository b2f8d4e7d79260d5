/* SPDX-License-Identifier: MIT */
/* The group segment, as its maker sees it: mapped anywhere, every byte writable by every program.
 */
#ifndef TP_SUPERVISE_SEGMENT_H
#define TP_SUPERVISE_SEGMENT_H

#include <stdint.h>

#include "tp/abi/segment.h"

struct tp_seg {
	int fd; /* memfd, sealed against resizing */
	struct tp_segment *at;
};

int tp_seg_create(struct tp_seg *ret, const char *group);
void tp_seg_fini(struct tp_seg *seg);

static inline struct tp_program *tp_seg_entry(const struct tp_seg *seg, uint32_t index)
{
	return (struct tp_program *)((char *)seg->at + TP_SEGMENT_REGISTRY_OFF) + index;
}

/* Programs write here: every field is read exactly once. */
#define tp_seg_load(field)         __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define tp_seg_store(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

#endif
