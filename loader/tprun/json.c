/* SPDX-License-Identifier: MIT */
/*
 * JSON out (RFC 8259). Names of programs are bytes: they need not be UTF-8, the output must be.
 */
#include <inttypes.h>
#include <string.h>

#include "tprun/json.h"

/* Length of the UTF-8 sequence at s, or 0: not one (too long, surrogate, above U+10FFFF, cut). */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80                   ? 1
		   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		   : (s[0] & 0xf0) == 0xe0       ? 3
		   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
		(s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	return n;
}

static void escape_ascii(FILE *out, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = strchr(from, c);

	if (at)
		fprintf(out, "\\%c", to[at - from]);
	else if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		fputc(c, out);
}

void tp_json_escape(FILE *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	fputc('"', out);
	while (*s) {
		size_t n = utf8_length(s);

		if (n == 1)
			escape_ascii(out, *s);
		else if (n)
			fwrite(s, 1, n, out);
		else
			fputs("\\ufffd", out);
		s += n ? n : 1;
	}
	fputc('"', out);
}

static void begin(struct tp_json *j, const char *key)
{
	if (j->comma)
		fputc(',', j->out);
	if (key) {
		tp_json_escape(j->out, key);
		fputc(':', j->out);
	}
	j->comma = true;
}

static void open_with(struct tp_json *j, const char *key, char c)
{
	begin(j, key);
	fputc(c, j->out);
	j->comma = false;
}

static void close_with(struct tp_json *j, char c)
{
	fputc(c, j->out);
	j->comma = true;
}

void tp_json_object(struct tp_json *j, const char *key)
{
	open_with(j, key, '{');
}

void tp_json_array(struct tp_json *j, const char *key)
{
	open_with(j, key, '[');
}

void tp_json_end_object(struct tp_json *j)
{
	close_with(j, '}');
}

void tp_json_end_array(struct tp_json *j)
{
	close_with(j, ']');
}

void tp_json_string(struct tp_json *j, const char *key, const char *value)
{
	begin(j, key);
	tp_json_escape(j->out, value);
}

void tp_json_int(struct tp_json *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void tp_json_bool(struct tp_json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->out);
}

void tp_json_null(struct tp_json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->out);
}
