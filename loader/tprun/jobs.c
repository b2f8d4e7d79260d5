/* SPDX-License-Identifier: MIT */
/*
 * Which programs a command line names, and when and with what status it is over.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tprun/jobs.h"

#define SEPARATOR ":::"

static bool is_separator(const char *word)
{
	return !strcmp(word, SEPARATOR);
}

/* What a program is called before it is made unique; room is left for ".2048". */
static void base_name(char *ret, const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	const char *base = slash && slash[1] ? slash + 1 : argv0;

	snprintf(ret, TP_NAME_MAX - 8, "%s", *base ? base : "program");
}

static bool name_taken(const struct tp_jobs *jobs, const char *name)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (!strcmp(jobs->v[i].name, name))
			return true;
	return false;
}

static void name_job(struct tp_jobs *jobs, struct tp_job *job)
{
	char base[TP_NAME_MAX], name[TP_NAME_MAX + 16];

	base_name(base, job->argv[0]);
	snprintf(name, sizeof(name), "%s", base);
	for (unsigned int k = 2; name_taken(jobs, name); k++)
		snprintf(name, sizeof(name), "%s.%u", base, k);
	memcpy(job->name, name, TP_NAME_MAX - 1);
}

static int add_job(struct tp_jobs *jobs, char **argv, struct tp_error *err)
{
	struct tp_job *job = &jobs->v[jobs->n];

	if (!argv[0])
		return tp_error_set(err, TP_STATUS_OWN, EINVAL, "a program is missing %s",
			jobs->n ? "behind :::" : "(nothing stands where its name should)");
	*job = (struct tp_job){.argv = argv};
	name_job(jobs, job);
	jobs->n++;
	return 0;
}

static size_t count_separators(char **argv)
{
	size_t n = 0;

	for (; *argv; argv++)
		n += is_separator(*argv);
	return n;
}

int tp_jobs_parse(struct tp_jobs *ret_jobs, char **argv, struct tp_error *err)
{
	struct tp_jobs jobs = {.n = 0};
	int r = 0;

	jobs.v = calloc(count_separators(argv) + 1, sizeof(*jobs.v));
	if (!jobs.v)
		return tp_error_set(err, TP_STATUS_OWN, ENOMEM, "out of memory");
	for (bool more = true; !r && more;) {
		char **end = argv;

		while (*end && !is_separator(*end))
			end++;
		more = *end != NULL;
		*end = NULL;
		r = add_job(&jobs, argv, err);
		argv = end + 1;
	}
	if (r)
		tp_jobs_fini(&jobs);
	else
		*ret_jobs = jobs;
	return r;
}

void tp_jobs_fini(struct tp_jobs *jobs)
{
	free(jobs->v);
	*jobs = (struct tp_jobs){.n = 0};
}

int tp_jobs_exit_on(struct tp_jobs *jobs, const char *word)
{
	static const char *const rules[] = {
		[TP_EXIT_ON_ALL] = "all",
		[TP_EXIT_ON_FIRST_EXIT] = "first-exit",
		[TP_EXIT_ON_FIRST_FAILURE] = "first-failure",
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!strcmp(word, rules[i])) {
			jobs->exit_on = (enum tp_exit_on)i;
			return 0;
		}
	for (size_t i = 0; i < jobs->n; i++)
		if (!strcmp(word, jobs->v[i].name)) {
			jobs->exit_on = TP_EXIT_ON_NAME;
			jobs->decider = i;
			return 0;
		}
	return -ENOENT;
}

static bool decides(const struct tp_jobs *jobs, const struct tp_job *job)
{
	switch (jobs->exit_on) {
	case TP_EXIT_ON_FIRST_EXIT: return true;
	case TP_EXIT_ON_FIRST_FAILURE: return job->status != 0;
	case TP_EXIT_ON_NAME: return job == &jobs->v[jobs->decider];
	case TP_EXIT_ON_ALL: break;
	}
	return false;
}

bool tp_jobs_ended(struct tp_jobs *jobs, struct tp_job *job, int status)
{
	if (job->state == TP_JOB_ENDED)
		return false;
	job->state = TP_JOB_ENDED;
	job->status = status;
	jobs->ended++;
	if (jobs->decided)
		return false;
	if (decides(jobs, job)) {
		jobs->decided = true;
		jobs->status = status;
		return jobs->ended < jobs->n;
	}
	if (jobs->exit_on == TP_EXIT_ON_ALL && !jobs->status)
		jobs->status = status;
	return false;
}

struct tp_job *tp_jobs_by_seq(struct tp_jobs *jobs, uint32_t seq)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->v[i].state != TP_JOB_WAITING && jobs->v[i].seq == seq)
			return &jobs->v[i];
	return NULL;
}

bool tp_jobs_all_ended(const struct tp_jobs *jobs)
{
	return jobs->ended == jobs->n;
}

bool tp_jobs_all_stopped(const struct tp_jobs *jobs)
{
	bool some = false;

	for (size_t i = 0; i < jobs->n; i++) {
		if (jobs->v[i].state == TP_JOB_RUNNING || jobs->v[i].state == TP_JOB_ASKED)
			return false;
		some |= jobs->v[i].state == TP_JOB_STOPPED;
	}
	return some;
}

int tp_shell_status(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return 128 + WTERMSIG(wait_status);
	return WEXITSTATUS(wait_status);
}

bool tp_signal_is_crash(int signo)
{
	switch (signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGABRT:
	case SIGSYS:
	case SIGTRAP: return true;
	default: return false;
	}
}
