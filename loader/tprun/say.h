/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_SAY_H
#define TP_TPRUN_SAY_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* Exit status of a command that was called in a wrong way; tprun's other ones: enum tp_status. */
#define TP_STATUS_USAGE 2

/*
 * Lines for people, on stderr, each written by one system call so that those of several programs
 * do not mix. "tprun: " is put in front and a line break behind; control characters become '?'.
 */
__attribute__((format(printf, 1, 2))) void tp_say(const char *fmt, ...);

/* tp_printable - a copy of a name that cannot move the cursor; cut to size. Returns buf. */
const char *tp_printable(char *buf, size_t size, const char *name);

/* tp_fail - say what an error holds; returns its exit status. */
int tp_fail(const struct tp_error *err);

/* tp_usage - say what was wrong with the command line and where help is; returns TP_STATUS_USAGE.
 */
__attribute__((format(printf, 2, 3))) int tp_usage(const char *verb, const char *fmt, ...);

/* tp_flush - end a verb that printed to stdout: 0, or TP_STATUS_OWN if that could not be written.
 */
int tp_flush(void);

/* While the terminal is in raw mode a line needs a carriage return, too. */
void tp_say_raw(bool raw);

#endif
