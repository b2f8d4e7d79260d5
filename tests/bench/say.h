/* SPDX-License-Identifier: MIT */
#ifndef TP_BENCH_SAY_H
#define TP_BENCH_SAY_H

/* bench_die - one line on stderr, exit(1). What was started ends with us: its standard input does.
 */
__attribute__((format(printf, 1, 2), __noreturn__)) void bench_die(const char *fmt, ...);

enum bench_bound {
	BENCH_AT_MOST,
	BENCH_AT_LEAST,
	BENCH_MEASURED, /* no bound */
};

struct bench_figure {
	const char *name;
	double value;
	const char *unit; /* "x" for a ratio */
	enum bench_bound bound;
	double must;
	const char *why; /* appended to the note when it does not hold; may be NULL */
};

/* bench_format - "table" (the default) or "json"; returns -1 for anything else. */
int bench_format(const char *format);

/* bench_row - print one figure, with a note on how it came about. */
__attribute__((format(printf, 2, 3))) void bench_row(
	const struct bench_figure *figure, const char *note, ...);

/* bench_row_missing - print a figure that could not be measured, with the reason. */
__attribute__((format(printf, 2, 3))) void bench_row_missing(
	const char *name, const char *why, ...);

#endif
