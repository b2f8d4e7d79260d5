/* SPDX-License-Identifier: MIT */
/* What the programs of these tests share: C that is C++ as well, so that the same source is built by every compiler. */
#ifndef GUEST_TP_H
#define GUEST_TP_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tp/tp.h>

#define SOON (30 * TP_SECOND)	/* nothing here takes so long: a hang becomes a message */

/* A failed check ends the program with a status that no test expects. */
#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: check failed: %s (%s)\n", __FILE__, __LINE__, #cond, tp_why()); \
			exit(99); \
		} \
	} while (0)

/* The result of a call is what it should be. */
#define RESULT(call, expected) \
	do { \
		long result_ = (long)(call); \
		if (result_ != (long)(expected)) { \
			fprintf(stderr, "%s:%d: %s gave %ld, not %ld (%s)\n", __FILE__, __LINE__, #call, result_, \
				(long)(expected), tp_why()); \
			exit(99); \
		} \
	} while (0)

/* Tells a script how far we are: a line at a time. */
static inline void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

#endif
