/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_FRONT_H
#define TP_TPRUN_FRONT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tprun/caller.h"
#include "tprun/client.h"
#include "tprun/jobs.h"

struct tp_pty;

/*
 * The foreground: one tprun that has started programs in a group, stands for them before its shell,
 * and ends with their status.
 */
struct tp_front {
	struct tp_client client;
	struct tp_jobs jobs;
	struct tp_caller *caller;
	const char *group;
	uint32_t flags; /* TP_WIRE_* of every launch */
	int root_fd;    /* -1: none */
	pid_t supervisor;
	int supervisor_pidfd; /* run: it is our child; exec: -1 */
	int signal_fd;
	bool own_session;   /* programs are in a session of their own: no signal reaches them unless
			       relayed */
	struct tp_pty *pty; /* NULL: none */
	uint64_t early; /* signals for programs that are still to be started; bit n-1 = signal n */
	int own_status; /* what went wrong besides programs; 0: nothing */
	bool bye;       /* the group has ended */
	bool told_waiting;
	bool lost; /* the connection has */
};

#define TP_FRONT_INIT \
	{ \
		.client = TP_CLIENT_INIT, .root_fd = -1, .supervisor_pidfd = -1, .signal_fd = -1 \
	}

/* tp_front_block - block every signal and open the signal descriptor; before anything is started.
 */
int tp_front_block(struct tp_front *front, struct tp_error *err);

/* tp_front_run - start the programs and stay until they have ended; returns the exit status. */
int tp_front_run(struct tp_front *front);

#endif
