/* SPDX-License-Identifier: MIT */
/*
 * Who is, or was, in a group, and what each has counted. A dead program stays as long as its entry has not been given to another; if it never
 * used libtp it is left out.
 */
#include "tprun/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

static bool is_live(uint32_t state)
{
	return state == TP_PROGRAM_STARTING || state == TP_PROGRAM_RUNNING;
}

/* Partner: tpi_counters_begin in libtp/counters.c. */
static void read_counters(const struct tp_look *look, uint32_t index, struct tp_count_row *row)
{
	const struct tp_counters *c = tp_look_area(look, TP_AREA_COUNTERS, TP_REGISTRY_MAX * TP_COUNTERS_STRIDE);

	if (!c || LOAD(c[index].id) != row->id)
		return;
	row->counters = c[index];
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&c[index].id, __ATOMIC_RELAXED) != row->id)
		memset(&row->counters, 0, sizeof(row->counters));
}

static bool read_row(const struct tp_look *look, uint32_t index, struct tp_count_row *row)
{
	const struct tp_program *e = tp_look_entry(look, index);

	memset(row, 0, sizeof(*row));
	row->id = LOAD(e->id);
	if (!row->id || TP_ID_INDEX(row->id) != index)
		return false;
	row->state = LOAD(e->state);
	row->kind = LOAD(e->kind);
	row->pid = LOAD(e->pid);
	memcpy(row->name, e->name, sizeof(row->name));
	row->name[sizeof(row->name) - 1] = '\0';
	read_counters(look, index, row);
	return is_live(row->state) || row->counters.id;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct tp_count_row *)a)->id, y = ((const struct tp_count_row *)b)->id;

	return (x > y) - (x < y);
}

static int read_rows(const struct tp_look *look, struct tp_counts *counts)
{
	struct tp_count_row row, *more;

	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++) {
		if (!read_row(look, i, &row))
			continue;
		more = reallocarray(counts->rows, counts->nrows + 1, sizeof(row));
		if (!more)
			return -ENOMEM;
		counts->rows = more;
		counts->rows[counts->nrows++] = row;
	}
	if (counts->nrows)
		qsort(counts->rows, counts->nrows, sizeof(row), by_id);
	return 0;
}

int tp_counts_read(const struct tp_look *look, struct tp_counts *ret)
{
	struct tp_counts counts = {.nrows = 0};
	int r;

	memcpy(counts.group, look->segment->group, sizeof(counts.group));
	counts.group[sizeof(counts.group) - 1] = '\0';
	r = read_rows(look, &counts);
	if (!r)
		r = tp_counts_read_channels(look, &counts);
	if (r) {
		tp_counts_fini(&counts);
		return r;
	}
	tp_counts_read_heap(look, &counts);
	*ret = counts;
	return 0;
}

void tp_counts_fini(struct tp_counts *counts)
{
	free(counts->rows);
	free(counts->channels);
	*counts = (struct tp_counts){.nrows = 0};
}
