/* SPDX-License-Identifier: MIT */
/* One message with descriptors over a SOCK_SEQPACKET socket. */
#ifndef TP_SUPERVISE_SOCKMSG_H
#define TP_SUPERVISE_SOCKMSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TP_SOCK_FDS = 253 }; /* the kernel's limit for one message */

/* Return: 0 or negative errno; flags as for sendmsg (MSG_NOSIGNAL is added). */
int tp_sock_send(int sock, const void *msg, size_t len, const int *fds, uint32_t nfds, int flags);

/*
 * Receives without blocking. Descriptors are CLOEXEC and the caller's; *ret_nfds is set also on
 * failure (to 0). Return: length; 0: the peer is gone; -EAGAIN; -EMSGSIZE: longer than len;
 * -EMFILE: descriptors got lost because we have no room (those that arrived were closed).
 */
ssize_t tp_sock_receive(
	int sock, void *buf, size_t len, int ret_fds[TP_SOCK_FDS], uint32_t *ret_nfds);

void tp_close_all(const int *fds, uint32_t n);

#endif
