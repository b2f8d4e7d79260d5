/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>

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
