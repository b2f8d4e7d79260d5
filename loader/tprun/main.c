/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * tprun: run separately built programs in one address space.
 *
 * Where things are:
 *
 *   abi/        what loader, host and programs agree on: layout, segment, messages
 *   arch/       what depends on the processor
 *   loader/     elf-file, plan, stack, resolve: decide how a file is loaded, without loading it
 *     tprun/      this command (below)
 *     supervise/  the supervisor: parent of all programs, owner of all policy
 *     host/       the freestanding process whose address space is the group's
 *
 * In this folder:
 *
 *   main        the table of verbs
 *   caller      what a program would inherit from whoever called us
 *   options     one parser for the options of all verbs
 *   run exec ps maps counters stop doctor    the verbs
 *   start       fork a new group's supervisor
 *   client      the connection to a supervisor
 *   launch      its longest request; launch-job: that of one of our programs
 *   front       the foreground's loop
 *   ending      its end, and that of the group
 *   jobs        its programs, and the exit status that follows from theirs
 *   relay       signals for them
 *   pty         a terminal for `exec -t`
 *   tree        the end of a whole process tree
 *   groups      which groups live
 *   programs    who is in one
 *   look        its shared memory; counts: what is counted there
 *   say json    for people; for other programs
 */
/* clang-format on */
#include <stdio.h>
#include <string.h>

#include "tprun/command.h"
#include "tprun/say.h"

static const struct tp_verb *const verbs[] = {
	&tp_verb_run,
	&tp_verb_exec,
	&tp_verb_ps,
	&tp_verb_maps,
	&tp_verb_counters,
	&tp_verb_stop,
	&tp_verb_doctor,
};

#define NVERBS (sizeof(verbs) / sizeof(*verbs))

static int print_help(void)
{
	puts("usage: tprun VERB [-g GROUP] [options] [NAME]... [-- COMMAND]\n\n"
	     "Run separately built programs in one address space.\n"
	     "There is no memory isolation between the programs of a group.\n");
	for (size_t i = 0; i < NVERBS; i++)
		printf("  %-8s %s\n", verbs[i]->name, verbs[i]->help);
	puts("\nThe options of a verb: tprun VERB --help. More: man tprun.");
	return tp_flush();
}

static int print_version(void)
{
	puts("tprun " TPRUN_VERSION);
	return tp_flush();
}

static const struct tp_verb *find_verb(const char *name)
{
	for (size_t i = 0; i < NVERBS; i++)
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	return NULL;
}

static int dispatch(struct tp_caller *caller, int argc, char **argv)
{
	const struct tp_verb *verb;

	if (argc < 2)
		return tp_usage(NULL, "a verb is missing: run, exec, ps, maps, stop or doctor");
	if (!strcmp(argv[1], "--version"))
		return print_version();
	verb = find_verb(!strcmp(argv[1], "help") && argc > 2 ? argv[2] : argv[1]);
	if (verb && verb != find_verb(argv[1])) {
		tp_options_help(verb);
		return tp_flush();
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help();
	if (!verb)
		return tp_usage(NULL, "%s: there is no such verb", argv[1]);
	return verb->run(verb, caller, argc - 1, argv + 1);
}

int main(int argc, char **argv, char **envp)
{
	struct tp_caller caller;
	struct tp_error err;
	int status;

	/* First, while everything is as the caller left it. */
	if (tp_caller_capture(&caller, envp, &err))
		return tp_fail(&err);
	status = dispatch(&caller, argc, argv);
	tp_caller_fini(&caller);
	return status;
}
