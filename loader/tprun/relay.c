/* SPDX-License-Identifier: MIT */
/*
 * Signals that came to tprun and were meant for the programs.
 *
 * In the caller's session the programs are in tprun's own process group: what the terminal sends
 * (from the kernel) has reached them already, and is not sent twice. What somebody sent to tprun
 * alone, with kill, is passed on; unless the sender is one of the programs or descends from one,
 * which then signalled its whole process group. In a session of their own they get nothing but
 * through us.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tprun/pty.h"
#include "tprun/relay.h"
#include "tprun/tree.h"

static bool sent_by_somebody(const struct signalfd_siginfo *si)
{
	return si->ssi_code == SI_USER || si->ssi_code == SI_QUEUE || si->ssi_code == SI_TKILL;
}

static bool sent_by_ours(const struct tp_front *f, pid_t sender)
{
	for (size_t i = 0; i < f->jobs.n; i++)
		if (f->jobs.v[i].pid == sender)
			return true;
	return f->supervisor > 0 && tp_tree_descends(sender, f->supervisor);
}

static bool is_for_programs(const struct tp_front *f, const struct signalfd_siginfo *si)
{
	if (si->ssi_signo == SIGCHLD)
		return false;
	/* It wakes us, stopped, when one of the programs runs again: that is not for the others. */
	if (sent_by_somebody(si) && (pid_t)si->ssi_pid == f->supervisor)
		return false;
	if (f->own_session)
		return true;
	return sent_by_somebody(si) && !sent_by_ours(f, (pid_t)si->ssi_pid);
}

/* Whether a program leaves a signal to its default action. */
static bool has_default_action(pid_t pid, int signo)
{
	uint64_t bit = UINT64_C(1) << (signo - 1), ignored = 0, caught = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "SigIgn: %" SCNx64, &ignored);
		sscanf(line, "SigCgt: %" SCNx64, &caught);
	}
	if (f)
		fclose(f);
	return !((ignored | caught) & bit);
}

/*
 * A session of its own has nobody outside who could continue it, so the kernel does not let a
 * terminal stop it (POSIX: orphaned process group). We can, and will continue it.
 */
static int stop_signal_for(const struct tp_front *f, const struct tp_job *job, int signo)
{
	bool stops = signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;

	return stops && f->own_session && has_default_action(job->pid, signo) ? SIGSTOP : signo;
}

static void relay_to(struct tp_front *f, const struct tp_job *job, int signo, bool whole_group)
{
	/* Continuing who runs would only run its handler once more than natively. */
	if (signo == SIGCONT && job->state != TP_JOB_STOPPED)
		return;
	if (job->state == TP_JOB_RUNNING || job->state == TP_JOB_STOPPED)
		tp_client_signal(&f->client, job->id, stop_signal_for(f, job, signo), whole_group);
}

/* A terminal signals a process group, kill(1) one process; SIGCONT goes to whom we stopped. */
static void relay(struct tp_front *f, const struct signalfd_siginfo *si)
{
	int signo = (int)si->ssi_signo;
	bool whole_group = f->own_session && (!sent_by_somebody(si) || signo == SIGCONT);

	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct tp_job *job = &f->jobs.v[i];

		if (job->state == TP_JOB_WAITING || job->state == TP_JOB_ASKED)
			f->early |= UINT64_C(1) << (signo - 1);
		relay_to(f, job, signo, whole_group);
	}
}

void tp_relay_early(struct tp_front *f, const struct tp_job *job)
{
	for (int signo = 1; f->early && signo <= 64; signo++)
		if (f->early & UINT64_C(1) << (signo - 1))
			relay_to(f, job, signo, false);
}

void tp_relay_signals(struct tp_front *f)
{
	struct signalfd_siginfo si;

	while (read(f->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGWINCH && f->pty)
			tp_pty_resize(f->pty);
		else if (is_for_programs(f, &si))
			relay(f, &si);
	}
}
