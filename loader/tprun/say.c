/* SPDX-License-Identifier: MIT */
/*
 * Lines for people. Nothing here touches stdout: that belongs to the programs.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tprun/say.h"

#define LINE_MAX_BYTES 2048

static bool raw_terminal;

void tp_say_raw(bool raw)
{
	raw_terminal = raw;
}

/* Names come from outside: an escape sequence in one must not reach the terminal. */
static void blank_controls(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

const char *tp_printable(char *buf, size_t size, const char *name)
{
	snprintf(buf, size, "%s", name);
	blank_controls(buf);
	return buf;
}

static void write_all(const char *p, size_t left)
{
	while (left) {
		ssize_t n = write(STDERR_FILENO, p, left);

		if (n <= 0)
			return; /* nobody is left to be told */
		p += n;
		left -= (size_t)n;
	}
}

__attribute__((format(printf, 1, 0))) static void vsay(const char *fmt, va_list ap)
{
	char line[LINE_MAX_BYTES] = "tprun: ";
	size_t at = strlen(line);

	vsnprintf(line + at, sizeof(line) - at - 2, fmt, ap);
	blank_controls(line);
	strcat(line, raw_terminal ? "\r\n" : "\n");
	write_all(line, strlen(line));
}

void tp_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

int tp_fail(const struct tp_error *err)
{
	tp_say("%s", err->text);
	return err->status;
}

int tp_usage(const char *verb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
	if (verb)
		tp_say("see: tprun %s --help", verb);
	else
		tp_say("see: tprun --help");
	return TP_STATUS_USAGE;
}

int tp_flush(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	tp_say("the output could not be written: %s", tp_errno_words(errno));
	return TP_STATUS_OWN;
}
