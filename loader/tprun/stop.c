/* SPDX-License-Identifier: MIT */
/*
 * tprun stop: end programs, or a whole group: SIGTERM, and SIGKILL to what is left after a while.
 * What lingers gives its memory back.
 */
#include <errno.h>
#include <signal.h>

#include "tprun/command.h"
#include "tprun/groups.h"
#include "tprun/programs.h"
#include "tprun/say.h"

#define GRACE_MS 10000

static const struct tp_option options[] = {
	TP_OPTION_GROUP,
	TP_OPTION_HELP,
	{.name = NULL},
};

static int say_failed(const char *what, int err)
{
	tp_say("%s: cannot be stopped: %s", what,
		err == -EPIPE ? "its group has ended" : tp_errno_words(err));
	return TP_STATUS_OWN;
}

/* @name: NULL: the group, whose end is the answer as much as OK is. */
static int await_answer(struct tp_client *c, uint32_t seq, const char *name)
{
	union tp_message m;
	int err;

	do {
		err = tp_client_receive(c, 1, &m);
		if (!err && m.head.type == TP_WIRE_BYE)
			return 0;
	} while (!err && m.head.seq != seq);
	if (err == -EPIPE && !name)
		return 0;
	if (err)
		return say_failed(name ? name : "the group", err);
	if (m.head.type != TP_WIRE_ERROR)
		return 0;
	tp_say("%s", m.error.text);
	return m.error.status ? m.error.status : TP_STATUS_OWN;
}

static int stop(struct tp_client *c, const char *name)
{
	uint32_t seq;
	int err = tp_client_stop(c, name, GRACE_MS, &seq);

	if (err)
		return say_failed(name ? name : "the group", err);
	return await_answer(c, seq, name);
}

static int reclaim(struct tp_client *c, const struct tp_wire_program *program)
{
	uint32_t seq;
	int err = tp_client_reclaim(c, program->id, &seq);

	return err ? say_failed(program->name, err) : await_answer(c, seq, program->name);
}

/* Of one that has ended and lingers the memory is all there is to end. */
static int stop_named(struct tp_client *c, const char *name)
{
	struct tp_programs programs;
	struct tp_error err;
	int status = -1;

	if (tp_programs_list(c, &programs, &err))
		return tp_fail(&err);
	for (size_t i = 0; i < programs.n && status < 0; i++)
		if (programs.v[i].state == TP_PROGRAM_LINGERING &&
			tp_who_is(tp_program_who(&programs.v[i]), name))
			status = reclaim(c, &programs.v[i]);
	tp_programs_fini(&programs);
	return status < 0 ? stop(c, name) : status;
}

static int verb_stop(const struct tp_verb *verb, struct tp_caller *caller, int argc, char **argv)
{
	struct tp_client c;
	struct tp_options o;
	struct tp_error err;
	int worst = 0;
	int status = tp_options_parse(verb, argc, argv, &o);

	(void)caller;
	if (status >= 0)
		return status;
	if (tp_groups_connect(o.group, &c, &err))
		return tp_fail(&err);
	signal(SIGPIPE, SIG_IGN);
	if (!o.nrest)
		worst = stop(&c, NULL);
	for (char **name = o.rest; *name; name++) {
		status = stop_named(&c, *name);
		if (status)
			worst = status;
	}
	tp_client_close(&c);
	return worst;
}

const struct tp_verb tp_verb_stop = {
	.name = "stop",
	.synopsis = "[options] [NAME]...",
	.help = "End a group, or some of its programs: SIGTERM, after 10 seconds SIGKILL",
	.options = options,
	.run = verb_stop,
};
