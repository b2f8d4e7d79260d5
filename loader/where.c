/* SPDX-License-Identifier: MIT */
/*
 * Opening files in a program's directory tree. See where.h.
 */
#include "where.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RENAME_RETRIES = 16 };

/* The path of a descriptor, or of the working directory. Returns 0 or -errno. */
static int path_of(int fd, char *buf, size_t size)
{
	char link[32];
	ssize_t n;

	if (fd == AT_FDCWD)
		return getcwd(buf, size) ? 0 : -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, size);
	if (n < 0)
		return -errno;
	if ((size_t)n == size)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return 0;
}

/* The part of path below root, starting with '/' or empty; NULL: it lies elsewhere. */
static const char *below(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (strncmp(path, root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
		return NULL;
	return path + len;
}

int tpi_where_init(int cwd_fd, int root_fd, struct tpi_where *ret_where)
{
	char cwd[PATH_MAX];
	const char *inside;

	ret_where->cwd_fd = cwd_fd;
	ret_where->root_fd = root_fd;
	ret_where->root[0] = ret_where->cwd[0] = '\0';
	if (root_fd < 0)
		return 0;
	if (path_of(root_fd, ret_where->root, PATH_MAX) < 0 || strcmp(ret_where->root, "/") == 0)
		ret_where->root[0] = '\0';
	if (path_of(cwd_fd, cwd, sizeof(cwd)) == 0) {
		inside = below(cwd, ret_where->root);
		if (inside)
			strcpy(ret_where->cwd, inside);
	}
	return 0;
}

/* A rename somewhere on the way makes the kernel give up a walk that it cannot prove to be safe. */
static int open_in_root(int root_fd, const char *path, int flags)
{
	struct open_how how = { .flags = flags, .resolve = RESOLVE_IN_ROOT };
	int fd;

	for (int i = 0; i < RENAME_RETRIES; i++) {
		fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd < 0 ? -errno : fd;
}

int tpi_where_open(const struct tpi_where *where, const char *path, int flags)
{
	char full[PATH_MAX];
	int fd;

	flags |= O_CLOEXEC;
	if (where->root_fd < 0) {
		fd = openat(where->cwd_fd, path, flags);
		return fd < 0 ? -errno : fd;
	}
	if (path[0] == '/' || path[0] == '\0')
		return open_in_root(where->root_fd, path, flags);
	if (snprintf(full, sizeof(full), "%s/%s", where->cwd, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return open_in_root(where->root_fd, full, flags);
}

static char *path_without_proc(const struct tpi_where *where, const char *path)
{
	char *real = NULL;

	if (where->root_fd < 0 && (path[0] == '/' || where->cwd_fd == AT_FDCWD))
		real = realpath(path, NULL);
	return real ? real : strdup(path);
}

int tpi_where_realpath(const struct tpi_where *where, int fd, const char *path, char **ret_path)
{
	char buf[PATH_MAX];
	const char *inside = NULL;

	if (path_of(fd, buf, sizeof(buf)) == 0 && buf[0] == '/')
		inside = below(buf, where->root);
	*ret_path = inside ? strdup(inside) : path_without_proc(where, path);
	return *ret_path ? 0 : -ENOMEM;
}
