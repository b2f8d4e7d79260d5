/* SPDX-License-Identifier: MIT */
/*
 * tprun exec: one more program in a live group, from any terminal of the same user.
 *
 * From the group's session the program joins the caller's process group, as with `run`. From
 * another one it gets a session of its own, because a process can only join a process group of its
 * session; all signals then go through this process.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tprun/command.h"
#include "tprun/front.h"
#include "tprun/groups.h"
#include "tprun/pty.h"
#include "tprun/root.h"
#include "tprun/say.h"

static const struct tp_option options[] = {
	TP_OPTION_GROUP,
	{"tty", 't', NULL, "give the program a pseudo-terminal of its own"},
	{"linger", TP_OPT_LINGER, NULL, "keep the program's memory until the group ends"},
	{"shared-malloc", TP_OPT_SHARED_MALLOC, NULL,
		"refuse unless the group was started with it"},
	{"root", TP_OPT_ROOT, "DIR",
		"take the program and its libraries from below DIR, its new /"},
	TP_OPTION_HELP,
	{.name = NULL},
};

/* One program only: what looks like a separator is an argument. */
static int one_job(struct tp_jobs *jobs, char **argv, struct tp_error *err)
{
	char *first[] = {argv[0], NULL};
	int r = tp_jobs_parse(jobs, first, err);

	if (!r)
		jobs->v[0].argv = argv;
	return r;
}

static int join_group(struct tp_front *f, const char *group, bool tty, struct tp_wire_info *info,
	struct tp_error *err)
{
	int r = tp_groups_connect(group, &f->client, err);

	if (r)
		return r;
	r = tp_client_info(&f->client, info);
	if (r)
		return tp_error_set(err, TP_STATUS_OWN, r, "the group does not answer: %s",
			r == -EPIPE ? "it has ended" : tp_errno_words(r));
	f->group = info->group;
	f->supervisor = info->supervisor_pid;
	f->own_session = tty || getsid(info->supervisor_pid) != f->caller->sid;
	if (f->own_session)
		f->flags |= TP_WIRE_OWN_SESSION;
	if (tty)
		f->flags |= TP_WIRE_CTTY;
	return 0;
}

static int exec_front(struct tp_front *f, const struct tp_options *o)
{
	struct tp_wire_info info;
	struct tp_error err;
	int status;

	if (tp_root_open(o->root, &f->root_fd, &err) || tp_front_block(f, &err) ||
		join_group(f, o->group, o->tty, &info, &err) ||
		(o->tty && tp_pty_create(&f->pty, &err)))
		return tp_fail(&err);
	status = tp_front_run(f);
	f->pty = tp_pty_destroy(f->pty);
	tp_client_close(&f->client);
	return status;
}

static int verb_exec(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv)
{
	struct tp_front f = TP_FRONT_INIT;
	struct tp_options o;
	struct tp_error err;
	int status = tp_options_parse(verb, argc, argv, &o);

	if (status >= 0)
		return status;
	if (one_job(&f.jobs, o.rest, &err))
		return tp_usage("exec", "exec: %s", err.text);
	f.caller = caller;
	f.flags = (o.linger ? TP_WIRE_LINGER : 0) | (o.shared_malloc ? TP_WIRE_SHARED_MALLOC : 0);
	status = exec_front(&f, &o);
	tp_jobs_fini(&f.jobs);
	return status;
}

const struct tp_verb tp_verb_exec = {
	.name = "exec",
	.synopsis = "[options] -- PROGRAM [ARG]...",
	.help = "Start one more program in a live group and wait for it in the foreground",
	.options = options,
	.takes_command = true,
	.run = verb_exec,
};
