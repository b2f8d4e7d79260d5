/* SPDX-License-Identifier: MIT */
/*
 * From the caller's state and one program's words to a launch request.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tprun/launch-job.h"
#include "tprun/pty.h"
#include "tprun/root.h"

/* Which descriptors a program gets: ours, and at which of its numbers. */
struct descriptors {
	int *fds, *targets;
	size_t n;
	int null; /* opened here */
};

static void put(struct descriptors *d, int fd, int target)
{
	d->fds[d->n] = fd;
	d->targets[d->n++] = target;
}

/* The caller's, except that 0 (or with a pty 0-2) is something else. */
static void put_all(struct descriptors *d, const struct tp_front *f, int instead, int upto)
{
	for (int t = 0; instead >= 0 && t <= upto; t++)
		put(d, instead, t);
	for (size_t i = 0; i < f->caller->nfds; i++)
		if (instead < 0 || f->caller->fds[i] > upto)
			put(d, f->caller->fds[i], f->caller->fds[i]);
}

static int choose(struct descriptors *d, const struct tp_front *f, bool first)
{
	size_t room = f->caller->nfds + 3;

	d->null = -1;
	d->n = 0;
	d->fds = calloc(room * 2, sizeof(*d->fds));
	if (!d->fds)
		return -ENOMEM;
	d->targets = d->fds + room;
	if (f->pty) {
		put_all(d, f, tp_pty_slave(f->pty), STDERR_FILENO);
	} else if (first) {
		put_all(d, f, -1, 0);
	} else {
		d->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (d->null < 0)
			return -errno;
		put_all(d, f, d->null, STDIN_FILENO);
	}
	return 0;
}

static void release(struct descriptors *d)
{
	free(d->fds);
	if (d->null >= 0)
		close(d->null);
}

static struct tp_request request_for(
	const struct tp_front *f, const struct tp_job *job, const struct descriptors *d)
{
	const struct tp_caller *c = f->caller;
	bool last = job == &f->jobs.v[f->jobs.n - 1];

	return (struct tp_request){
		/* In a group of others the supervisor finds a name that is free. */
		.name = f->supervisor_pidfd >= 0 ? job->name : NULL,
		.argv = job->argv,
		.envp = c->envp,
		.fds = d->fds,
		.targets = d->targets,
		.nfds = d->n,
		.cwd_fd = f->root_fd >= 0 ? tp_root_cwd(f->root_fd, c->cwd_fd) : c->cwd_fd,
		.root_fd = f->root_fd,
		.flags = f->flags | (last ? 0 : TP_WIRE_MORE),
		.pgid = f->own_session ? 0 : c->pgid,
		.sid = c->sid,
		.umask = c->umask,
		.nice = c->nice,
		.sigmask = c->sigmask,
		.sigignore = c->sigignore,
		.rlimits = c->rlimits,
	};
}

int tp_launch_job(struct tp_front *f, struct tp_job *job, struct tp_error *err)
{
	struct descriptors d;
	int r = choose(&d, f, job == f->jobs.v);

	if (r) {
		tp_error_named(err, TP_STATUS_OWN, r, job->name, "cannot be started: %s",
			tp_errno_words(r));
	} else {
		struct tp_request request = request_for(f, job, &d);

		r = tp_client_launch(&f->client, &request, &job->seq, err);
	}
	release(&d);
	if (!r)
		job->state = TP_JOB_ASKED;
	if (!r && f->pty)
		tp_pty_close_slave(f->pty); /* so that its last user's end is seen */
	return r;
}
