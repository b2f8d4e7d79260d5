/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_JOBS_H
#define TP_TPRUN_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tp/abi/segment.h"

/*
 * The programs that one foreground tprun started, and what its own exit status follows from.
 * Nothing here makes system calls.
 */

enum tp_job_state {
	TP_JOB_WAITING, /* not asked for yet */
	TP_JOB_ASKED,
	TP_JOB_RUNNING,
	TP_JOB_STOPPED,
	TP_JOB_ENDED,
};

struct tp_job {
	char **argv; /* borrowed */
	char name[TP_NAME_MAX];
	enum tp_job_state state;
	uint32_t seq; /* of its launch */
	uint64_t id;
	int pid;
	int status; /* as a shell gives it, once it has ended */
};

enum tp_exit_on {
	TP_EXIT_ON_ALL,           /* when all have ended: status of the first that failed */
	TP_EXIT_ON_FIRST_EXIT,    /* the first to end decides */
	TP_EXIT_ON_FIRST_FAILURE, /* the first to fail decides */
	TP_EXIT_ON_NAME,          /* that of one name decides */
};

struct tp_jobs {
	struct tp_job *v;
	size_t n;
	size_t ended;
	enum tp_exit_on exit_on;
	size_t decider; /* with TP_EXIT_ON_NAME */
	bool decided;   /* the status stands; whoever still runs is to be stopped */
	int status;
};

/*
 * tp_jobs_parse - cut a command at its ":::" words into programs and name them: the basename, a
 * second one of that name "NAME.2".
 * @argv: NULL-terminated; kept, and cut in place
 * Returns 0; -EINVAL: a program is missing somewhere; -ENOMEM.
 */
int tp_jobs_parse(struct tp_jobs *ret_jobs, char **argv, struct tp_error *err);
void tp_jobs_fini(struct tp_jobs *jobs);

/* tp_jobs_exit_on - take the word of --exit-on; -ENOENT: neither a rule nor a program. */
int tp_jobs_exit_on(struct tp_jobs *jobs, const char *word);

/* tp_jobs_ended - one has ended; true: this has decided, stop the rest. */
bool tp_jobs_ended(struct tp_jobs *jobs, struct tp_job *job, int status);

struct tp_job *tp_jobs_by_seq(struct tp_jobs *jobs, uint32_t seq);
bool tp_jobs_all_ended(const struct tp_jobs *jobs);

/* Whether some run, or were asked for, and all of these are stopped. */
bool tp_jobs_all_stopped(const struct tp_jobs *jobs);

/* A shell's exit status from waitpid()'s. */
int tp_shell_status(int wait_status);

/* Whether death by this signal is a crash, and worth a line. */
bool tp_signal_is_crash(int signo);

#endif
