/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_START_H
#define TP_TPRUN_START_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tprun/client.h"

/* What the command line says about a new group. */
struct tp_start {
	const char *group;
	uint64_t heap_size; /* bytes; 0: the usual */
	bool leave, shared_malloc;
};

/*
 * tp_start_group - fork the supervisor of a new group and connect to it.
 * @ret_pid, @ret_pidfd: the supervisor
 * The caller becomes a subreaper. Returns 0, or negative errno with the reason in err.
 */
int tp_start_group(const struct tp_start *how, struct tp_client *ret_client, pid_t *ret_pid,
	int *ret_pidfd, struct tp_error *err);

#endif
