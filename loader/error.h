/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_ERROR_H
#define TP_LOADER_ERROR_H

/*
 * One refusal, ready to be printed.
 *
 * Whoever DECIDES that something cannot be done fills one of these in, once; everybody above
 * passes it on unchanged. The text has the form
 *
 *	NAME: what could not be done: why (what to do)
 *
 * on one line, without the leading "tprun: ", which belongs to whoever prints it.
 */

enum tp_status {
	TP_STATUS_OWN = 125,            /* tprun itself failed */
	TP_STATUS_NOT_EXECUTABLE = 126, /* found, but cannot be run */
	TP_STATUS_NOT_FOUND = 127,
};

struct tp_error {
	int status;     /* shell exit status: enum tp_status */
	int err;        /* negative errno */
	char text[512]; /* NUL-terminated, one line */
};

/*
 * tp_error_set - fill in an error; err may be NULL.
 * @status: shell exit status
 * @error:  errno, of either sign; stored negative
 * Returns -|error|, so that a caller can `return tp_error_set(…)`.
 * Line breaks and other control characters in the text become '?'; a text that does not fit is
 * cut and ends in "...".
 */
__attribute__((format(printf, 4, 5)))
int tp_error_set(struct tp_error *err, int status, int error, const char *fmt, ...);

/*
 * tp_error_named - the same with "NAME: " in front. A NAME of more than 160 bytes is shortened to
 * "...its tail", so that the reason behind it is never the part that gets cut. NULL or empty: "''".
 */
__attribute__((format(printf, 5, 6)))
int tp_error_named(struct tp_error *err, int status, int error, const char *name,
		   const char *fmt, ...);

/* Words for an errno of either sign ("no such file or directory"), never NULL, never a number
 * alone. For causes that nobody foresaw; a foreseen one gets its own words and advice. */
const char *tp_errno_words(int error);

#endif
