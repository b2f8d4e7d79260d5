/* SPDX-License-Identifier: MIT */
/* The group segment, as its maker sees it: mapped anywhere, every byte writable by every program.
 */
#ifndef TP_SUPERVISE_SEGMENT_H
#define TP_SUPERVISE_SEGMENT_H

#include <stdint.h>

#include "tp/abi/segment.h"

/* What the supervisor maps: header, registry, counters and names, but nothing of the heap. */
#define TP_SEG_SEEN TP_AREA_HEAP_META_OFF

/* What a group of this version has. */
#define TP_SEG_FEATURES TP_FEATURE_AREAS

struct tp_seg {
	int fd;      /* memfd, sealed against resizing */
	int heap_fd; /* not sealed: never mapped here */
	uint64_t heap_size;
	struct tp_segment *at;
};

/* A segment with a heap of `heap_size` bytes; 0: of the usual size. */
int tp_seg_create(struct tp_seg *ret, const char *group, uint64_t heap_size);
void tp_seg_fini(struct tp_seg *seg);

static inline struct tp_program *tp_seg_entry(const struct tp_seg *seg, uint32_t index)
{
	return (struct tp_program *)((char *)seg->at + TP_SEGMENT_REGISTRY_OFF) + index;
}

/* A registry entry says DEAD: sleepers look again at what they wait for. */
void tp_seg_announce_death(struct tp_seg *seg);

/* A program runs now, or a satellite has come. */
void tp_seg_announce_arrival(struct tp_seg *seg);

/* Programs write here: every field is read exactly once. */
#define tp_seg_load(field)         __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define tp_seg_store(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

#endif
