/* SPDX-License-Identifier: MIT */
/*
 * The rows: a Markdown table, which a terminal shows well enough, or one JSON object a line.
 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprun/json.h"

#define NOTE_MAX 600

static int json;
static int started;

void bench_die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("bench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

int bench_format(const char *format)
{
	json = !strcmp(format, "json");
	return json || !strcmp(format, "table") ? 0 : -1;
}

static const char *bound_text(const struct bench_figure *f, char *buf, size_t len)
{
	if (f->bound == BENCH_MEASURED)
		return "";
	snprintf(buf, len, "%s %g", f->bound == BENCH_AT_MOST ? "<=" : ">=", f->must);
	return buf;
}

/* 1 it holds, 0 it does not, -1 there is nothing to hold. Compared as printed. */
static int holds(const struct bench_figure *f, const char *printed)
{
	double value = atof(printed);

	if (f->bound == BENCH_MEASURED)
		return -1;
	return f->bound == BENCH_AT_MOST ? value <= f->must : value >= f->must;
}

/* Three digits that mean something are all that a noisy machine gives. */
static const char *value_text(double value, char *buf, size_t len)
{
	int digits = value >= 100 || value == (double)(long)value ? 0 : value >= 10 ? 1 : 2;

	snprintf(buf, len, "%.*f", digits, value);
	return buf;
}

static void start_table(void)
{
	if (started++)
		return;
	puts("| what | value | must | holds | note |");
	puts("|---|---|---|---|---|");
}

static void print_table(const char *name, const char *value, const char *unit, const char *must,
	int ok, const char *note)
{
	start_table();
	printf("| %s | %s%s%s | %s | %s | %s |\n", name, value,
		*unit && strcmp(unit, "x") ? " " : "", strcmp(unit, "x") ? unit : "", must,
		ok < 0 ? ""
		: ok   ? "yes"
		       : "**no**",
		note);
}

static void print_json(const char *name, const char *value, const char *unit, const char *must,
	int ok, const char *note)
{
	struct tp_json j = {.out = stdout};

	tp_json_object(&j, NULL);
	tp_json_string(&j, "figure", name);
	/* As text: the digits that the table has, no more. */
	fprintf(stdout, ",\"value\":%s", value);
	tp_json_string(&j, "unit", unit);
	tp_json_string(&j, "must", must);
	if (ok < 0)
		tp_json_null(&j, "holds");
	else
		tp_json_bool(&j, "holds", ok);
	tp_json_string(&j, "note", note);
	tp_json_end_object(&j);
	fputc('\n', stdout);
}

static void print(const char *name, const char *value, const char *unit, const char *must, int ok,
	const char *note)
{
	(json ? print_json : print_table)(name, value, unit, must, ok, note);
	fflush(stdout);
}

void bench_row(const struct bench_figure *f, const char *fmt, ...)
{
	char note[NOTE_MAX], value[32], must[32];
	va_list ap;
	int ok, len;

	value_text(f->value, value, sizeof(value));
	ok = holds(f, value);
	va_start(ap, fmt);
	len = vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
	if (!ok && f->why && len >= 0 && len < NOTE_MAX)
		snprintf(note + len, sizeof(note) - (size_t)len, "; %s", f->why);
	print(f->name, value, f->unit, bound_text(f, must, sizeof(must)), ok, note);
}

void bench_row_missing(const char *name, const char *fmt, ...)
{
	char note[NOTE_MAX] = "not measured: ";
	size_t at = strlen(note);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(note + at, sizeof(note) - at, fmt, ap);
	va_end(ap);
	print(name, json ? "null" : "-", "", "", -1, note);
}
