/* SPDX-License-Identifier: MIT */
/* The table of names from outside: every claim is reachable, once, and what is reachable is claimed. */
#include "names-audit.h"

#include <stdlib.h>

#include "names.h"

static void follow(const struct tp_names *t, uint32_t bucket, uint8_t *seen, struct names_audit *a)
{
	uint32_t index = TP_NAMES_HEAD_INDEX(t->bucket[bucket].head);

	for (unsigned n = 0; index; index = t->entry[index].next, n++) {
		if (index >= TP_NAMES_ENTRIES || n == TP_NAMES_CHAIN_MAX) {
			a->bad++;
			return;
		}
		if (seen[index]++ || !TP_NAMES_CLAIM_TAG(t->claim[index]) ||
			t->entry[index].hash % TP_NAMES_BUCKETS != bucket ||
			tpi_name_hash(t->entry[index].name, TP_NAMES_WORDS) != t->entry[index].hash)
			a->bad++;
		a->reached++;
	}
}

/* Entries up to the limit, and the reserve. */
static uint32_t limit(const struct tp_names *t)
{
	return t->limit < 4096 ? 4096 : t->limit;
}

static uint32_t next_used(const struct tp_names *t, uint32_t i)
{
	return i + 1 == limit(t) ? TP_NAMES_ENTRIES - TP_NAMES_RESERVE : i + 1;
}

void names_audit_sweep(void)
{
	tpi_names_sweep(1, limit(tpi_names()));
	tpi_names_sweep(TP_NAMES_ENTRIES - TP_NAMES_RESERVE, TP_NAMES_ENTRIES);
}

struct names_audit names_audit(void)
{
	const struct tp_names *t = tpi_names();
	uint8_t *seen = calloc(TP_NAMES_ENTRIES, 1);
	struct names_audit a = {.reached = 0};

	for (uint32_t b = 0; b < TP_NAMES_BUCKETS; b++)
		if (tpi_names_paged(t, b)) /* what a missing bit hides is found to be lost */
			follow(t, b, seen, &a);
	for (uint32_t i = 1; i < TP_NAMES_ENTRIES; i = next_used(t, i))
		if (TP_NAMES_CLAIM_TAG(t->claim[i]) && !seen[i])
			a.lost++;
	free(seen);
	return a;
}
