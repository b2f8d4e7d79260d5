/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_COMMAND_H
#define TP_TPRUN_COMMAND_H

#include <stdbool.h>

#include "tprun/caller.h"

/* One option of a verb, as --help shows it and getopt_long takes it. */
struct tp_option {
	const char *name;  /* long */
	int letter;        /* also the short option if it is a printable character */
	const char *value; /* what stands for its value in --help; NULL: takes none */
	const char *help;
};

struct tp_verb {
	const char *name;
	const char *synopsis;            /* behind "tprun NAME " */
	const char *help;                /* one line */
	const struct tp_option *options; /* ends with a zero entry */
	bool takes_command;              /* options end where the command begins */
	int (*run)(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv);
};

/* Values for long options without a letter. */
enum {
	TP_OPT_HELP = 0x100,
	TP_OPT_LINGER,
	TP_OPT_LEAVE,
	TP_OPT_ROOT,
	TP_OPT_EXIT_ON,
	TP_OPT_SHARED_MALLOC,
	TP_OPT_HEAP,
};

#define TP_OPTION_GROUP \
	{ \
		"group", 'g', "GROUP", "the group; by default the only live one" \
	}
#define TP_OPTION_OUTPUT \
	{ \
		"output", 'o', "json", "print JSON" \
	}
#define TP_OPTION_HELP \
	{ \
		"help", TP_OPT_HELP, NULL, "show this and end" \
	}

/* What options.c collects for all verbs. */
struct tp_options {
	const char *group;
	const char *root;
	const char *exit_on;
	const char *heap;
	bool linger, leave, tty, json, shared_malloc;
	char **rest; /* what follows the options: a command, or names; NULL-terminated */
	int nrest;
};

/*
 * tp_options_parse - read a verb's options. The first word that is not one, or "--", ends them.
 * @argv: argv[0] is the verb
 * Returns -1 to go on, else the status to end with (0 after --help).
 */
int tp_options_parse(const struct tp_verb *verb, int argc, char **argv, struct tp_options *ret);

/* tp_options_help - print a verb's --help to stdout. */
void tp_options_help(const struct tp_verb *verb);

extern const struct tp_verb tp_verb_run, tp_verb_exec, tp_verb_ps, tp_verb_maps, tp_verb_counters, tp_verb_stop,
	tp_verb_doctor;

#endif
