/* SPDX-License-Identifier: MIT */
/*
 * Starts tp-host with nothing but its two descriptors, and with limits that do not bend the shared
 * address space.
 *
 * Between vfork and exec only system calls: the memory is the supervisor's.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/host-start.h"
#include "supervise/runtime-dir.h"
#include "tp/abi/hostmsg.h"

static struct rlimit host_limit(int resource)
{
	struct rlimit l = {0, 0};

	getrlimit((__rlimit_resource_t)resource, &l);
	if (resource == RLIMIT_NOFILE)
		l.rlim_cur = l.rlim_max;
	/* An unlimited stack would turn the kernel's memory layout upside down. */
	if (resource == RLIMIT_STACK)
		l.rlim_cur = l.rlim_max < (8u << 20) ? l.rlim_max : (8u << 20);
	/* These two count the whole group: per program they are enforced by its routed calls. */
	if (resource == RLIMIT_AS || resource == RLIMIT_DATA)
		l.rlim_cur = l.rlim_max;
	if (resource == RLIMIT_CORE)
		l.rlim_cur = 0;
	return l;
}

static void raise_if_allowed(int resource, struct rlimit *l)
{
	struct rlimit old = *l, all = {RLIM_INFINITY, RLIM_INFINITY};

	if (setrlimit((__rlimit_resource_t)resource, &all) < 0)
		return;
	*l = all;
	setrlimit((__rlimit_resource_t)resource, &old);
}

void tp_host_limits(struct rlimit ret[TP_RLIMITS])
{
	for (int r = 0; r < TP_RLIMITS; r++) {
		ret[r] = host_limit(r);
		if ((r == RLIMIT_AS || r == RLIMIT_DATA) && ret[r].rlim_max != RLIM_INFINITY)
			raise_if_allowed(r, &ret[r]);
	}
}

struct child {
	const char *path;
	char *const *argv, *const *envp;
	int sock, segment, heap; /* all above TP_HOST_HEAP_FD */
	const struct rlimit *limits;
	unsigned long persona;
	volatile int error;
};

static void set_limits(const struct rlimit *limits)
{
	for (int r = 0; r < TP_RLIMITS; r++)
		setrlimit((__rlimit_resource_t)r, &limits[r]);
}

static _Noreturn void become_host(struct child *c)
{
	for (int fd = 0; fd < TP_HOST_FD; fd++)
		close(fd);
	if (dup2(c->sock, TP_HOST_FD) < 0 || dup2(c->segment, TP_HOST_SEGMENT_FD) < 0 ||
		dup2(c->heap, TP_HOST_HEAP_FD) < 0)
		goto fail;
	close_range(TP_HOST_HEAP_FD + 1, ~0u, 0);
	set_limits(c->limits);
	personality(c->persona);
	execve(c->path, c->argv, c->envp);
fail:
	c->error = -errno;
	_exit(127);
}

/* Descriptors that dup2 in the child cannot run over. */
static int lift(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, TP_HOST_HEAP_FD + 1);
}

static pid_t spawn(struct child *c)
{
	pid_t pid = vfork();

	if (!pid)
		become_host(c);
	return pid < 0 ? -errno : pid;
}

/* Where the host keeps what it finds out about texts, for later groups. Return: NULL without a place. */
static char *put_texts(char *ret, size_t size)
{
	char base[PATH_MAX];

	if (tp_runtime_base(base) < 0)
		return NULL;
	snprintf(ret, size, "TPRUN_TEXTS=%s/.texts", base);
	return ret;
}

int tp_host_spawn(const char *path, const char *group, int sock, const struct tp_seg *seg,
	const struct rlimit *limits, pid_t *ret_pid)
{
	char name[] = "tp-host", label[128];
	char texts[PATH_MAX + 32];
	char *argv[] = {name, label, NULL}, *envp[] = {put_texts(texts, sizeof(texts)), NULL};
	struct child c = {.path = path, .argv = argv, .envp = envp, .limits = limits};
	pid_t pid;

	snprintf(label, sizeof(label), "%s", group);
	c.persona = (unsigned long)personality(0xffffffff) &
		    ~(unsigned long)(ADDR_COMPAT_LAYOUT | READ_IMPLIES_EXEC);
	c.sock = lift(sock);
	c.segment = lift(seg->fd);
	c.heap = lift(seg->heap_fd);
	pid = c.sock < 0 || c.segment < 0 || c.heap < 0 ? -errno : spawn(&c);
	if (c.sock >= 0)
		close(c.sock);
	if (c.segment >= 0)
		close(c.segment);
	if (c.heap >= 0)
		close(c.heap);
	if (pid < 0)
		return pid;
	*ret_pid = pid;
	return c.error;
}
