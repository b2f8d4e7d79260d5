/* SPDX-License-Identifier: MIT */
/*
 * The foreground's loop: signals, the supervisor's messages, the supervisor's death, and the
 * terminal's bytes if there is a pty. One thread, no handlers: every signal is blocked and read
 * from a descriptor.
 *
 * Programs are launched one after another, the next when the one before has been answered. Then our
 * copies of the caller's descriptors are closed: a pipe ends when the programs let go of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tprun/ending.h"
#include "tprun/front.h"
#include "tprun/launch-job.h"
#include "tprun/pty.h"
#include "tprun/relay.h"
#include "tprun/say.h"

#define STOP_GRACE_MS 10000
#define WAITING_MS    1500
#define ANSWER_MS     5000

/*
 * What the caller ignores is told with each launch. The host must not inherit it: programs that
 * other callers add later would.
 */
static void ignore_nothing(const struct tp_caller *c)
{
	for (int signo = 1; signo <= 64; signo++)
		if (c->sigignore & UINT64_C(1) << (signo - 1))
			signal(signo, SIG_DFL);
}

int tp_front_block(struct tp_front *f, struct tp_error *err)
{
	sigset_t all;

	memset(&all, 0xff, sizeof(all)); /* also the two that glibc keeps for itself */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(uint64_t));
	ignore_nothing(f->caller);
	f->signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (f->signal_fd < 0)
		return tp_error_set(err, TP_STATUS_OWN, errno, "cannot receive signals: %s",
			tp_errno_words(errno));
	return 0;
}

static void stop_job(struct tp_front *f, const struct tp_job *job)
{
	char pid[16];
	uint32_t seq;

	snprintf(pid, sizeof(pid), "%d", job->pid);
	tp_client_stop(&f->client, pid, STOP_GRACE_MS, &seq);
}

/* Takes back what the last launch said: that more follow. */
static void say_no_more_follow(struct tp_front *f)
{
	uint32_t seq;

	tp_client_ask(&f->client, TP_WIRE_DONE, &seq);
}

/* The rest is not wanted any more: stop who runs, forget who was still to come. */
static void stop_rest(struct tp_front *f)
{
	bool skipped = false;

	for (size_t i = 0; i < f->jobs.n; i++) {
		struct tp_job *job = &f->jobs.v[i];

		if (job->state == TP_JOB_RUNNING || job->state == TP_JOB_STOPPED)
			stop_job(f, job);
		if (job->state == TP_JOB_WAITING) {
			tp_jobs_ended(&f->jobs, job, 0);
			skipped = true;
		}
	}
	if (skipped)
		say_no_more_follow(f);
}

static void job_ended(struct tp_front *f, struct tp_job *job, int status)
{
	if (tp_jobs_ended(&f->jobs, job, status))
		stop_rest(f);
}

/* Nothing of what is under way will be answered any more. */
static void give_up_launching(struct tp_front *f, int status)
{
	f->own_status = status;
	for (size_t i = 0; i < f->jobs.n; i++)
		if (f->jobs.v[i].state == TP_JOB_ASKED)
			tp_jobs_ended(&f->jobs, &f->jobs.v[i], status);
	stop_rest(f);
	say_no_more_follow(f);
}

static void launch_next(struct tp_front *f)
{
	bool refused = false; /* by us: the supervisor has not heard of it */

	for (size_t i = 0; i < f->jobs.n && !f->lost; i++) {
		struct tp_job *job = &f->jobs.v[i];
		struct tp_error err;
		int r;

		if (job->state != TP_JOB_WAITING)
			continue;
		r = tp_launch_job(f, job, &err);
		if (!r)
			break;
		if (r == -EPIPE)
			return; /* its end is told when it is seen */
		refused = true;
		job_ended(f, job, tp_fail(&err));
	}
	if (f->jobs.v[f->jobs.n - 1].state == TP_JOB_WAITING)
		return;
	tp_caller_drop(f->caller);
	if (refused)
		say_no_more_follow(f);
}

static void on_launched(struct tp_front *f, struct tp_job *job, const struct tp_wire_event *e)
{
	job->id = e->id;
	job->pid = (int)e->value;
	if (job->state == TP_JOB_ASKED)
		job->state = TP_JOB_RUNNING;
	tp_relay_early(f, job);
	if (f->jobs.decided)
		stop_job(f, job);
	launch_next(f);
}

static void on_error(struct tp_front *f, struct tp_job *job, const struct tp_wire_error *e)
{
	int status = e->status ? e->status : TP_STATUS_OWN;

	if (!job && e->head.seq)
		return; /* a signal or stop that came too late */
	tp_say("%s", e->text);
	if (job) {
		job_ended(f, job, status);
		launch_next(f);
	} else {
		give_up_launching(f, status);
	}
}

static void on_exited(struct tp_front *f, struct tp_job *job, int wait_status)
{
	int signo = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;

	if (f->pty)
		tp_pty_finish(f->pty);
	if (tp_signal_is_crash(signo))
		tp_say("%s: killed by signal %d (%s)%s", job->name, signo, sigdescr_np(signo),
			WCOREDUMP(wait_status) ? ", core dumped" : "");
	job_ended(f, job, tp_shell_status(wait_status));
}

/* The shell shows which signal it was, so take the programs' own where it can be taken. */
static void stop_with(int signo)
{
	uint64_t only = UINT64_C(1) << (signo - 1);

	kill(getpid(), signo);
	if (signo == SIGSTOP)
		return;
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &only, NULL, sizeof(only));
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &only, NULL, sizeof(only));
}

/*
 * Somebody of our session, but not of our process group, started us: a shell that looks after its
 * jobs. Without one nobody would continue us, and worse: the last program's end would leave a
 * process group that is orphaned and has a stopped member, and the kernel sends all of it, the
 * script that started us among them, a SIGHUP.
 */
static bool is_a_job(void)
{
	pid_t parent = getppid(), group = getpgid(parent);

	return group > 0 && group != getpgrp() && getsid(parent) == getsid(0);
}

/* As a shell expects of a job whose programs are all stopped. */
static void stop_self(struct tp_front *f, int signo)
{
	bool by_terminal = signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;

	if (!is_a_job())
		return;
	if (f->pty)
		tp_pty_suspend(f->pty);
	stop_with(by_terminal ? signo : SIGSTOP);
	if (f->pty)
		tp_pty_resume(f->pty);
}

static void on_job_event(struct tp_front *f, struct tp_job *job, const union tp_message *m)
{
	switch (m->head.type) {
	case TP_WIRE_LAUNCHED: on_launched(f, job, &m->event); break;
	case TP_WIRE_EXITED: on_exited(f, job, (int)m->event.value); break;
	case TP_WIRE_STOPPED:
		job->state = TP_JOB_STOPPED;
		if (tp_jobs_all_stopped(&f->jobs))
			stop_self(f, (int)m->event.value);
		break;
	case TP_WIRE_CONTINUED: job->state = TP_JOB_RUNNING; break;
	default: break;
	}
}

static void on_message(struct tp_front *f, const union tp_message *m)
{
	struct tp_job *job = tp_jobs_by_seq(&f->jobs, m->head.seq);

	if (job && job->state == TP_JOB_ENDED)
		job = NULL;
	if (m->head.type == TP_WIRE_NOTE)
		tp_say("%s", m->error.text);
	else if (m->head.type == TP_WIRE_BYE)
		f->bye = true;
	else if (m->head.type == TP_WIRE_ERROR)
		on_error(f, job, &m->error);
	else if (job)
		on_job_event(f, job, m);
}

static void receive_all(struct tp_front *f)
{
	union tp_message m;
	int err;

	while (!(err = tp_client_receive(&f->client, 0, &m)) && !f->bye)
		on_message(f, &m);
	if (err == -EPROTO)
		tp_say("group %s: the supervisor speaks another version of the protocol "
		       "(use the tprun that started the group)",
			f->group);
	if (err && err != -EAGAIN)
		f->lost = true;
}

/*
 * Our programs have ended, but not the group: programs that `exec` added live on, and would die
 * with us. They are in other process groups, so keys that are meant for them come to us alone.
 */
static bool only_waits(const struct tp_front *f)
{
	return f->supervisor_pidfd >= 0 && tp_jobs_all_ended(&f->jobs);
}

static void say_why_it_waits(struct tp_front *f)
{
	if (!f->told_waiting)
		tp_say("group %s: its programs have ended; waiting for those that `tprun exec` "
		       "added "
		       "(interrupt to end them)",
			f->group);
	f->told_waiting = true;
}

/* A signal that ends programs has come before there is one: like tprun alone, it is not to stay. */
static bool wanted_gone(const struct tp_front *f)
{
	const uint64_t ending = UINT64_C(1) << (SIGINT - 1) | UINT64_C(1) << (SIGTERM - 1) |
				UINT64_C(1) << (SIGHUP - 1) | UINT64_C(1) << (SIGQUIT - 1);

	for (size_t i = 0; i < f->jobs.n; i++)
		if (f->jobs.v[i].state == TP_JOB_RUNNING || f->jobs.v[i].state == TP_JOB_STOPPED)
			return false;
	return f->early & ending;
}

static void give_up(struct tp_front *f)
{
	tp_say("group %s: the supervisor does not answer%s", f->group,
		f->supervisor_pidfd >= 0 ? " and is killed" : "");
	if (f->supervisor_pidfd >= 0)
		kill(f->supervisor, SIGKILL);
	f->own_status = TP_STATUS_OWN;
	f->lost = true;
}

static int patience_of(const struct tp_front *f)
{
	if (wanted_gone(f))
		return ANSWER_MS;
	return only_waits(f) && !f->told_waiting ? WAITING_MS : -1;
}

static void on_patience_lost(struct tp_front *f)
{
	if (wanted_gone(f))
		give_up(f);
	else
		say_why_it_waits(f);
}

static void act_on_signals_alone(struct tp_front *f)
{
	struct signalfd_siginfo si;
	uint32_t seq;

	while (read(f->signal_fd, &si, sizeof(si)) == sizeof(si))
		switch (si.ssi_signo) {
		case SIGINT:
		case SIGQUIT:
		case SIGHUP:
		case SIGTERM: tp_client_stop(&f->client, NULL, STOP_GRACE_MS, &seq); break;
		case SIGTSTP: stop_self(f, SIGTSTP); break;
		default: break;
		}
}

/* An `exec` is over with its program, a `run` with the group. */
static bool over(const struct tp_front *f)
{
	if (f->bye || f->lost)
		return true;
	return f->supervisor_pidfd < 0 && tp_jobs_all_ended(&f->jobs);
}

static void loop(struct tp_front *f)
{
	while (!over(f)) {
		struct pollfd fds[3 + TP_PTY_POLLFDS] = {
			{.fd = f->signal_fd, .events = POLLIN},
			{.fd = f->client.fd, .events = POLLIN},
			{.fd = f->supervisor_pidfd, .events = POLLIN},
		};
		nfds_t n = 3;
		int r;

		if (f->pty)
			n += tp_pty_poll_fds(f->pty, fds + n);
		r = poll(fds, n, patience_of(f));
		if (r < 0)
			continue;
		if (!r)
			on_patience_lost(f);
		/* Messages first: what the supervisor said before it died still counts. */
		if (fds[1].revents || fds[2].revents)
			receive_all(f);
		if (fds[2].revents)
			f->lost = true;
		if (f->pty)
			tp_pty_handle(f->pty, fds + 3);
		if (fds[0].revents && only_waits(f))
			act_on_signals_alone(f);
		else if (fds[0].revents)
			tp_relay_signals(f);
	}
}

int tp_front_run(struct tp_front *f)
{
	int own;

	launch_next(f);
	loop(f);
	own = tp_front_end(f);
	return own ? own : f->jobs.status;
}
