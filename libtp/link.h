/* SPDX-License-Identifier: MIT */
/*
 * Asking the supervisor: one connection, one request, one reply. For calls that are made seldom;
 * each blocks until the answer is here, five seconds at most.
 */
#ifndef TPI_LINK_H
#define TPI_LINK_H

#include "core.h"
#include "tp/abi/wire.h"

enum { TPI_LINK_FDS = 2 };

/* A socket that is connected to `path`, of any length. Return: descriptor (close-on-exec) or
 * negative errno. */
int tpi_link_connect(const char *path) TPI_HIDDEN;
/* The same, to the control socket in a directory. */
int tpi_link_connect_in(int dir) TPI_HIDDEN;

struct tpi_link_reply {
	union {
		struct tp_wire_head head;
		struct tp_wire_error error;
		struct tp_wire_attached attached;
		struct tp_wire_info info;
	};
	int fd[TPI_LINK_FDS]; /* close-on-exec, the caller's; -1 */
};

/*
 * Sends a request (whose head is filled in here) with one descriptor, or none (-1), and waits for
 * the reply. Return: 0; the error of a TP_WIRE_ERROR, with its text for tp_why; -ETIMEDOUT, -EPIPE,
 * -EPROTO, errors of the socket, without one.
 */
int tpi_link_ask(int sock, void *msg, uint32_t len, uint32_t type, int fd,
	struct tpi_link_reply *ret) TPI_HIDDEN;

/* What tp_why is to say about an error of the two above that has no text yet. Return: the error. */
int tpi_link_fail(int error) TPI_HIDDEN;

/* All that, with this process's own group. Each error has its text. -ENXIO: the group has told no
 * path. */
int tpi_link_call(
	void *msg, uint32_t len, uint32_t type, int fd, struct tpi_link_reply *ret) TPI_HIDDEN;

void tpi_link_close(int fd) TPI_HIDDEN;

#endif
