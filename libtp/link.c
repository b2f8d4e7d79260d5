/* SPDX-License-Identifier: MIT */
/*
 * See link.h. System calls are made directly: errno stays the program's. The reply is a wire
 * message like any: its length, kind and descriptors are checked before they are believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "link.h"
#include "syscall.h"

enum { PATIENCE_S = 5 };

void tpi_link_close(int fd)
{
	if (fd >= 0)
		arch_syscall3(ARCH_NR_close, fd, 0, 0);
}

static int connect_address(const struct sockaddr_un *to, size_t len)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	int sock = (int)arch_syscall3(ARCH_NR_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	long r;

	if (sock < 0)
		return sock;
	arch_syscall6(ARCH_NR_setsockopt, sock, SOL_SOCKET, SO_RCVTIMEO, (long)&patience,
		sizeof(patience), 0);
	arch_syscall6(ARCH_NR_setsockopt, sock, SOL_SOCKET, SO_SNDTIMEO, (long)&patience,
		sizeof(patience), 0);
	do
		r = arch_syscall3(ARCH_NR_connect, sock, (long)to, (long)len);
	while (r == -EINTR);
	if (!r)
		return sock;
	tpi_link_close(sock);
	return (int)r;
}

static int connect_to(const char *path, size_t len)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	memcpy(to.sun_path, path, len + 1);
	return connect_address(&to, sizeof(to));
}

int tpi_link_connect_in(int dir)
{
	static const char own[] = "/proc/self/fd/", file[] = "/control";
	char via[sizeof(own) + 16 + sizeof(file)];
	size_t at = sizeof(own) - 1;
	int digits = 1;

	for (int n = dir; n >= 10; n /= 10)
		digits++;
	memcpy(via, own, at);
	for (int i = digits - 1, n = dir; i >= 0; i--, n /= 10)
		via[at + (size_t)i] = (char)('0' + n % 10);
	at += (size_t)digits;
	memcpy(via + at, file, sizeof(file));
	return connect_to(via, at + sizeof(file) - 1);
}

/* When the group has ended, that address can be anybody's. */
static bool is_own_user(int sock)
{
	struct ucred cred = {.uid = (uint32_t)-1};
	uint32_t len = sizeof(cred);

	return arch_syscall6(ARCH_NR_getsockopt, sock, SOL_SOCKET, SO_PEERCRED, (long)&cred,
		       (long)&len, 0) == 0 &&
	       cred.uid == (uint32_t)arch_syscall3(ARCH_NR_geteuid, 0, 0, 0);
}

/* Below a root of its own a program does not see the path. */
static int connect_unnamed(const struct tp_segment *s)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len;
	int sock;

	memcpy(to.sun_path + 1, s->control_unnamed, TP_CONTROL_UNNAMED_MAX);
	len = strnlen(to.sun_path + 1, TP_CONTROL_UNNAMED_MAX);
	if (!len)
		return -ENOENT;
	sock = connect_address(&to, offsetof(struct sockaddr_un, sun_path) + 1 + len);
	if (sock < 0 || is_own_user(sock))
		return sock;
	tpi_link_close(sock);
	return -EACCES;
}

/* A path too long for a socket's address is gone through its directory's descriptor. */
static int connect_through(const char *path, const char *slash)
{
	char dir[4096];
	size_t len = (size_t)(slash - path);
	int fd, sock;

	if (len >= sizeof(dir) || strcmp(slash, "/control") != 0)
		return -ENAMETOOLONG;
	memcpy(dir, path, len);
	dir[len] = '\0';
	fd = (int)arch_syscall6(
		ARCH_NR_openat, AT_FDCWD, (long)dir, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return fd;
	sock = tpi_link_connect_in(fd);
	tpi_link_close(fd);
	return sock;
}

int tpi_link_connect(const char *path)
{
	size_t len = strlen(path);
	const char *slash = strrchr(path, '/');

	if (len < sizeof(((struct sockaddr_un *)0)->sun_path))
		return connect_to(path, len);
	return slash ? connect_through(path, slash) : -ENAMETOOLONG;
}

union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int) * TPI_LINK_FDS)];
};

static int send_one(int sock, void *msg, uint32_t len, int fd)
{
	struct iovec iov = {msg, len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	union control c;
	long r;

	if (fd >= 0) {
		memset(&c, 0, sizeof(c));
		m.msg_control = &c;
		m.msg_controllen = CMSG_SPACE(sizeof(int));
		c.align.cmsg_level = SOL_SOCKET;
		c.align.cmsg_type = SCM_RIGHTS;
		c.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&c.align), &fd, sizeof(fd));
	}
	do
		r = arch_syscall3(ARCH_NR_sendmsg, sock, (long)&m, MSG_NOSIGNAL);
	while (r == -EINTR);
	return r < 0 ? (int)r : 0;
}

static void take_fds(const struct msghdr *m, const union control *c, int *ret_fd)
{
	size_t n;

	if (m->msg_controllen < CMSG_LEN(sizeof(int)) || c->align.cmsg_level != SOL_SOCKET ||
		c->align.cmsg_type != SCM_RIGHTS)
		return;
	n = (c->align.cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(ret_fd, CMSG_DATA(&c->align), (n < TPI_LINK_FDS ? n : TPI_LINK_FDS) * sizeof(int));
}

static void close_fds(struct tpi_link_reply *r)
{
	for (int i = 0; i < TPI_LINK_FDS; i++) {
		tpi_link_close(r->fd[i]);
		r->fd[i] = -1;
	}
}

static int receive_one(int sock, struct tpi_link_reply *ret)
{
	struct iovec iov = {ret, offsetof(struct tpi_link_reply, fd)};
	union control c;
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)};
	long n;

	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < TPI_LINK_FDS; i++)
		ret->fd[i] = -1;
	do
		n = arch_syscall3(ARCH_NR_recvmsg, sock, (long)&m, MSG_CMSG_CLOEXEC);
	while (n == -EINTR);
	if (n < 0)
		return n == -EAGAIN ? -ETIMEDOUT : (int)n;
	take_fds(&m, &c, ret->fd);
	if (n == 0)
		return -EPIPE;
	if (m.msg_flags & MSG_CTRUNC) {
		close_fds(ret);
		return -EMFILE;
	}
	if ((size_t)n < sizeof(ret->head) || ret->head.magic != TP_WIRE_MAGIC ||
		ret->head.len != (uint64_t)n || ret->head.version != TP_WIRE_VERSION) {
		close_fds(ret);
		return -EPROTO;
	}
	return 0;
}

/* The supervisor's own words are the reason. */
static int as_error(struct tpi_link_reply *r)
{
	int error = r->error.error;

	close_fds(r);
	if (r->head.len != sizeof(r->error) || error >= 0 || error < -4095)
		error = -EPROTO;
	r->error.text[sizeof(r->error.text) - 1] = '\0';
	return tpi_fail(error, "%s", r->error.text);
}

int tpi_link_ask(
	int sock, void *msg, uint32_t len, uint32_t type, int fd, struct tpi_link_reply *ret)
{
	int r;

	ret->head.type = 0;
	*(struct tp_wire_head *)msg =
		(struct tp_wire_head){TP_WIRE_MAGIC, TP_WIRE_VERSION, (uint16_t)type, len, 1};
	r = send_one(sock, msg, len, fd);
	if (r < 0)
		return r;
	do
		r = receive_one(sock, ret);
	while (!r && ret->head.type == TP_WIRE_NOTE);
	if (!r && ret->head.type == TP_WIRE_BYE)
		r = -EPIPE;
	return !r && ret->head.type == TP_WIRE_ERROR ? as_error(ret) : r;
}

static const char *words(int error)
{
	switch (error) {
	case -ETIMEDOUT: return "it does not answer";
	case -EPIPE:
	case -ECONNREFUSED: return "the group has ended";
	case -ENOENT:
	case -ENXIO:
		return "its socket cannot be seen from here (the group has ended, or this process "
		       "has another root directory)";
	case -EACCES:
	case -EPERM: return "it lets only its own user in";
	case -EMFILE: return "too many files are open here (raise ulimit -n)";
	case -EPROTO: return "its answer makes no sense";
	default: return NULL;
	}
}

int tpi_link_fail(int error)
{
	const char *why = words(error);

	if (why)
		return tpi_fail(error, "the group's supervisor could not be asked: %s", why);
	return tpi_fail(
		error, "the group's supervisor could not be asked: error %d", (int64_t)-error);
}

int tpi_link_call(void *msg, uint32_t len, uint32_t type, int fd, struct tpi_link_reply *ret)
{
	char path[TP_CONTROL_PATH_MAX];
	int sock, r;

	/* Anybody can write there. */
	memcpy(path, tpi_self.segment->control, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	sock = path[0] ? tpi_link_connect(path) : -ENXIO;
	if (sock == -ENOENT || sock == -ENOTDIR || sock == -EACCES)
		sock = connect_unnamed(tpi_self.segment);
	if (sock < 0)
		return tpi_link_fail(sock);
	r = tpi_link_ask(sock, msg, len, type, fd, ret);
	tpi_link_close(sock);
	return r < 0 && ret->head.type != TP_WIRE_ERROR ? tpi_link_fail(r) : r;
}
