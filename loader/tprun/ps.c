/* SPDX-License-Identifier: MIT */
/*
 * tprun ps: the programs of a group.
 */
#include <stdio.h>
#include <time.h>

#include "tp/abi/layout.h"
#include "tprun/command.h"
#include "tprun/jobs.h"
#include "tprun/json.h"
#include "tprun/programs.h"
#include "tprun/say.h"

#define NS 1000000000LL

static const struct tp_option options[] = {
	TP_OPTION_GROUP,
	TP_OPTION_OUTPUT,
	TP_OPTION_HELP,
	{.name = NULL},
};

/* Boot time is what the supervisor records: it does not jump. People read the wall clock. */
static int64_t wall_ns(int64_t boot_ns)
{
	struct timespec boot, real;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &real);
	return boot_ns + (real.tv_sec - boot.tv_sec) * NS + real.tv_nsec - boot.tv_nsec;
}

/* For people local time, for programs the form of RFC 3339. NULL: not known. */
static const char *wall_text(char *buf, size_t size, int64_t boot_ns, bool for_people)
{
	time_t t = (time_t)(wall_ns(boot_ns) / NS);
	struct tm tm;

	if (!boot_ns)
		return NULL;
	if (for_people)
		strftime(buf, size, "%F %T", localtime_r(&t, &tm));
	else
		strftime(buf, size, "%FT%TZ", gmtime_r(&t, &tm));
	return buf;
}

static bool has_ended(const struct tp_wire_program *p)
{
	return p->state == TP_PROGRAM_DEAD || p->state == TP_PROGRAM_LINGERING;
}

static const char *size_text(char *buf, size_t size, uint64_t bytes)
{
	static const char units[] = "KMGT";
	double v = (double)bytes / 1024;
	unsigned int u = 0;

	for (; v >= 1024 && units[u + 1]; u++)
		v /= 1024;
	snprintf(buf, size, v < 10 && u ? "%.1f%c" : "%.0f%c", v, units[u]);
	return buf;
}

static void print_row(const struct tp_wire_program *p)
{
	char name[TP_NAME_MAX], size[32], start[32], slot[32], status[16] = "-";
	const char *started = wall_text(start, sizeof(start), p->start_ns, true);

	if (p->kind == TP_KIND_SATELLITE)
		snprintf(slot, sizeof(slot), "-");
	else if (p->nunits > 1)
		snprintf(slot, sizeof(slot), "%u+%u", p->unit, p->nunits - 1);
	else
		snprintf(slot, sizeof(slot), "%u", p->unit);
	if (has_ended(p))
		snprintf(status, sizeof(status), "%d", tp_shell_status((int)p->wait_status));
	printf("%-20s %8d %-9s %9s %9s %6u  %-19s %6s\n", tp_printable(name, sizeof(name), p->name),
		p->pid, tp_who_state(tp_program_who(p)), slot,
		size_text(size, sizeof(size), p->resident), p->vmas, started ? started : "-",
		status);
}

static void print_table(const struct tp_programs *programs)
{
	tp_heading("%-20s %8s %-9s %9s %9s %6s  %-19s %6s", "NAME", "PID", "STATE", "SLOT", "RESIDENT", "VMAS", "STARTED", "EXIT");
	for (size_t i = 0; i < programs->n; i++)
		print_row(&programs->v[i]);
}

static void json_time(struct tp_json *j, const char *key, int64_t boot_ns)
{
	char text[40];

	if (wall_text(text, sizeof(text), boot_ns, false))
		tp_json_string(j, key, text);
	else
		tp_json_null(j, key);
}

static void json_slot(struct tp_json *j, const struct tp_wire_program *p)
{
	char address[32];

	if (p->kind == TP_KIND_SATELLITE) {
		tp_json_null(j, "slot");
		tp_json_int(j, "slots", 0);
		tp_json_null(j, "address");
		return;
	}
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)TP_UNIT_BASE(p->unit));
	tp_json_int(j, "slot", p->unit);
	tp_json_int(j, "slots", p->nunits);
	tp_json_string(j, "address", address);
}

static void json_program(struct tp_json *j, const struct tp_wire_program *p)
{
	tp_who_json(j, tp_program_who(p));
	json_slot(j, p);
	tp_json_int(j, "resident", (int64_t)p->resident);
	tp_json_int(j, "vmas", p->vmas);
	json_time(j, "started", p->start_ns);
	json_time(j, "ended", has_ended(p) ? p->exit_ns : 0);
	if (has_ended(p))
		tp_json_int(j, "exit", tp_shell_status((int)p->wait_status));
	else
		tp_json_null(j, "exit");
	tp_json_end_object(j);
}

static void print_json(const struct tp_programs *programs)
{
	const struct tp_wire_info *info = &programs->info;
	struct tp_json j = {.out = stdout};

	tp_json_object(&j, NULL);
	tp_json_string(&j, "group", info->group);
	tp_json_int(&j, "supervisor", info->supervisor_pid);
	tp_json_int(&j, "host", info->host_pid);
	tp_json_bool(&j, "host_alive", info->host_alive);
	tp_json_int(&j, "vmas", info->vmas);
	tp_json_int(&j, "max_map_count", info->max_map_count);
	json_time(&j, "started", info->start_ns);
	tp_json_array(&j, "programs");
	for (size_t i = 0; i < programs->n; i++)
		json_program(&j, &programs->v[i]);
	tp_json_end_array(&j);
	tp_json_end_object(&j);
	putchar('\n');
}

static int verb_ps(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv)
{
	struct tp_programs programs;
	struct tp_options o;
	struct tp_error err;
	int status = tp_options_parse(verb, argc, argv, &o);

	(void)caller;
	if (status >= 0)
		return status;
	if (o.nrest)
		return tp_usage("ps", "ps: \"%s\" is one word too many", o.rest[0]);
	if (tp_programs_fetch(o.group, &programs, &err))
		return tp_fail(&err);
	if (o.json)
		print_json(&programs);
	else
		print_table(&programs);
	tp_programs_fini(&programs);
	return tp_flush();
}

const struct tp_verb tp_verb_ps = {
	.name = "ps",
	.synopsis = "[options]",
	.help = "List the programs of a group",
	.options = options,
	.run = verb_ps,
};
