/* SPDX-License-Identifier: MIT */
/*
 * tprun doctor: what this machine allows, what it limits, and by what. The checks try the thing
 * itself where that is possible, instead of reading a version.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tprun/command.h"
#include "tprun/doctor.h"
#include "tprun/json.h"
#include "tprun/say.h"

static const struct tp_option options[] = {
	TP_OPTION_OUTPUT,
	TP_OPTION_HELP,
	{.name = NULL},
};

static const struct tp_check *const sets[] = {tp_checks_kernel, tp_checks_limits, tp_checks_libc};

static const char *const verdicts[] = {
	[TP_FINE] = "ok",
	[TP_LIMITS] = "limits",
	[TP_BREAKS] = "breaks",
};

void tp_found(struct tp_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	va_end(ap);
}

static void judge(
	struct tp_finding *f, enum tp_verdict verdict, const char *means, const char *todo)
{
	f->verdict = verdict;
	snprintf(f->means, sizeof(f->means), "%s", means);
	snprintf(f->todo, sizeof(f->todo), "%s", todo);
}

void tp_limits(struct tp_finding *f, const char *means, const char *todo)
{
	judge(f, TP_LIMITS, means, todo);
}

void tp_breaks(struct tp_finding *f, const char *means, const char *todo)
{
	judge(f, TP_BREAKS, means, todo);
}

int tp_line_in(const char *path, char *buf, int size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, (size_t)size - 1);
	close(fd);
	if (n < 0)
		return -errno;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return 0;
}

long long tp_number_in(const char *path)
{
	char buf[64];

	return tp_line_in(path, buf, sizeof(buf)) ? -1 : atoll(buf);
}

static const char *colour_of(enum tp_verdict v)
{
	static const char *const colours[] = {
		[TP_FINE] = "\033[32m",
		[TP_LIMITS] = "\033[33m",
		[TP_BREAKS] = "\033[31m",
	};

	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") ? colours[v] : "";
}

static void print_finding(const char *name, const struct tp_finding *f)
{
	const char *colour = colour_of(f->verdict);

	printf("%s%-7s%s %-18s %s", colour, verdicts[f->verdict], *colour ? "\033[0m" : "", name,
		f->found);
	if (f->means[0])
		printf(": %s", f->means);
	if (f->todo[0])
		printf(" (%s)", f->todo);
	putchar('\n');
}

static void json_text(struct tp_json *j, const char *key, const char *text)
{
	if (*text)
		tp_json_string(j, key, text);
	else
		tp_json_null(j, key);
}

static void json_finding(struct tp_json *j, const char *name, const struct tp_finding *f)
{
	tp_json_object(j, NULL);
	tp_json_string(j, "check", name);
	tp_json_string(j, "verdict", verdicts[f->verdict]);
	tp_json_string(j, "found", f->found);
	json_text(j, "means", f->means);
	json_text(j, "todo", f->todo);
	tp_json_end_object(j);
}

static enum tp_verdict run_checks(struct tp_json *json)
{
	enum tp_verdict worst = TP_FINE;

	for (size_t s = 0; s < sizeof(sets) / sizeof(*sets); s++)
		for (const struct tp_check *c = sets[s]; c->name; c++) {
			struct tp_finding f = {.verdict = TP_FINE};

			c->run(&f);
			if (f.verdict > worst)
				worst = f.verdict;
			if (json)
				json_finding(json, c->name, &f);
			else
				print_finding(c->name, &f);
		}
	return worst;
}

static int verb_doctor(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv)
{
	struct tp_json json = {.out = stdout};
	struct tp_options o;
	enum tp_verdict worst;
	int status = tp_options_parse(verb, argc, argv, &o);

	(void)caller;
	if (status >= 0)
		return status;
	if (o.nrest)
		return tp_usage("doctor", "doctor: \"%s\" is one word too many", o.rest[0]);
	if (o.json)
		tp_json_array(&json, NULL);
	worst = run_checks(o.json ? &json : NULL);
	if (o.json) {
		tp_json_end_array(&json);
		putchar('\n');
	}
	status = tp_flush();
	return status ? status : worst == TP_BREAKS;
}

const struct tp_verb tp_verb_doctor = {
	.name = "doctor",
	.synopsis = "[options]",
	.help = "Say what this machine allows, what it limits, and by what",
	.options = options,
	.run = verb_doctor,
};
