/* SPDX-License-Identifier: MIT */
/*
 * A new group begins with its supervisor: a fork of this process, connected by a socket pair, each
 * holding a pidfd of the other, so that the death of either ends the whole tree.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/supervise.h"
#include "tprun/start.h"

#define HOST_FROM_BUILD_TREE "/../host/tp-host"
#define HOST_INSTALLED       TPRUN_LIBEXECDIR "/tp-host"

static int pidfd_open_raw(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Beside the command in a build tree, else where it was installed. */
static const char *host_path(char buf[static PATH_MAX])
{
	const char *forced = getenv("TPRUN_HOST"); /* for tests of a host that fails */
	ssize_t n;
	char *slash;

	if (forced && *forced)
		return forced;
	n = readlink("/proc/self/exe", buf, PATH_MAX - sizeof(HOST_FROM_BUILD_TREE));
	if (n > 0) {
		buf[n] = 0;
		slash = strrchr(buf, '/');
		if (slash) {
			strcpy(slash, HOST_FROM_BUILD_TREE);
			if (!access(buf, X_OK))
				return buf;
		}
	}
	return HOST_INSTALLED;
}

__attribute__((noreturn)) static void supervise(
	const char *group, bool leave, int client, int front_pidfd)
{
	char path[PATH_MAX];
	const struct tp_supervise_opts opts = {
		.group = group,
		.host_path = host_path(path),
		.first_client = client,
		.front_pidfd = front_pidfd,
		.leave = leave,
		.verbose = getenv("TPRUN_DEBUG") != NULL,
	};

	_exit(tp_supervise(&opts));
}

static const char *reason(int error)
{
	switch (error) {
	case EMFILE: return "too many open files (raise `ulimit -n`)";
	case EAGAIN: return "too many processes (raise `ulimit -u`, or end some)";
	default: return tp_errno_words(error);
	}
}

static int cannot(struct tp_error *err, const char *group)
{
	int error = errno;

	return tp_error_named(
		err, TP_STATUS_OWN, error, group, "the group cannot be started: %s", reason(error));
}

int tp_start_group(const char *group, bool leave, struct tp_client *ret_client, pid_t *ret_pid,
	int *ret_pidfd, struct tp_error *err)
{
	int pair[2], front;
	pid_t pid;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L))
		return cannot(err, group);
	front = pidfd_open_raw(getpid());
	if (front < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return cannot(err, group);
	pid = fork();
	if (pid < 0)
		return cannot(err, group);
	if (!pid) {
		close(pair[0]);
		supervise(group, leave, pair[1], front);
	}
	close(pair[1]);
	close(front);
	*ret_pidfd = pidfd_open_raw(pid);
	if (*ret_pidfd < 0)
		return cannot(err, group);
	*ret_pid = pid;
	*ret_client = (struct tp_client){.fd = pair[0]};
	return 0;
}
