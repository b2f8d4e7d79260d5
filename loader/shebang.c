/* SPDX-License-Identifier: MIT */
/*
 * The `#!` line, by the kernel's rules (Linux, fs/binfmt_script.c):
 *
 *  - only the first 256 bytes count; a shorter file is taken as padded with NULs;
 *  - the line ends at the newline; without one it ends at byte 255, provided that the interpreter's
 *    path is known to be whole, because something follows it;
 *  - blanks are spaces and tabs, and are dropped around both parts;
 *  - all that follows the interpreter is ONE argument, blanks inside included;
 *  - a NUL ends whichever part it is in; directly behind the interpreter it ends the line.
 */
#include "shebang.h"

#include <errno.h>
#include <string.h>

/* A stretch of the head: [from, to). */
struct span {
	const char *from, *to;
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *to)
{
	while (at < to && is_blank(*at))
		at++;
	return at;
}

static const char *word_end(const char *at, const char *to)
{
	while (at < to && !is_blank(*at) && *at != '\0')
		at++;
	return at;
}

static struct span trim(struct span s)
{
	while (s.to > s.from && is_blank(s.to[-1]))
		s.to--;
	s.from = skip_blanks(s.from, s.to);
	return s;
}

static void copy_string(char *to, const char *from, const char *end)
{
	size_t len = strnlen(from, end - from);

	memcpy(to, from, len);
	to[len] = '\0';
}

/* The line behind the `#!`; padded holds TP_SHEBANG_BYTES bytes. */
static int find_line(const char *padded, struct span *ret_line)
{
	const char *last = padded + TP_SHEBANG_BYTES - 1;
	const char *newline = memchr(padded, '\n', TP_SHEBANG_BYTES);
	const char *word;

	*ret_line = (struct span){ padded + 2, newline ? newline : last };
	if (newline)
		return 0;
	word = skip_blanks(padded + 2, last + 1);
	if (word_end(word, last + 1) == last + 1)
		return -ENOEXEC;
	return 0;
}

int tp_shebang_parse(const char *head, size_t len, struct tp_shebang *ret_line)
{
	char padded[TP_SHEBANG_BYTES] = { 0 };
	const char *end;
	struct span line;

	if (len < 2 || head[0] != '#' || head[1] != '!')
		return 0;
	memcpy(padded, head, len < TP_SHEBANG_BYTES ? len : TP_SHEBANG_BYTES);
	if (find_line(padded, &line) < 0)
		return -ENOEXEC;
	line = trim(line);
	end = word_end(line.from, line.to);
	if (line.from == line.to)
		return -ENOEXEC;
	copy_string(ret_line->interp, line.from, end);
	ret_line->has_arg = end < line.to && *end != '\0';
	if (ret_line->has_arg)
		copy_string(ret_line->arg, skip_blanks(end, line.to), line.to);
	return 1;
}
