/* SPDX-License-Identifier: MIT */
/* A chained hash of live names, and for every wanted name a hint where its free numbers start. */
#include <stdio.h>
#include <string.h>

#include "supervise/names.h"

enum { WANTED_MAX = TP_NAME_MAX - 6 };	/* room for ".65535" */

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h;
}

int tp_names_find(const struct tp_names *n, const char *name)
{
	for (uint32_t i = n->bucket[hash(name) % TP_NAMES_BUCKETS]; i; i = n->next[i - 1])
		if (!strcmp(n->name[i - 1], name))
			return (int)i - 1;
	return -1;
}

static void clean(const char *wanted, char ret[TP_NAME_MAX])
{
	size_t i;

	for (i = 0; i < WANTED_MAX && wanted[i]; i++) {
		unsigned char c = (unsigned char)wanted[i];

		ret[i] = c <= ' ' || c == 0x7f || c == '/' ? '_' : (char)c;
	}
	if (!i)
		ret[i++] = '_';
	ret[i] = '\0';
}

static void put_number(char *ret, const char *base, unsigned number)
{
	if (number < 2)
		snprintf(ret, TP_NAME_MAX, "%.*s", WANTED_MAX, base);
	else
		snprintf(ret, TP_NAME_MAX, "%.*s.%u", WANTED_MAX - 1, base, number & 0xffffu);
}

static void link_name(struct tp_names *n, uint32_t index)
{
	uint16_t *bucket = &n->bucket[hash(n->name[index]) % TP_NAMES_BUCKETS];

	n->next[index] = *bucket;
	*bucket = (uint16_t)(index + 1);
}

const char *tp_names_take(struct tp_names *n, const char *wanted, uint32_t index)
{
	char base[TP_NAME_MAX], form[TP_NAME_MAX];
	uint32_t h;
	unsigned number;

	clean(wanted, base);
	h = hash(base);
	number = n->hint[h % TP_NAMES_BUCKETS];
	do
		put_number(form, base, ++number);
	while (tp_names_find(n, form) >= 0);
	n->hint[h % TP_NAMES_BUCKETS] = (uint16_t)number;
	n->wanted[index] = h;
	n->number[index] = (uint16_t)number;
	memcpy(n->name[index], form, sizeof(form));
	link_name(n, index);
	return n->name[index];
}

void tp_names_drop(struct tp_names *n, uint32_t index)
{
	uint16_t *link = &n->bucket[hash(n->name[index]) % TP_NAMES_BUCKETS];
	uint16_t *hint = &n->hint[n->wanted[index] % TP_NAMES_BUCKETS];

	while (*link && *link != index + 1)
		link = &n->next[*link - 1];
	if (!*link)
		return;
	*link = n->next[index];
	n->name[index][0] = '\0';
	if (n->number[index] <= *hint)
		*hint = (uint16_t)(n->number[index] - 1);
}
