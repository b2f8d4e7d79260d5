/* SPDX-License-Identifier: MIT */
#ifndef TP_SUPERVISE_HOST_START_H
#define TP_SUPERVISE_HOST_START_H

#include <sys/resource.h>
#include <sys/types.h>

#include "supervise/segment.h"

#include "tp/abi/hostmsg.h"

/* The limits that the host, and so every program at first, will have. */
void tp_host_limits(struct rlimit ret[TP_RLIMITS]);

/*
 * Starts tp-host. *ret_pid is set whenever a process was made, also when its exec failed: it must
 * be reaped then. Return: 0 or negative errno.
 */
int tp_host_spawn(const char *path, const char *group, int sock, const struct tp_seg *seg,
	const struct rlimit *limits, pid_t *ret_pid);

#endif
