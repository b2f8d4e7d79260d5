/* SPDX-License-Identifier: MIT */
/*
 * tprun run: a new group, its programs in the foreground.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "supervise/heap-file.h"
#include "supervise/runtime-dir.h"
#include "tprun/command.h"
#include "tprun/front.h"
#include "tprun/root.h"
#include "tprun/say.h"
#include "tprun/size.h"
#include "tprun/start.h"

static const struct tp_option options[] = {
	{"group", 'g', "GROUP", "name of the new group; by default run-PID"},
	{"linger", TP_OPT_LINGER, NULL, "keep the programs' memory until the group ends"},
	{"leave", TP_OPT_LEAVE, NULL, "leave descendants that outlive the programs alone"},
	{"shared-malloc", TP_OPT_SHARED_MALLOC, NULL,
		"one malloc for all programs of the group: any of them may free"},
	{"heap", TP_OPT_HEAP, "SIZE",
		"limit of the heap that programs share, as 512M or 8G; by default half of the memory"},
	{"root", TP_OPT_ROOT, "DIR", "take programs and libraries from below DIR, their new /"},
	{"exit-on", TP_OPT_EXIT_ON, "WHEN",
		"end the rest on: first-exit, first-failure, NAME; or: all (the default)"},
	TP_OPTION_HELP,
	{.name = NULL},
};

static int check(const struct tp_options *o, struct tp_jobs *jobs, uint64_t *ret_heap_size)
{
	struct tp_error err;

	if (o->group && !tp_runtime_name_ok(o->group))
		return tp_usage("run",
			"run: -g: \"%s\" cannot be a group's name (take up to %d letters, "
			"digits, '.', '_', '-', and begin with a letter or digit)",
			o->group, TP_NAME_MAX - 1);
	if (tp_jobs_parse(jobs, o->rest, &err))
		return tp_usage("run", "run: %s", err.text);
	if (o->exit_on && tp_jobs_exit_on(jobs, o->exit_on))
		return tp_usage("run",
			"run: --exit-on: \"%s\" is neither first-exit, first-failure, all "
			"nor the name of a program here",
			o->exit_on);
	if (o->heap && tp_size_parse(o->heap, ret_heap_size))
		return tp_usage("run", "run: --heap: \"%s\" is no size (take a number with K, M, G or T behind it)", o->heap);
	if (o->heap && (*ret_heap_size < TP_HEAP_FILE_MIN || *ret_heap_size > TP_HEAP_MAX))
		return tp_usage("run", "run: --heap: %s is too %s (take %lluM to %lluG)", o->heap,
			*ret_heap_size > TP_HEAP_MAX ? "large" : "small", (unsigned long long)TP_HEAP_FILE_MIN >> 20, (unsigned long long)TP_HEAP_MAX >> 30);
	return -1;
}

static int run_front(struct tp_front *f, const struct tp_options *o, uint64_t heap_size)
{
	const struct tp_start how = {
		.group = f->group,
		.heap_size = heap_size,
		.leave = o->leave,
		.shared_malloc = o->shared_malloc,
	};
	struct tp_error err;
	int status;

	if (tp_root_open(o->root, &f->root_fd, &err) || tp_front_block(f, &err) ||
		tp_start_group(&how, &f->client, &f->supervisor, &f->supervisor_pidfd, &err))
		return tp_fail(&err);
	status = tp_front_run(f);
	tp_client_close(&f->client);
	return status;
}

static int verb_run(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv)
{
	struct tp_front f = TP_FRONT_INIT;
	struct tp_options o;
	char name[TP_NAME_MAX];
	uint64_t heap_size = 0;
	int status = tp_options_parse(verb, argc, argv, &o);

	if (status < 0)
		status = check(&o, &f.jobs, &heap_size);
	if (status >= 0) {
		tp_jobs_fini(&f.jobs);
		return status;
	}
	snprintf(name, sizeof(name), "run-%d", getpid());
	f.group = o.group ? o.group : name;
	f.caller = caller;
	f.flags = o.linger ? TP_WIRE_LINGER : 0;
	status = run_front(&f, &o, heap_size);
	tp_jobs_fini(&f.jobs);
	return status;
}

const struct tp_verb tp_verb_run = {
	.name = "run",
	.synopsis = "[options] -- PROGRAM [ARG]... [::: PROGRAM [ARG]...]...",
	.help = "Start a group, run programs in it and wait for them in the foreground",
	.options = options,
	.takes_command = true,
	.run = verb_run,
};
