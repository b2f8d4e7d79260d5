/* SPDX-License-Identifier: MIT */
/*
 * The caller's state, taken before tprun changes or opens anything.
 *
 * Descriptors are listed through /proc/self/fd. Where that is missing (no /proc, or no descriptor
 * left to open it with), poll(2) tells open from closed ones, a thousand a call.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tprun/caller.h"

#define SIGNALS      64
#define POLL_CHUNK   1024
#define STACK_ENOUGH (8 << 20)

/* The kernel's own struct: glibc's sigaction refuses signals 32 and 33, which can be ignored, too.
 */
struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static int add_fd(struct tp_caller *c, size_t *room, int fd)
{
	if (c->nfds == *room) {
		size_t more = *room ? *room * 2 : 16;
		int *p = reallocarray(c->fds, more, sizeof(*p));

		if (!p)
			return -ENOMEM;
		c->fds = p;
		*room = more;
	}
	c->fds[c->nfds++] = fd;
	return 0;
}

static int add_dirents(struct tp_caller *c, size_t *room, const char *buf, ssize_t len, int dir)
{
	for (ssize_t at = 0; at < len;) {
		const struct dirent64 *d = (const void *)(buf + at);
		int err, fd;

		at += d->d_reclen;
		if (d->d_name[0] == '.')
			continue;
		fd = atoi(d->d_name);
		if (fd == dir)
			continue;
		err = add_fd(c, room, fd);
		if (err)
			return err;
	}
	return 0;
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int list_by_proc(struct tp_caller *c)
{
	char buf[4096] __attribute__((aligned(8)));
	size_t room = 0;
	ssize_t n;
	int err = 0;
	int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -errno;
	while (!err && (n = getdents64(dir, buf, sizeof(buf))) > 0)
		err = add_dirents(c, &room, buf, n, dir);
	if (!err && n < 0)
		err = -errno;
	close(dir);
	if (!err)
		qsort(c->fds, c->nfds, sizeof(*c->fds), compare_ints);
	return err;
}

static int list_by_poll(struct tp_caller *c)
{
	struct pollfd fds[POLL_CHUNK];
	size_t room = 0;
	uint64_t end = c->rlimits[RLIMIT_NOFILE][0];

	/* A descriptor can lie above a limit that was lowered later; a million is far above any. */
	if (end > 1 << 20)
		end = 1 << 20;
	c->nfds = 0;
	for (uint64_t base = 0; base < end; base += POLL_CHUNK) {
		unsigned int n = end - base < POLL_CHUNK ? (unsigned int)(end - base) : POLL_CHUNK;

		for (unsigned int i = 0; i < n; i++)
			fds[i] = (struct pollfd){.fd = (int)(base + i)};
		if (poll(fds, n, 0) < 0)
			return -errno;
		for (unsigned int i = 0; i < n; i++) {
			int err = fds[i].revents & POLLNVAL ? 0 : add_fd(c, &room, fds[i].fd);

			if (err)
				return err;
		}
	}
	return 0;
}

static void capture_rlimits(struct tp_caller *c)
{
	for (unsigned int r = 0; r < TP_CALLER_RLIMITS; r++) {
		struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY};

		getrlimit(r, &l);
		c->rlimits[r][0] = l.rlim_cur;
		c->rlimits[r][1] = l.rlim_max;
	}
}

static void capture_signals(struct tp_caller *c)
{
	struct kernel_sigaction sa;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &c->sigmask, sizeof(c->sigmask));
	for (int n = 1; n <= SIGNALS; n++)
		if (!syscall(SYS_rt_sigaction, n, NULL, &sa, sizeof(sa.mask)) &&
			sa.handler == (void *)SIG_IGN)
			c->sigignore |= UINT64_C(1) << (n - 1);
}

static void capture_process(struct tp_caller *c)
{
	c->umask = umask(077);
	umask(c->umask);
	errno = 0;
	c->nice = getpriority(PRIO_PROCESS, 0);
	c->pgid = getpgrp();
	c->sid = getsid(0);
}

/* So that nothing of ours ever lands on 0-2, where a message meant for people would go into it. */
static int fill_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -errno;
	} while (fd <= STDERR_FILENO);
	close(fd);
	return 0;
}

/* As far as we may: above the hard limit with privilege only, up to it always. */
static void raise_own(const struct tp_caller *c, int resource, rlim_t enough)
{
	rlim_t soft = c->rlimits[resource][0], hard = c->rlimits[resource][1];
	struct rlimit l = {enough, hard > enough ? hard : enough};

	if (soft >= enough || !setrlimit(resource, &l))
		return;
	l = (struct rlimit){hard, hard};
	setrlimit(resource, &l);
}

/*
 * What the caller allows its programs is given to them; it must not end, or cripple, those who work
 * for them. A stack stays finite: a process started without a limit gets another memory layout.
 */
static void raise_own_limits(const struct tp_caller *c)
{
	raise_own(c, RLIMIT_NOFILE, c->rlimits[RLIMIT_NOFILE][1]);
	raise_own(c, RLIMIT_STACK, STACK_ENOUGH);
	raise_own(c, RLIMIT_FSIZE, RLIM_INFINITY);
	raise_own(c, RLIMIT_CPU, RLIM_INFINITY);
	raise_own(c, RLIMIT_AS, RLIM_INFINITY);
	raise_own(c, RLIMIT_DATA, RLIM_INFINITY);
}

static int capture_descriptors(struct tp_caller *c, struct tp_error *err)
{
	int r = list_by_proc(c);

	if (r)
		r = list_by_poll(c);
	if (r)
		return tp_error_set(err, TP_STATUS_OWN, r, "cannot list the open descriptors: %s",
			tp_errno_words(r));
	r = fill_standard();
	if (r)
		return tp_error_set(err, TP_STATUS_OWN, r,
			"cannot open /dev/null: %s (raise `ulimit -n` if it is low)",
			tp_errno_words(r));
	c->cwd_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (c->cwd_fd < 0)
		return tp_error_set(err, TP_STATUS_OWN, -errno,
			"cannot open the working directory: %s", tp_errno_words(errno));
	return 0;
}

int tp_caller_capture(struct tp_caller *ret_caller, char **envp, struct tp_error *err)
{
	struct tp_caller c = {.cwd_fd = -1, .envp = envp};
	int r;

	capture_rlimits(&c);
	raise_own_limits(&c);
	r = capture_descriptors(&c, err);
	if (r) {
		tp_caller_fini(&c);
		return r;
	}
	capture_process(&c);
	capture_signals(&c);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would let the kernel reap for us */
	*ret_caller = c;
	return 0;
}

void tp_caller_fini(struct tp_caller *c)
{
	free(c->fds);
	if (c->cwd_fd >= 0)
		close(c->cwd_fd);
	*c = (struct tp_caller){.cwd_fd = -1};
}

void tp_caller_drop(struct tp_caller *c)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; i < c->nfds; i++)
		if (c->fds[i] > STDERR_FILENO)
			close(c->fds[i]);
	c->nfds = 0; /* the numbers may be ours from now on */
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
}
