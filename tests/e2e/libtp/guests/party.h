/* SPDX-License-Identifier: MIT */
/* What programs of every kind hand to each other at a party. C and C++; party.py knows the layouts, too. */
#ifndef PARTY_H
#define PARTY_H

#include "guest-tp.h"

enum { PARTY_LETTERS = 400, PARTY_COUNTS = 5000, PARTY_NAME_MAX = 32 };

/* In the heap, published as "party", "party@1". */
struct party {
	struct tp_mutex mutex;
	struct tp_barrier barrier;
	uint64_t counter;	/* under the mutex */
	uint64_t threads;	/* how many have counted, under the mutex */
};

/* Sent over channels in either direction: `party-letters` to the host, `answers-NAME` to a guest; type "letter@1". */
struct letter {
	struct letter *page;	/* a second one, or NULL: another block */
	char *text;		/* another block */
	uint64_t length;
	uint64_t number;
	char from[PARTY_NAME_MAX];
};

/* Texts from 1 byte to 40 KiB: blocks of many classes, and large ones. */
static inline uint64_t letter_length(uint64_t number)
{
	return 1 + (number * 7919) % (number % 50 ? 700 : 40000);
}

static inline char letter_char(const char *from, uint64_t number, uint64_t at)
{
	return (char)('a' + ((unsigned char)from[0] + number * 3 + at) % 26);
}

static inline struct letter *letter_page(const char *from, uint64_t number)
{
	struct letter *l = (struct letter *)tp_calloc(1, sizeof(*l));

	CHECK(l);
	strncpy(l->from, from, sizeof(l->from) - 1);
	l->number = number;
	l->length = letter_length(number);
	l->text = (char *)tp_malloc(l->length);
	CHECK(l->text);
	for (uint64_t i = 0; i < l->length; i++)
		l->text[i] = letter_char(from, number, i);
	return l;
}

static inline struct letter *letter_write(const char *from, uint64_t number)
{
	struct letter *l = letter_page(from, number);

	if (number % 3 == 0)
		l->page = letter_page(from, number + 1);
	return l;
}

/* Reads every byte, then frees what another program made. */
static inline void letter_read(struct letter *l)
{
	while (l) {
		struct letter *page = l->page;

		CHECK(l->length == letter_length(l->number));
		for (uint64_t i = 0; i < l->length; i++)
			CHECK(l->text[i] == letter_char(l->from, l->number, i));
		RESULT(tp_free(l->text), 0);
		RESULT(tp_free(l), 0);
		l = page;
	}
}

#endif
