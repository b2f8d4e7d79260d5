/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tprun/root.h"

int tp_root_open(const char *dir, int *ret_fd, struct tp_error *err)
{
	int fd;

	if (!dir)
		return 0;
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return tp_error_named(err, TP_STATUS_OWN, errno, dir, "cannot be the root: %s",
			tp_errno_words(errno));
	*ret_fd = fd;
	return 0;
}

static ssize_t path_of(int fd, char buf[static PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, PATH_MAX - 1);
	if (n >= 0)
		buf[n] = 0;
	return n;
}

int tp_root_cwd(int root_fd, int cwd_fd)
{
	char root[PATH_MAX], cwd[PATH_MAX];
	ssize_t n = path_of(root_fd, root);

	if (n < 0 || path_of(cwd_fd, cwd) < 0 || strncmp(root, cwd, (size_t)n))
		return root_fd;
	return n == 1 || !cwd[n] || cwd[n] == '/' ? cwd_fd : root_fd;
}
