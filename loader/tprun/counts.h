/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_COUNTS_H
#define TP_TPRUN_COUNTS_H

#include "tp/abi/counters.h"
#include "tprun/look.h"

/* One program, alive or dead, and what its libtp has counted. */
struct tp_count_row {
	uint64_t id;
	int32_t pid;
	uint32_t state, kind;
	char name[TP_NAME_MAX];
	struct tp_counters counters; /* zero if it does not use libtp */
	uint64_t depth;              /* messages that wait in the channels that it consumes */
	uint64_t blocks, bytes;      /* of the heap, in slabs and runs that it holds */
};

struct tp_count_channel {
	char name[TP_NAME_MAX], type[TP_NAME_MAX];
	uint64_t consumer; /* program id */
	uint32_t lanes;    /* with a producer, or with messages */
	uint64_t depth, sent, acked, backpressure, redelivered;
};

struct tp_counts {
	char group[TP_NAME_MAX];
	struct tp_count_row *rows; /* in the order in which they were started */
	size_t nrows;
	struct tp_count_channel *channels;
	size_t nchannels;
	uint64_t names; /* in the table */
};

/* tp_counts_read - 0, or -ENOMEM. What is not there, or is damaged, is 0. */
int tp_counts_read(const struct tp_look *look, struct tp_counts *ret_counts);
void tp_counts_fini(struct tp_counts *counts);

/* counts-channels.c and counts-heap.c: their parts of it. */
int tp_counts_read_channels(const struct tp_look *look, struct tp_counts *counts);
void tp_counts_read_heap(const struct tp_look *look, struct tp_counts *counts);

#endif
