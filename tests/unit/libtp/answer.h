/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_ANSWER_H
#define TP_TESTS_ANSWER_H

/*
 * One call, and what it must answer: the number, and words of its own for tp_why, not those of an older failure. A call that crashes is one
 * more wrong answer, so that one run names all of them. At the end: assert_int_equal(answers_wrong, 0).
 */

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "core.h"

#define OLDER "the words of an older failure"

static int answers_wrong;
static sigjmp_buf answers_back;

static void answers_crashed(int sig)
{
	siglongjmp(answers_back, sig);
}

static inline int answers_begin(void **state)
{
	(void)state;
	answers_wrong = 0;
	return 0;
}

/* cmocka catches signals, too, from the beginning of each test on. */
static inline void answer_begin(void)
{
	struct sigaction act = {.sa_handler = answers_crashed, .sa_flags = SA_NODEFER};

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
	tpi_say(0, OLDER);
}

static inline void answer_wrong(const char *file, int line, const char *call, const char *what)
{
	answers_wrong++;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, what);
}

static inline void answer_check(const char *file, int line, const char *call, long got, long want, int fails)
{
	char what[100];

	if (got != want) {
		snprintf(what, sizeof(what), "answers %ld, must be %ld", got, want);
		answer_wrong(file, line, call, what);
	}
	if (fails && !strcmp(tp_why(), OLDER))
		answer_wrong(file, line, call, "tp_why keeps an older text");
	if (fails && !tp_why()[0])
		answer_wrong(file, line, call, "tp_why has nothing to say");
}

#define ANSWER_OR_CRASH(call, expression)                                                  \
	answer_begin();                                                                    \
	if (sigsetjmp(answers_back, 1))                                                    \
		answer_wrong(__FILE__, __LINE__, call, "crashes");                         \
	else                                                                               \
		expression

/* A number: that one. A negative one comes with words. */
#define ANSWERS(want, call)                                                                \
	do {                                                                               \
		ANSWER_OR_CRASH(#call, answer_check(__FILE__, __LINE__, #call, (long)(call), (long)(want), (long)(want) < 0)); \
	} while (0)

/* A pointer, NULL, with words. */
#define REFUSES(call)                                                                      \
	do {                                                                               \
		ANSWER_OR_CRASH(#call, answer_check(__FILE__, __LINE__, #call, (long)(uintptr_t)(call), 0, 1)); \
	} while (0)

/* Nothing is returned, nothing happens. */
#define HARMLESS(call)                                                                     \
	do {                                                                               \
		ANSWER_OR_CRASH(#call, call);                                              \
	} while (0)

#endif
