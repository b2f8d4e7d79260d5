/* SPDX-License-Identifier: MIT */
/*
 * The end of a whole process tree. Only used when the supervisor has died: its children and orphans
 * then become ours. Killing a parent hands its children to us as well, so killing the direct
 * children again and again reaches everybody, whatever forks meanwhile.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tprun/tree.h"

#define ROUND_MS 2

static pid_t parent_of(pid_t pid)
{
	char path[64], buf[512];
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	buf[n] = 0;
	p = strrchr(buf, ')'); /* the name before it may hold anything */
	return p && strlen(p) > 4 ? atoi(p + 4) : -1;
}

bool tp_tree_descends(pid_t pid, pid_t ancestor)
{
	for (int depth = 0; pid > 1 && depth < 1000; depth++) {
		pid = parent_of(pid);
		if (pid == ancestor)
			return true;
	}
	return false;
}

static void kill_children(void)
{
	pid_t self = getpid();
	DIR *proc = opendir("/proc");
	struct dirent *d;

	if (!proc)
		return;
	while ((d = readdir(proc)))
		if (isdigit((unsigned char)d->d_name[0]) && parent_of(atoi(d->d_name)) == self)
			kill(atoi(d->d_name), SIGKILL);
	closedir(proc);
}

/* 0 once there is no child left. */
static int reap_children(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0 || (pid < 0 && errno == EINTR));
	return pid < 0 ? 0 : 1;
}

void tp_tree_kill(int timeout_ms)
{
	const struct timespec pause = {.tv_nsec = ROUND_MS * 1000000L};

	while (reap_children() && timeout_ms > 0) {
		kill_children();
		nanosleep(&pause, NULL);
		timeout_ms -= ROUND_MS;
	}
}
