/* SPDX-License-Identifier: MIT */
/*
 * The supervisor of one group: a process of its own, outside the shared address space, parent of
 * every program.
 *
 * Who calls this has forked before and passes nothing but descriptors; the caller's process becomes
 * the supervisor and ends with the returned status.
 */
#ifndef TP_SUPERVISE_SUPERVISE_H
#define TP_SUPERVISE_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>

struct tp_supervise_opts {
	const char *group;     /* see tp_runtime_name_ok() */
	const char *host_path; /* the tp-host binary */
	int first_client;      /* SOCK_SEQPACKET end of the foreground client, trusted; -1: none */
	int front_pidfd;       /* its process: its death ends everything at once; -1: none */
	const char *malloc_path; /* libtp-malloc.so, for all programs (--shared-malloc); NULL: no */
	uint64_t heap_size;    /* bytes of the group's heap; 0: the usual */
	bool leave;            /* descendants that outlive the programs are left alone */
	bool verbose;          /* notes about what was mended silently */
};

/*
 * Runs the group until it ends. Takes both descriptors over, closes all others, and moves 0-2 to
 * /dev/null.
 *
 * What goes wrong before the first client could be told otherwise is sent to it as one
 * TP_WIRE_ERROR with seq 0, followed by TP_WIRE_BYE.
 *
 * Context: single-threaded caller, right after fork(); blocks; installs no handlers, blocks all
 * signals. Return: exit status for the process: 0, or 125 when the group could not be started.
 */
int tp_supervise(const struct tp_supervise_opts *opts);

#endif
