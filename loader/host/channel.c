/* SPDX-License-Identifier: MIT */
/* The socket to the supervisor: whole messages and the descriptors that come with them. */
#include "host.h"

#define SOL_SOCKET_NR 1
#define SCM_RIGHTS_NR 1
#define MSG_CTRUNC_NR 8
#define MSG_TRUNC_NR 0x20
#define MSG_CMSG_CLOEXEC_NR 0x40000000

struct iovec_raw {
	void *base;
	uint64_t len;
};

struct msghdr_raw {
	void *name;
	uint64_t namelen;
	struct iovec_raw *iov;
	uint64_t iovlen;
	void *control;
	uint64_t controllen;
	int32_t flags, pad;
};

struct cmsg_raw {
	uint64_t len;
	int32_t level, type;
	int32_t fds[TP_HOST_FDS_BATCH + 1];
};

static long receive_one(struct tpi_request *rq, void *to, uint64_t size)
{
	struct cmsg_raw control;
	struct iovec_raw iov = { to, size };
	struct msghdr_raw m = { 0 };
	uint64_t n;
	long r;

	control.len = 0;
	m.iov = &iov;
	m.iovlen = 1;
	m.control = &control;
	m.controllen = sizeof(control);
	do
		r = arch_syscall3(ARCH_NR_recvmsg, TP_HOST_FD, (long)&m, MSG_CMSG_CLOEXEC_NR);
	while (r == -EINTR);
	if (r <= 0)
		return r;
	n = m.controllen >= 16 && control.level == SOL_SOCKET_NR && control.type == SCM_RIGHTS_NR ? (control.len - 16) / 4 : 0;
	for (uint64_t i = 0; i < n; i++) {
		if (rq->nfds < TPI_FDS_MAX)
			rq->fds[rq->nfds++] = control.fds[i];
		else
			tpi_close(control.fds[i]);
	}
	return m.flags & (MSG_CTRUNC_NR | MSG_TRUNC_NR) ? -EMSGSIZE : r;
}

/*
 * fds_wanted 0: a new request, into rq->head. Otherwise: the further descriptors of the launch there, until that many.
 * Returns 0 when the supervisor is gone.
 */
long tpi_channel_receive(struct tpi_request *rq, uint32_t fds_wanted)
{
	struct tp_host_head more;
	long r;

	if (!fds_wanted) {
		rq->nfds = 0;
		return receive_one(rq, rq->head, TP_HOST_MESSAGE_MAX);
	}
	while (rq->nfds < fds_wanted) {
		r = receive_one(rq, &more, sizeof(more));
		if (r <= 0)
			return r;
		if (more.op != TP_HOST_FDS)
			return -EPROTO;
	}
	return 1;
}

void tpi_channel_send(const void *message, uint32_t len)
{
	struct iovec_raw iov = { (void *)message, len };
	struct msghdr_raw m = { 0 };
	enum { MSG_NOSIGNAL_NR = 0x4000 };

	m.iov = &iov;
	m.iovlen = 1;
	while (arch_syscall3(ARCH_NR_sendmsg, TP_HOST_FD, (long)&m, MSG_NOSIGNAL_NR) == -EINTR)
		;
}
