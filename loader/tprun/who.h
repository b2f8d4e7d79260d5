/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_WHO_H
#define TP_TPRUN_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprun/json.h"

/* A program as people name it and read of it, wherever that was learnt. */
struct tp_who {
	const char *name;
	uint64_t id;
	int32_t pid;
	uint32_t state, kind; /* enum tp_program_state, TP_KIND_* */
};

/* The one at a place of a list. */
typedef struct tp_who tp_who_at(const void *list, size_t at);

/* tp_who_is - whether a word of the command line names it: by its name or its pid. */
bool tp_who_is(struct tp_who who, const char *word);

/* tp_who_is_wanted - whether one of the words does; without words everybody is wanted. */
bool tp_who_is_wanted(struct tp_who who, char **words);

/* tp_who_unknown - the first word that names none of a list's n, or NULL. */
const char *tp_who_unknown(char **words, tp_who_at *who_at, const void *list, size_t n);

/* tp_who_refuse - say that a word names no program of the group; `see` is the verb that lists them. Returns the exit status. */
int tp_who_refuse(const char *word, const char *group, const char *see);

const char *tp_who_state(struct tp_who who);

/* tp_who_json - begin an object with what everybody has. */
void tp_who_json(struct tp_json *json, struct tp_who who);

/* tp_heading - the line above a table, bold on a terminal. */
__attribute__((format(printf, 1, 2))) void tp_heading(const char *fmt, ...);

#endif
