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

#define HOST_FROM_BUILD_TREE   "/../host/tp-host"
#define HOST_INSTALLED         TPRUN_LIBEXECDIR "/tp-host"
#define MALLOC_FROM_BUILD_TREE "/../../libtp/malloc/libtp-malloc.so"
#define MALLOC_INSTALLED       TPRUN_LIBDIR "/libtp-malloc.so"

static int pidfd_open_raw(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Beside the command in a build tree, else where it was installed. */
static const char *find(const char *in_build_tree, const char *installed, char buf[static PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", buf, PATH_MAX - 1);
	char *slash, *end = buf + PATH_MAX - 1;

	if (n <= 0)
		return installed;
	buf[n] = 0;
	slash = strrchr(buf, '/');
	if (!slash || (size_t)(end - slash) < strlen(in_build_tree))
		return installed;
	strcpy(slash, in_build_tree);
	return access(buf, R_OK) ? installed : buf;
}

static const char *host_path(char buf[static PATH_MAX])
{
	const char *forced = getenv("TPRUN_HOST"); /* for tests of a host that fails */

	return forced && *forced ? forced : find(HOST_FROM_BUILD_TREE, HOST_INSTALLED, buf);
}

/* In LD_PRELOAD, where the dynamic linker takes spaces and colons for ends, and as programs see it. */
static int malloc_path(char ret[static PATH_MAX], const char *group, struct tp_error *err)
{
	char buf[PATH_MAX];
	const char *found = find(MALLOC_FROM_BUILD_TREE, MALLOC_INSTALLED, buf);

	if (!realpath(found, ret))
		return tp_error_named(err, TP_STATUS_OWN, ENOENT, group,
			"the group cannot be started with --shared-malloc: there is no %s (install "
			"libtp)",
			MALLOC_INSTALLED);
	if (strpbrk(ret, " :"))
		return tp_error_named(err, TP_STATUS_OWN, EINVAL, group,
			"the group cannot be started with --shared-malloc: LD_PRELOAD cannot name "
			"%s (install it below a path without spaces and colons)",
			ret);
	return 0;
}

__attribute__((noreturn)) static void supervise(
	const struct tp_start *how, const char *malloc_lib, int client, int front_pidfd)
{
	char path[PATH_MAX];
	const struct tp_supervise_opts opts = {
		.group = how->group,
		.host_path = host_path(path),
		.first_client = client,
		.front_pidfd = front_pidfd,
		.malloc_path = malloc_lib,
		.heap_size = how->heap_size,
		.leave = how->leave,
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

int tp_start_group(const struct tp_start *how, struct tp_client *ret_client, pid_t *ret_pid,
	int *ret_pidfd, struct tp_error *err)
{
	char lib[PATH_MAX];
	int pair[2], front;
	pid_t pid;

	if (how->shared_malloc && malloc_path(lib, how->group, err))
		return err->err;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L))
		return cannot(err, how->group);
	front = pidfd_open_raw(getpid());
	if (front < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return cannot(err, how->group);
	pid = fork();
	if (pid < 0)
		return cannot(err, how->group);
	if (!pid) {
		close(pair[0]);
		supervise(how, how->shared_malloc ? lib : NULL, pair[1], front);
	}
	close(pair[1]);
	close(front);
	*ret_pidfd = pidfd_open_raw(pid);
	if (*ret_pidfd < 0)
		return cannot(err, how->group);
	*ret_pid = pid;
	*ret_client = (struct tp_client){.fd = pair[0]};
	return 0;
}
