/* SPDX-License-Identifier: MIT */
/*
 * The end of a foreground: `run` waits for its supervisor, so that nothing of the group is left
 * when it returns. If the supervisor did not end as it should, the whole tree is killed: its
 * orphans are ours now.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "supervise/runtime-dir.h"
#include "tprun/ending.h"
#include "tprun/say.h"
#include "tprun/tree.h"

#define SUPERVISOR_END_MS 15000
#define TREE_KILL_MS      4000

static bool supervisor_ended_within(const struct tp_front *f, int ms)
{
	struct pollfd p = {.fd = f->supervisor_pidfd, .events = POLLIN};
	int n;

	do
		n = poll(&p, 1, ms);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

static void say_supervisor_died(const struct tp_front *f, const siginfo_t *si)
{
	const char *rest = "every program of the group has been killed";

	if (si->si_code == CLD_EXITED)
		tp_say("group %s: the supervisor ended unexpectedly (status %d): %s", f->group,
			si->si_status, rest);
	else
		tp_say("group %s: the supervisor was killed by signal %d (%s): %s", f->group,
			si->si_status, sigdescr_np(si->si_status), rest);
}

/* Returns 0 if all went well, else tprun's own status. */
static int end_of_run(struct tp_front *f)
{
	siginfo_t si = {.si_code = 0};
	bool orderly = f->bye || f->own_status || tp_jobs_all_ended(&f->jobs);

	if (!supervisor_ended_within(f, orderly ? SUPERVISOR_END_MS : 1000)) {
		kill(f->supervisor, SIGKILL);
		orderly = false;
	}
	waitid(P_PIDFD, (id_t)f->supervisor_pidfd, &si, WEXITED);
	if (orderly && si.si_code == CLD_EXITED)
		return f->own_status;
	tp_tree_kill(TREE_KILL_MS);
	tp_runtime_sweep();
	if (!f->own_status)
		say_supervisor_died(f, &si);
	return TP_STATUS_OWN;
}

static int end_of_exec(struct tp_front *f)
{
	if (tp_jobs_all_ended(&f->jobs))
		return 0;
	if (!f->own_status)
		tp_say("%s: its group, %s, has ended", f->jobs.v[0].name, f->group);
	return TP_STATUS_OWN;
}

int tp_front_end(struct tp_front *f)
{
	return f->supervisor_pidfd >= 0 ? end_of_run(f) : end_of_exec(f);
}
