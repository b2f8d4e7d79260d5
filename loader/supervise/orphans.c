/* SPDX-License-Identifier: MIT */
/* See orphans.h. Walks /proc/PID/task/TID/children; only called when something rare has happened,
 * or at the end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/orphans.h"
#include "supervise/registry.h"

enum { DEPTH_MAX = 64, CHILDREN_MAX = 32 << 10 };

static bool same_exe(pid_t a, pid_t b)
{
	char path[2][64];
	struct stat st[2];

	snprintf(path[0], sizeof(path[0]), "/proc/%d/exe", (int)a);
	snprintf(path[1], sizeof(path[1]), "/proc/%d/exe", (int)b);
	if (stat(path[0], &st[0]) < 0 || stat(path[1], &st[1]) < 0)
		return false;
	return st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
}

bool tp_shares_mm(const struct tp_group *g, pid_t pid)
{
	long r = syscall(SYS_kcmp, pid, g->host.pid, KCMP_VM, 0, 0);

	if (r >= 0)
		return r == 0;
	/* Where kcmp is forbidden: the host's executable tells, since a forked child of a program
	 * is rare here. */
	return errno != ESRCH && same_exe(pid, g->host.pid);
}

/* The numbers of one children file, separated by blanks. Return: how many, negative errno. */
static int read_children(int dir, const char *tid, void (*each)(void *arg, pid_t pid), void *arg)
{
	char path[300];
	FILE *f;
	int fd, n = 0, pid;

	snprintf(path, sizeof(path), "%s/children", tid);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	while (fscanf(f, "%d", &pid) == 1) {
		each(arg, pid);
		n++;
	}
	fclose(f);
	return n;
}

int tp_children_each(pid_t pid, void (*each)(void *arg, pid_t pid), void *arg)
{
	char path[64];
	struct dirent *e;
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((e = readdir(dir))) {
		int r = e->d_name[0] == '.' ? 0 : read_children(dirfd(dir), e->d_name, each, arg);

		n += r > 0 ? r : 0;
	}
	closedir(dir);
	return n;
}

static bool ours(struct tp_group *g, pid_t pid)
{
	return pid == g->host.pid || tp_registry_by_pid(g, pid);
}

/*
 * Our own children, by one read of a file that stays open: asked at every death of some programs.
 * All hang on the main thread, which is where the kernel puts orphans, too.
 */
static int own_children(struct tp_group *g, void (*each)(void *arg, pid_t pid), void *arg)
{
	static char buf[CHILDREN_MAX]; /* each() asks for no children of ours */
	ssize_t n = pread(g->children_fd, buf, sizeof(buf) - 1, 0);

	if (n < 0 || n == (ssize_t)sizeof(buf) - 1)
		return tp_children_each(getpid(), each, arg);
	buf[n] = '\0';
	for (char *at = buf, *end;; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			return 0;
		each(arg, (pid_t)pid);
	}
}

int tp_orphans_init(struct tp_group *g)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	g->children_fd = open(path, O_RDONLY | O_CLOEXEC);
	return g->children_fd < 0 ? -errno : 0;
}

struct sharers {
	struct tp_group *g;
	bool found;
};

static void check_sharer(void *arg, pid_t pid)
{
	struct sharers *s = arg;

	if (!s->found && !ours(s->g, pid))
		s->found = tp_shares_mm(s->g, pid);
}

bool tp_orphans_share_mm(struct tp_group *g)
{
	struct sharers s = {g, false};

	if (g->host.alive)
		own_children(g, check_sharer, &s);
	return s.found;
}

bool tp_children_share_mm(struct tp_group *g, pid_t pid)
{
	struct sharers s = {g, false};

	if (g->host.alive)
		tp_children_each(pid, check_sharer, &s);
	return s.found;
}

struct walk {
	struct tp_group *g;
	void (*each)(void *arg, pid_t pid);
	void *arg;
	int depth;
};

static void visit(void *arg, pid_t pid)
{
	struct walk *w = arg;

	if (!ours(w->g, pid))
		w->each(w->arg, pid);
	if (pid != w->g->host.pid && w->depth < DEPTH_MAX) {
		w->depth++;
		tp_children_each(pid, visit, w);
		w->depth--;
	}
}

void tp_descendants_each(struct tp_group *g, void (*each)(void *arg, pid_t pid), void *arg)
{
	struct walk w = {g, each, arg, 0};

	own_children(g, visit, &w);
}
