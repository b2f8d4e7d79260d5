/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_JSON_H
#define TP_TPRUN_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes JSON, and leaves the commas right. A key of NULL: an element of an array, or the top.
 */
struct tp_json {
	FILE *out;
	bool comma; /* something stands before, in the same object or array */
};

void tp_json_object(struct tp_json *json, const char *key);
void tp_json_array(struct tp_json *json, const char *key);
void tp_json_end_object(struct tp_json *json);
void tp_json_end_array(struct tp_json *json);
void tp_json_string(struct tp_json *json, const char *key, const char *value);
void tp_json_int(struct tp_json *json, const char *key, int64_t value);
void tp_json_bool(struct tp_json *json, const char *key, bool value);
void tp_json_null(struct tp_json *json, const char *key);

/* tp_json_escape - write a string with its quotes. What is not UTF-8 becomes U+FFFD. */
void tp_json_escape(FILE *out, const char *s);

#endif
