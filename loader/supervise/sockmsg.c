/* SPDX-License-Identifier: MIT */
/* Messages with descriptors: every control message is looked at, and whatever arrives is either
 * handed out or closed. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/sockmsg.h"

/* One more than is legal, so that too many is told from just enough. */
union control {
	struct cmsghdr align;
	char buf[CMSG_SPACE(sizeof(int) * TP_SOCK_FDS) + CMSG_SPACE(sizeof(struct ucred))];
};

void tp_close_all(const int *fds, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		close(fds[i]);
}

static void attach(struct msghdr *m, union control *c, const int *fds, uint32_t nfds)
{
	struct cmsghdr *h;

	m->msg_control = c;
	m->msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
	h = CMSG_FIRSTHDR(m);
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
	memcpy(CMSG_DATA(h), fds, sizeof(int) * nfds);
}

int tp_sock_send(int sock, const void *msg, size_t len, const int *fds, uint32_t nfds, int flags)
{
	struct iovec iov = {(void *)msg, len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	union control c;
	ssize_t n;

	if (nfds > TP_SOCK_FDS)
		return -EINVAL;
	if (nfds)
		attach(&m, &c, fds, nfds);
	do
		n = sendmsg(sock, &m, flags | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static void collect(struct msghdr *m, int *ret_fds, uint32_t *ret_nfds)
{
	for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
		size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS ||
			*ret_nfds + n > TP_SOCK_FDS)
			continue;
		memcpy(ret_fds + *ret_nfds, CMSG_DATA(h), n * sizeof(int));
		*ret_nfds += (uint32_t)n;
	}
}

ssize_t tp_sock_receive(
	int sock, void *buf, size_t len, int ret_fds[TP_SOCK_FDS], uint32_t *ret_nfds)
{
	struct iovec iov = {buf, len};
	union control c;
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)};
	ssize_t n;
	int error;

	*ret_nfds = 0;
	do
		n = recvmsg(sock, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	collect(&m, ret_fds, ret_nfds);
	error = m.msg_flags & MSG_CTRUNC ? -EMFILE : m.msg_flags & MSG_TRUNC ? -EMSGSIZE : 0;
	if (!error)
		return n;
	tp_close_all(ret_fds, *ret_nfds);
	*ret_nfds = 0;
	return error;
}
