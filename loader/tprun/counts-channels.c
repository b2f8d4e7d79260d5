/* SPDX-License-Identifier: MIT */
/* Channels are found by their names; their counters lie in the heap, which is read and never mapped. Walks are bounded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tp/abi/chan.h"
#include "tp/abi/names.h"
#include "tprun/counts.h"

static void add_lane(const struct tp_look *look, uint64_t address, struct tp_count_channel *c)
{
	struct tp_lane lane;

	if (!tp_look_heap(look, address, &lane, sizeof(lane)))
		return;
	c->sent += lane.sent;
	c->acked += lane.acked;
	c->depth += lane.sent > lane.acked ? lane.sent - lane.acked : 0;
	c->backpressure += lane.backpressure;
	c->redelivered += lane.redelivered;
	c->lanes += lane.owner || lane.sent > lane.acked;
}

static bool read_channel(const struct tp_look *look, uint64_t address, struct tp_count_channel *c)
{
	struct tp_chan chan;

	if (!tp_look_heap(look, address, &chan, sizeof(chan)) || chan.magic != TP_CHAN_MAGIC)
		return false;
	c->consumer = chan.consumer_id;
	for (uint32_t i = 0; i < chan.lanes_max && i < TP_CHAN_LANES_MAX; i++) {
		uint64_t lane;

		if (!tp_look_heap(look, address + offsetof(struct tp_chan, lane) + 8 * i, &lane, sizeof(lane)) || !lane)
			break;
		add_lane(look, lane, c);
	}
	return true;
}

static int add_channel(struct tp_counts *counts, const struct tp_count_channel *c)
{
	struct tp_count_channel *more = reallocarray(counts->channels, counts->nchannels + 1, sizeof(*c));

	if (!more)
		return -ENOMEM;
	counts->channels = more;
	counts->channels[counts->nchannels++] = *c;
	for (size_t i = 0; i < counts->nrows; i++)
		if (counts->rows[i].id == c->consumer)
			counts->rows[i].depth += c->depth;
	return 0;
}

static int look_at_name(const struct tp_look *look, const struct tp_names_entry *shared, struct tp_counts *counts)
{
	const size_t prefix = strlen(TP_CHAN_TYPE_PREFIX);
	struct tp_names_entry e = *shared;
	struct tp_count_channel c = {.consumer = 0};

	counts->names++;
	memcpy(c.name, e.name, sizeof(c.name) - 1);
	if (memcmp(e.type, TP_CHAN_TYPE_PREFIX, prefix))
		return 0;
	memcpy(c.type, (const char *)e.type + prefix, sizeof(c.type) - prefix);
	c.type[sizeof(c.type) - prefix - 1] = '\0';
	return read_channel(look, e.ptr, &c) ? add_channel(counts, &c) : 0;
}

static int look_at_bucket(const struct tp_look *look, const struct tp_names *t, uint32_t bucket, struct tp_counts *counts)
{
	uint32_t index = TP_NAMES_HEAD_INDEX(__atomic_load_n(&t->bucket[bucket].head, __ATOMIC_ACQUIRE));

	for (uint32_t n = 0; index && index < TP_NAMES_ENTRIES && n < TP_NAMES_CHAIN_MAX; n++) {
		int r = look_at_name(look, &t->entry[index], counts);

		if (r)
			return r;
		index = __atomic_load_n(&t->entry[index].next, __ATOMIC_RELAXED);
	}
	return 0;
}

/* Pages of buckets that were never used are left alone: to look at them would make them. */
int tp_counts_read_channels(const struct tp_look *look, struct tp_counts *counts)
{
	const struct tp_names *t = tp_look_area(look, TP_AREA_NAMES, sizeof(*t));
	int r = 0;

	for (uint32_t page = 0; t && page < TP_NAMES_BUCKETS / TP_NAMES_PAGE; page++) {
		if (!(__atomic_load_n(&t->paged[page / 64], __ATOMIC_ACQUIRE) >> page % 64 & 1))
			continue;
		for (uint32_t b = page * TP_NAMES_PAGE; b < (page + 1) * TP_NAMES_PAGE && !r; b++)
			r = look_at_bucket(look, t, b, counts);
	}
	return r;
}
