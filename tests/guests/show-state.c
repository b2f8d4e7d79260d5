/* SPDX-License-Identifier: MIT */
/* Print what a program inherits from its caller; all of it must be the same as after an execve. */
#include "guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void show_place(void)
{
	char buf[4096];
	mode_t mask = umask(0);

	umask(mask);
	printf("cwd %s\n", getcwd(buf, sizeof buf) ? buf : strerror(errno));
	printf("umask %03o\n", (unsigned)mask);
	errno = 0;
	printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
	printf("uid %d euid %d gid %d egid %d\n", getuid(), geteuid(), getgid(), getegid());
}

static void show_limits(void)
{
	for (int i = 0; i < (int)RLIM_NLIMITS; i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
			printf("rlimit %d %llx %llx\n", i, (unsigned long long)limit.rlim_cur,
				(unsigned long long)limit.rlim_max);
	}
}

static void show_signals(void)
{
	struct sigaction action;
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int n = 1; n < 65; n++) {
		int blocked = sigismember(&mask, n) == 1;

		if (sigaction(n, NULL, &action) < 0)
			continue;
		if (blocked || action.sa_handler != SIG_DFL)
			printf("signal %d%s%s\n", n, blocked ? " blocked" : "",
				action.sa_handler == SIG_IGN   ? " ignored"
				: action.sa_handler == SIG_DFL ? ""
							       : " handled");
	}
}

static void show_session(void)
{
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);

	printf("terminal %s\n", tty >= 0 ? "yes" : "no");
	if (tty >= 0) {
		printf("foreground %s\n", tcgetpgrp(tty) == getpgrp() ? "yes" : "no");
		close(tty);
	}
	printf("leader of its group %s, of its session %s\n", getpgrp() == getpid() ? "yes" : "no",
		getsid(0) == getpid() ? "yes" : "no");
}

/* `pid` and anonymous inode numbers differ from run to run: only the kind of such a target is
 * shown. */
static void show_fds(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		char path[64], target[256];
		int flags = fcntl(fd, F_GETFD);
		ssize_t n;

		if (flags < 0)
			continue;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		n = readlink(path, target, sizeof target - 1);
		target[n < 0 ? 0 : n] = '\0';
		if (strchr(target, ':'))
			*strchr(target, ':') = '\0';
		printf("fd %d%s %s offset %ld mode %d\n", fd, flags & FD_CLOEXEC ? " cloexec" : "",
			target, (long)lseek(fd, 0, SEEK_CUR), fcntl(fd, F_GETFL) & O_ACCMODE);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "place limits signals session fds";

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (strstr(what, "place"))
		show_place();
	if (strstr(what, "limits"))
		show_limits();
	if (strstr(what, "signals"))
		show_signals();
	if (strstr(what, "session"))
		show_session();
	if (strstr(what, "fds"))
		show_fds();
	return 0;
}
