/* SPDX-License-Identifier: MIT */
/*
 * One message out, with its head and its descriptors.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tprun/wire-send.h"

/* The kernel refuses more while as many descriptors as our limit are under way: wait for the
 * reader. */
static int send_retrying(int fd, const struct msghdr *msg)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int left = 5000;

	while (sendmsg(fd, msg, MSG_NOSIGNAL) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != ETOOMANYREFS || !left--)
			return errno == ECONNRESET ? -EPIPE : -errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int tp_wire_send_fds(struct tp_client *c, struct tp_wire_head *m, enum tp_wire_type type,
	size_t len, uint32_t seq, const int *fds, size_t nfds)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int) * TP_WIRE_FDS_BATCH)];
	} control;
	struct iovec iov = {m, len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	*m = (struct tp_wire_head){
		.magic = TP_WIRE_MAGIC,
		.version = TP_WIRE_VERSION,
		.type = type,
		.len = (uint32_t)len,
		.seq = seq,
	};
	if (nfds) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int) * nfds);
		memcpy(CMSG_DATA(&control.head), fds, sizeof(int) * nfds);
	}
	return send_retrying(c->fd, &msg);
}

int tp_wire_send(struct tp_client *c, struct tp_wire_head *m, enum tp_wire_type type, size_t len)
{
	return tp_wire_send_fds(c, m, type, len, ++c->seq, NULL, 0);
}
