/* SPDX-License-Identifier: MIT */
/*
 * A launch runs with the supervisor's namespaces, groups and rights, not with the client's. So a
 * client that has less than the supervisor would gain by it, and is refused. Landlock does not
 * show, but needs no_new_privs, which does.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervise/peer.h"

enum { STATUS_MAX = 8192 };

/* What of /proc/PID/status decides. */
struct rights {
	unsigned long long cap_permitted;
	unsigned no_new_privs, seccomp, seccomp_filters;
	char groups[4096];
};

bool tp_peer_user_ok(int sock)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return false;
	return cred.uid == geteuid() || cred.uid == 0;
}

pid_t tp_peer_pid(int sock)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0 || cred.pid < 0 ? 0 : cred.pid;
}

int tp_peer_pidfd(int sock)
{
	pid_t pid = tp_peer_pid(sock);
	int fd = pid ? pidfd_open(pid, 0) : -1;

	if (!pid)
		return -ESRCH;
	return fd < 0 ? -errno : fd;
}

bool tp_peer_has_ended(int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	return poll(&p, 1, 0) != 0;
}

static const char *field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : "";
}

static unsigned long number(const char *status, const char *name, int base)
{
	return strtoul(field(status, name), NULL, base);
}

static int read_rights(pid_t pid, struct rights *ret)
{
	char path[64], status[STATUS_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, status, sizeof(status) - 1);
	close(fd);
	if (n <= 0)
		return -ESRCH;
	status[n] = '\0';
	ret->cap_permitted = strtoull(field(status, "\nCapPrm:\t"), NULL, 16);
	ret->no_new_privs = (unsigned)number(status, "\nNoNewPrivs:\t", 10);
	ret->seccomp = (unsigned)number(status, "\nSeccomp:\t", 10);
	ret->seccomp_filters = (unsigned)number(status, "\nSeccomp_filters:\t", 10);
	snprintf(ret->groups, sizeof(ret->groups), "%.*s",
		(int)strcspn(field(status, "\nGroups:\t"), "\n"), field(status, "\nGroups:\t"));
	return 0;
}

bool tp_peer_shares(pid_t pid, const char *which)
{
	char theirs[64], ours[64];
	struct stat a, b;

	snprintf(theirs, sizeof(theirs), "/proc/%d/%s", (int)pid, which);
	snprintf(ours, sizeof(ours), "/proc/self/%s", which);
	if (access(ours, F_OK) < 0 && errno == ENOENT)
		return true;
	if (stat(theirs, &a) < 0 || stat(ours, &b) < 0)
		return false;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static const char *compare(pid_t pid)
{
	static const char *const namespaces[] = {"ns/user", "ns/mnt", "ns/pid", "ns/net", "ns/ipc",
		"ns/uts", "ns/cgroup", "ns/time"};
	struct rights theirs, ours;

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++)
		if (!tp_peer_shares(pid, namespaces[i]))
			return "the caller is in other namespaces than the group (start a group "
			       "there)";
	if (!tp_peer_shares(pid, "root"))
		return "the caller has another root directory than the group (start a group there)";
	if (read_rights(pid, &theirs) < 0 || read_rights(getpid(), &ours) < 0)
		return "the caller cannot be looked at";
	if (strcmp(theirs.groups, ours.groups))
		return "the caller has other supplementary groups than the group (start a group of "
		       "its own)";
	if (theirs.no_new_privs > ours.no_new_privs || theirs.seccomp > ours.seccomp ||
		theirs.seccomp_filters > ours.seccomp_filters)
		return "the caller is sandboxed and the group is not (start a group in the "
		       "sandbox)";
	if (ours.cap_permitted & ~theirs.cap_permitted)
		return "the caller has fewer capabilities than the group (start a group of its "
		       "own)";
	return NULL;
}

/* The pidfd is opened first and asked last: had the pid been reused in between, its first bearer
 * would be dead. */
static const char *judge(int sock)
{
	int pidfd = tp_peer_pidfd(sock);
	const char *why;

	if (pidfd < 0)
		return "the caller cannot be seen from here (it has ended, or is in another pid "
		       "namespace)";
	why = compare(tp_peer_pid(sock));
	if (tp_peer_has_ended(pidfd))
		why = "the caller has ended";
	close(pidfd);
	return why;
}

const char *tp_peer_refusal(struct tp_client *c)
{
	if (!c->judged) {
		const char *why = judge(c->watch.fd);

		snprintf(c->refusal, sizeof(c->refusal), "%s", why ? why : "");
		c->judged = true;
	}
	return c->refusal[0] ? c->refusal : NULL;
}
