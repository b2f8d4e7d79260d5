/* SPDX-License-Identifier: MIT */
/*
 * What the verbs that list programs have in common: whom the words of the command line mean, what states are called, how a table
 * and an object begin.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tp/abi/segment.h"
#include "tprun/say.h"
#include "tprun/who.h"

bool tp_who_is(struct tp_who who, const char *word)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", who.pid);
	return !strcmp(who.name, word) || !strcmp(pid, word);
}

bool tp_who_is_wanted(struct tp_who who, char **words)
{
	bool wanted = !*words;

	for (; *words && !wanted; words++)
		wanted = tp_who_is(who, *words);
	return wanted;
}

const char *tp_who_unknown(char **words, tp_who_at *who_at, const void *list, size_t n)
{
	for (; *words; words++) {
		size_t i = 0;

		while (i < n && !tp_who_is(who_at(list, i), *words))
			i++;
		if (i == n)
			return *words;
	}
	return NULL;
}

int tp_who_refuse(const char *word, const char *group, const char *see)
{
	tp_say("%s: there is no such program in group %s (see: tprun %s)", word, group, see);
	return TP_STATUS_OWN;
}

const char *tp_who_state(struct tp_who who)
{
	static const char *const names[] = {
		[TP_PROGRAM_FREE] = "free",
		[TP_PROGRAM_STARTING] = "starting",
		[TP_PROGRAM_RUNNING] = "running",
		[TP_PROGRAM_LEFT] = "left",
		[TP_PROGRAM_DEAD] = "dead",
		[TP_PROGRAM_LINGERING] = "lingering",
	};

	if (who.kind == TP_KIND_SATELLITE && who.state == TP_PROGRAM_RUNNING)
		return "satellite";
	return who.state < sizeof(names) / sizeof(*names) ? names[who.state] : "unknown";
}

void tp_who_json(struct tp_json *j, struct tp_who who)
{
	tp_json_object(j, NULL);
	tp_json_string(j, "name", who.name);
	tp_json_int(j, "id", (int64_t)who.id);
	tp_json_int(j, "pid", who.pid);
	tp_json_string(j, "state", tp_who_state(who));
}

void tp_heading(const char *fmt, ...)
{
	bool bold = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	va_list args;

	fputs(bold ? "\033[1m" : "", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	puts(bold ? "\033[0m" : "");
}
