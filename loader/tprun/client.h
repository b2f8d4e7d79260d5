/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_CLIENT_H
#define TP_TPRUN_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "tp/abi/wire.h"

/*
 * One connection to a group's supervisor. Used by the verbs, and by whoever drives a group from a
 * program of its own (the benchmarks do).
 */
struct tp_client {
	int fd;
	uint32_t seq; /* of the last request */
};

#define TP_CLIENT_INIT \
	{ \
		.fd = -1 \
	}

/* One message as it came, checked: complete, of our version, as long as its type needs. */
union tp_message {
	struct tp_wire_head head;
	struct tp_wire_error error;
	struct tp_wire_event event;
	struct tp_wire_program program;
	struct tp_wire_info info;
	uint8_t bytes[TP_WIRE_MESSAGE_MAX];
};

/* A launch: what to run, and as whom. */
struct tp_request {
	const char *name; /* in the group; NULL: the basename of argv[0] */
	char *const *argv;
	char *const *envp;
	const int *fds;     /* descriptors of ours that the program gets … */
	const int *targets; /* … at these numbers, ascending; NULL: at the same ones */
	size_t nfds;
	int cwd_fd;
	int root_fd;    /* -1: none */
	uint32_t flags; /* TP_WIRE_*; TP_WIRE_ROOT follows from root_fd */
	int32_t pgid, sid;
	uint32_t umask;
	int32_t nice;
	uint64_t sigmask, sigignore;
	const uint64_t (*rlimits)[2]; /* 16 of them */
};

/*
 * tp_client_connect - connect to a live group.
 * Returns 0; -ENOENT, -ECONNREFUSED: there is none of that name; or another negative errno, with
 * the reason in err.
 */
int tp_client_connect(struct tp_client *client, const char *group, struct tp_error *err);
void tp_client_close(struct tp_client *client);

/*
 * tp_client_launch - ask for a program. The answer, LAUNCHED or ERROR, comes with this seq, and
 * later STOPPED, CONTINUED and EXITED do.
 * Returns 0, or negative errno with the reason in err (-EPIPE, -ECONNRESET: the supervisor is
 * gone).
 */
int tp_client_launch(struct tp_client *client, const struct tp_request *request, uint32_t *ret_seq,
	struct tp_error *err);

/* The other requests; 0 or negative errno. */
int tp_client_signal(struct tp_client *client, uint64_t id, int signo, int whole_group);
int tp_client_stop(
	struct tp_client *client, const char *name, uint32_t grace_ms, uint32_t *ret_seq);
int tp_client_reclaim(struct tp_client *client, uint64_t id, uint32_t *ret_seq);
int tp_client_ask(struct tp_client *client, enum tp_wire_type type, uint32_t *ret_seq);

/*
 * tp_client_receive - take one message.
 * @wait: 0: -EAGAIN if there is none
 * Returns 0; -EPIPE: the supervisor closed the connection; -EPROTO: it speaks something else (for
 * example another version); or another negative errno.
 */
int tp_client_receive(struct tp_client *client, int wait, union tp_message *ret_message);

/* tp_client_info - ask for the group's description and wait for it. */
int tp_client_info(struct tp_client *client, struct tp_wire_info *ret_info);

/* tp_client_wait - wait for the message of one request; what belongs to others is dropped. Meant
 * for a connection that has one request under way. */
int tp_client_wait(struct tp_client *client, uint32_t seq, union tp_message *ret_message);

#endif
