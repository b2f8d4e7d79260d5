/* SPDX-License-Identifier: MIT */
/*
 * tprun maps: the group's address space, each mapping with whose it is. /proc/PID/maps of a program
 * is the whole group's, too, but says neither.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tp/abi/layout.h"
#include "tprun/command.h"
#include "tprun/programs.h"
#include "tprun/say.h"

static const struct tp_option options[] = {
	TP_OPTION_GROUP,
	TP_OPTION_HELP,
	{.name = NULL},
};

static bool in_outside(const struct tp_wire_program *p, uint64_t addr)
{
	for (uint32_t i = 0; i < p->noutside && i < TP_OUTSIDE_MAX; i++)
		if (addr - p->outside[i].addr < p->outside[i].len)
			return true;
	return false;
}

static bool holds(const struct tp_wire_program *p, uint64_t addr)
{
	return TP_UNIT_OF(addr) == p->unit || in_outside(p, addr);
}

/* NULL: no program's. */
static const struct tp_wire_program *owner_of(const struct tp_programs *programs, uint64_t addr)
{
	for (size_t i = 0; i < programs->n; i++)
		if (holds(&programs->v[i], addr))
			return &programs->v[i];
	return NULL;
}

static const char *shared_owner(uint64_t addr)
{
	return addr - TP_SEGMENT_BASE < TP_SEGMENT_END - TP_SEGMENT_BASE ? "(segment)" : "(host)";
}

static void print_line(const struct tp_programs *programs, const char *line, char **words)
{
	uint64_t addr = strtoull(line, NULL, 16);
	const struct tp_wire_program *p = owner_of(programs, addr);
	char name[TP_NAME_MAX];

	if (p ? tp_who_is_wanted(tp_program_who(p), words) : !*words)
		printf("%-20s %s",
			p ? tp_printable(name, sizeof(name), p->name) : shared_owner(addr), line);
}

static int print_maps(const struct tp_programs *programs, char **words)
{
	char path[64];
	char *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", programs->info.host_pid);
	f = programs->info.host_alive ? fopen(path, "re") : NULL;
	if (!f) {
		tp_say("group %s: its mappings cannot be read: %s", programs->info.group,
			programs->info.host_alive ? tp_errno_words(errno) : "its host has died");
		return TP_STATUS_OWN;
	}
	while (getline(&line, &room, f) > 0)
		print_line(programs, line, words);
	free(line);
	fclose(f);
	return tp_flush();
}

static int verb_maps(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv)
{
	struct tp_programs programs;
	struct tp_options o;
	struct tp_error err;
	const char *word;
	int status = tp_options_parse(verb, argc, argv, &o);

	(void)caller;
	if (status >= 0)
		return status;
	if (tp_programs_fetch(o.group, &programs, &err))
		return tp_fail(&err);
	word = tp_who_unknown(o.rest, tp_programs_who, &programs, programs.n);
	status = word ? tp_who_refuse(word, programs.info.group, "ps") : print_maps(&programs, o.rest);
	tp_programs_fini(&programs);
	return status;
}

const struct tp_verb tp_verb_maps = {
	.name = "maps",
	.synopsis = "[options] [NAME]...",
	.help = "Print the mappings of a group, or of some of its programs, with their owners",
	.options = options,
	.run = verb_maps,
};
