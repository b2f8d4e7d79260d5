/* SPDX-License-Identifier: MIT */
/*
 * Messages to people: one line, whatever the names in them contain.
 */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_SHOWN = 160 };

/* A name comes from outside: it must neither break the line nor drive a terminal. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

static void finish(struct tp_error *err, size_t wanted)
{
	if (wanted >= sizeof(err->text))
		memcpy(err->text + sizeof(err->text) - 4, "...", 4);
	make_printable(err->text);
}

static size_t put_name(struct tp_error *err, const char *name)
{
	size_t len = name ? strlen(name) : 0;
	int n;

	if (len == 0)
		n = snprintf(err->text, sizeof(err->text), "'': ");
	else if (len > NAME_MAX_SHOWN)
		n = snprintf(err->text, sizeof(err->text), "...%s: ", name + len - NAME_MAX_SHOWN);
	else
		n = snprintf(err->text, sizeof(err->text), "%s: ", name);
	return n;
}

int tp_error_set(struct tp_error *err, int status, int error, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->status = status;
		err->err = -abs(error);
		va_start(ap, fmt);
		finish(err, vsnprintf(err->text, sizeof(err->text), fmt, ap));
		va_end(ap);
	}
	return -abs(error);
}

int tp_error_named(struct tp_error *err, int status, int error, const char *name, const char *fmt,
	...)
{
	va_list ap;
	size_t at;

	if (err) {
		err->status = status;
		err->err = -abs(error);
		at = put_name(err, name);
		va_start(ap, fmt);
		finish(err, at + vsnprintf(err->text + at, sizeof(err->text) - at, fmt, ap));
		va_end(ap);
	}
	return -abs(error);
}

const char *tp_errno_words(int error)
{
	static const struct {
		int error;
		const char *words;
	} table[] = {
		{ ENOENT, "no such file or directory" },
		{ ENOTDIR, "a part of its path is not a directory" },
		{ EACCES, "permission denied" },
		{ EPERM, "the system does not permit it" },
		{ ELOOP, "too many levels of symbolic links" },
		{ ENAMETOOLONG, "the path is too long" },
		{ ENOMEM, "out of memory" },
		{ EMFILE, "too many open files in this process" },
		{ ENFILE, "too many open files in the system" },
		{ EIO, "reading from the device failed" },
		{ E2BIG, "argument list too long" },
		{ ESTALE, "the file is gone from its server" },
		{ ETXTBSY, "the file is being written" },
		{ ENXIO, "no such device" },
	};
	const char *words;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].error == abs(error))
			return table[i].words;
	words = strerrordesc_np(abs(error));
	return words ? words : "for a reason that has no name";
}
