/* SPDX-License-Identifier: MIT */
/*
 * Texts of errors: kept by thread, formatted without stdio.
 *
 * A thread's first failure makes its entry (threads.c), also below a signal handler; a handler's failure takes the place of what the code that
 * it interrupted had to say, and of two texts that are written into each other the last byte is still a NUL. Outside a group, and of a
 * thread too many, the text is the process's: the last failure of any such thread.
 */
#include <errno.h>
#include <string.h>

#include "core.h"
#include "syscall.h"

/* Where there is no thread's entry. */
static char early[200];
static const char *early_said;

_Static_assert(sizeof(early) == sizeof(((struct tpi_thread *)0)->why), "one size for both");

struct out {
	char *at, *end;
};

static void put(struct out *o, const char *s, size_t n)
{
	for (; n && o->at < o->end; n--)
		*o->at++ = *s++;
}

static void put_number(struct out *o, uint64_t value, unsigned base)
{
	char digits[20], *p = digits + sizeof(digits);

	do
		*--p = "0123456789abcdef"[value % base];
	while (value /= base);
	put(o, p, (size_t)(digits + sizeof(digits) - p));
}

static void convert(struct out *o, char how, va_list *args)
{
	const char *s;
	int64_t d;

	switch (how) {
	case 's':
		s = va_arg(*args, const char *);
		put(o, s, strnlen(s, (size_t)(o->end - o->at))); /* names in the segment: anybody can write there */
		break;
	case 'u': put_number(o, va_arg(*args, uint64_t), 10); break;
	case 'x':
		put(o, "0x", 2);
		put_number(o, va_arg(*args, uint64_t), 16);
		break;
	case 'd':
		d = va_arg(*args, int64_t);
		if (d < 0)
			put(o, "-", 1);
		put_number(o, d < 0 ? -(uint64_t)d : (uint64_t)d, 10);
		break;
	default: put(o, &how, 1); break;
	}
}

size_t tpi_format(char *to, size_t size, const char *format, va_list args)
{
	struct out o = {to, to + size - 1};
	va_list copy;

	va_copy(copy, args);
	for (; *format; format++) {
		if (*format == '%' && format[1])
			convert(&o, *++format, &copy);
		else
			put(&o, format, 1);
	}
	va_end(copy);
	*o.at = '\0';
	return (size_t)(o.at - to);
}

int tpi_say(int error, const char *text)
{
	struct tpi_thread *t = tpi_self.threads ? tpi_thread() : NULL;

	__atomic_store_n(t ? &t->said : &early_said, text, __ATOMIC_RELAXED);
	return error;
}

int tpi_fail(int error, const char *format, ...)
{
	struct tpi_thread *t = tpi_self.threads ? tpi_thread() : NULL;
	char *to = t ? t->why : early;
	va_list args;

	va_start(args, format);
	tpi_format(to, sizeof(early), format, args);
	va_end(args);
	return tpi_say(error, to);
}

int tpi_no_place(void)
{
	return tpi_say(-EINVAL, "there is no place for the result: NULL");
}

void tpi_complain(const char *format, ...)
{
	char line[300];
	size_t n = 0;
	va_list args;

	memcpy(line, "libtp: ", 7);
	n = 7;
	if (tpi_self.entry) {
		size_t len = strnlen(tpi_self.entry->name, TP_NAME_MAX - 1);

		memcpy(line + n, tpi_self.entry->name, len);
		memcpy(line + n + len, ": ", 2);
		n += len + 2;
	}
	va_start(args, format);
	n += tpi_format(line + n, sizeof(line) - n - 1, format, args);
	va_end(args);
	line[n++] = '\n';
	arch_syscall3(ARCH_NR_write, 2, (long)line, (long)n);
}

const char *tp_why(void)
{
	const struct tpi_thread *t = tpi_self.threads ? tpi_thread() : NULL;
	const char *said = __atomic_load_n(t ? &t->said : &early_said, __ATOMIC_RELAXED);

	return said ? said : tpi_self.threads ? "" : TPI_NO_GROUP;
}
