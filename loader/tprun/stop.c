/* SPDX-License-Identifier: MIT */
/*
 * tprun stop: end programs, or a whole group: SIGTERM, and SIGKILL to what is left after a while.
 */
#include <errno.h>
#include <signal.h>

#include "tprun/command.h"
#include "tprun/groups.h"
#include "tprun/say.h"

#define GRACE_MS 10000

static const struct tp_option options[] = {
	TP_OPTION_GROUP,
	TP_OPTION_HELP,
	{.name = NULL},
};

static int say_failed(const char *what, int err)
{
	tp_say("%s: cannot be stopped: %s", what, tp_errno_words(err));
	return TP_STATUS_OWN;
}

/* @name: NULL: the group, whose end is the answer as much as OK is. */
static int stop(struct tp_client *c, const char *name)
{
	union tp_message m;
	uint32_t seq;
	int err = tp_client_stop(c, name, GRACE_MS, &seq);

	while (!err) {
		err = tp_client_receive(c, 1, &m);
		if (err)
			break;
		if (m.head.type == TP_WIRE_BYE)
			return 0;
		if (m.head.seq != seq)
			continue;
		if (m.head.type != TP_WIRE_ERROR)
			return 0;
		tp_say("%s", m.error.text);
		return m.error.status ? m.error.status : TP_STATUS_OWN;
	}
	if (!name && err == -EPIPE)
		return 0;
	return say_failed(name ? name : "the group", err);
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
		status = stop(&c, *name);
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
