/* SPDX-License-Identifier: MIT */
/*
 * tprun counters: what libtp has counted for each program of a group, the dead included.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "tprun/command.h"
#include "tprun/counts.h"
#include "tprun/json.h"
#include "tprun/say.h"
#include "tprun/who.h"

#define NS INT64_C(1000000000)

static const struct tp_option options[] = {
	TP_OPTION_GROUP,
	TP_OPTION_OUTPUT,
	TP_OPTION_HELP,
	{.name = NULL},
};

static const struct {
	enum tp_counter which;
	const char *key;
} counts[] = {
	{TP_COUNTER_PUBLISHED, "published"},
	{TP_COUNTER_TAKEOVERS, "takeovers"},
	{TP_COUNTER_WAITS, "waits"},
	{TP_COUNTER_BACKPRESSURE, "backpressure"},
	{TP_COUNTER_REDELIVERED, "redelivered"},
	{TP_COUNTER_OWNER_DIED, "owner_died"},
	{TP_COUNTER_ADOPTED_SLABS, "adopted_slabs"},
};

static const char *const calls[TP_CALLS] = {
	[TP_CALL_PUBLISH] = "publish",
	[TP_CALL_LOOKUP] = "look up",
	[TP_CALL_ALLOCATE] = "allocate",
	[TP_CALL_FREE] = "free",
	[TP_CALL_CHANNEL] = "open a channel",
	[TP_CALL_SEND] = "send",
	[TP_CALL_RECEIVE] = "receive",
	[TP_CALL_LOCK] = "lock",
	[TP_CALL_WAIT] = "wait",
	[TP_CALL_ATTACH] = "attach",
	[TP_CALL_WATCH] = "watch",
};

static const char *call_name(int call)
{
	return calls[call] ? calls[call] : "something newer";
}

static struct tp_who who(const struct tp_count_row *row)
{
	return (struct tp_who){row->name, row->id, row->pid, row->state, row->kind};
}

static struct tp_who who_at(const void *list, size_t at)
{
	const struct tp_counts *c = list;

	return who(&c->rows[at]);
}

static uint64_t errors_of(const struct tp_count_row *row)
{
	uint64_t n = 0;

	for (int i = 0; i < TP_CALLS; i++)
		n += row->counters.errors[i].count;
	return n;
}

/* ---- for people --------------------------------------------------------------------------------- */

static void print_row(const struct tp_count_row *row)
{
	const uint64_t *c = row->counters.count;
	char name[TP_NAME_MAX];

	printf("%-20s %8d %-9s %8" PRIu64 " %8" PRIu64 " %12" PRIu64 " %8" PRIu64 " %11" PRIu64 " %9" PRIu64 " %12" PRIu64 " %6" PRIu64 "\n",
		tp_printable(name, sizeof(name), row->name), row->pid, tp_who_state(who(row)), c[TP_COUNTER_PUBLISHED], row->depth,
		c[TP_COUNTER_BACKPRESSURE], c[TP_COUNTER_WAITS], c[TP_COUNTER_REDELIVERED], row->blocks, row->bytes, errors_of(row));
}

static void print_channel(const struct tp_count_channel *c)
{
	char name[TP_NAME_MAX], type[TP_NAME_MAX];

	printf("%-20s %-20s %6u %8" PRIu64 " %14" PRIu64 " %12" PRIu64 " %11" PRIu64 "\n", tp_printable(name, sizeof(name), c->name),
		tp_printable(type, sizeof(type), c->type), c->lanes, c->depth, c->sent, c->backpressure, c->redelivered);
}

static int64_t seconds_since(int64_t boot_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec - boot_ns / NS;
}

static void print_errors(const struct tp_count_row *row)
{
	char name[TP_NAME_MAX];

	for (int i = 0; i < TP_CALLS; i++) {
		const struct tp_error_count *e = &row->counters.errors[i];

		if (e->count)
			printf("%s could not %s %" PRIu64 " times: first %" PRId64 " s ago (%s), last %" PRId64 " s ago (%s)\n",
				tp_printable(name, sizeof(name), row->name), call_name(i), e->count, seconds_since(e->first_ns),
				tp_errno_words(e->first_error), seconds_since(e->last_ns), tp_errno_words(e->last_error));
	}
}

static void print_table(const struct tp_counts *c, char **words)
{
	tp_heading("%-20s %8s %-9s %8s %8s %12s %8s %11s %9s %12s %6s", "NAME", "PID", "STATE", "NAMES", "DEPTH", "BACKPRESSURE",
		"WAITS", "REDELIVERED", "BLOCKS", "BYTES", "ERRORS");
	for (size_t i = 0; i < c->nrows; i++)
		if (tp_who_is_wanted(who_at(c, i), words))
			print_row(&c->rows[i]);
	if (c->nchannels && !*words) {
		putchar('\n');
		tp_heading("%-20s %-20s %6s %8s %14s %12s %11s", "CHANNEL", "TYPE", "LANES", "DEPTH", "SENT", "BACKPRESSURE", "REDELIVERED");
		for (size_t i = 0; i < c->nchannels; i++)
			print_channel(&c->channels[i]);
	}
	for (size_t i = 0; i < c->nrows; i++)
		if (tp_who_is_wanted(who_at(c, i), words))
			print_errors(&c->rows[i]);
}

/* ---- for other programs ------------------------------------------------------------------------- */

static void json_errors(struct tp_json *j, const struct tp_counters *c)
{
	tp_json_array(j, "errors");
	for (int i = 0; i < TP_CALLS; i++) {
		const struct tp_error_count *e = &c->errors[i];

		if (!e->count)
			continue;
		tp_json_object(j, NULL);
		tp_json_string(j, "call", call_name(i));
		tp_json_int(j, "count", (int64_t)e->count);
		tp_json_int(j, "first_ns", e->first_ns);
		tp_json_string(j, "first", tp_errno_words(e->first_error));
		tp_json_int(j, "last_ns", e->last_ns);
		tp_json_string(j, "last", tp_errno_words(e->last_error));
		tp_json_end_object(j);
	}
	tp_json_end_array(j);
}

static void json_row(struct tp_json *j, const struct tp_count_row *row)
{
	tp_who_json(j, who(row));
	tp_json_bool(j, "uses_libtp", row->counters.id != 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		tp_json_int(j, counts[i].key, (int64_t)row->counters.count[counts[i].which]);
	tp_json_int(j, "depth", (int64_t)row->depth);
	tp_json_int(j, "blocks", (int64_t)row->blocks);
	tp_json_int(j, "bytes", (int64_t)row->bytes);
	json_errors(j, &row->counters);
	tp_json_end_object(j);
}

static void json_channel(struct tp_json *j, const struct tp_count_channel *c)
{
	tp_json_object(j, NULL);
	tp_json_string(j, "name", c->name);
	tp_json_string(j, "type", c->type);
	tp_json_int(j, "consumer", (int64_t)c->consumer);
	tp_json_int(j, "lanes", c->lanes);
	tp_json_int(j, "depth", (int64_t)c->depth);
	tp_json_int(j, "sent", (int64_t)c->sent);
	tp_json_int(j, "acknowledged", (int64_t)c->acked);
	tp_json_int(j, "backpressure", (int64_t)c->backpressure);
	tp_json_int(j, "redelivered", (int64_t)c->redelivered);
	tp_json_end_object(j);
}

static void print_json(const struct tp_counts *c, char **words)
{
	struct tp_json j = {.out = stdout};

	tp_json_object(&j, NULL);
	tp_json_string(&j, "group", c->group);
	tp_json_int(&j, "names", (int64_t)c->names);
	tp_json_array(&j, "programs");
	for (size_t i = 0; i < c->nrows; i++)
		if (tp_who_is_wanted(who_at(c, i), words))
			json_row(&j, &c->rows[i]);
	tp_json_end_array(&j);
	tp_json_array(&j, "channels");
	for (size_t i = 0; i < c->nchannels; i++)
		json_channel(&j, &c->channels[i]);
	tp_json_end_array(&j);
	tp_json_end_object(&j);
	putchar('\n');
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static int print_counts(const struct tp_counts *c, const struct tp_options *o)
{
	const char *word = tp_who_unknown(o->rest, who_at, c, c->nrows);

	if (word)
		return tp_who_refuse(word, c->group, "counters");
	if (o->json)
		print_json(c, o->rest);
	else
		print_table(c, o->rest);
	return tp_flush();
}

static int verb_counters(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv)
{
	struct tp_look look;
	struct tp_counts c;
	struct tp_options o;
	struct tp_error err;
	int status = tp_options_parse(verb, argc, argv, &o);

	(void)caller;
	if (status >= 0)
		return status;
	if (tp_look_open(o.group, &look, &err))
		return tp_fail(&err);
	if (tp_counts_read(&look, &c)) {
		tp_say("the counters cannot be read: out of memory");
		status = TP_STATUS_OWN;
	} else {
		status = print_counts(&c, &o);
		tp_counts_fini(&c);
	}
	tp_look_fini(&look);
	return status;
}

const struct tp_verb tp_verb_counters = {
	.name = "counters",
	.synopsis = "[options] [NAME]...",
	.help = "Print what libtp has counted for each program, the dead included",
	.options = options,
	.run = verb_counters,
};
