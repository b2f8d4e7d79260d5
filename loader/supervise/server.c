/* SPDX-License-Identifier: MIT */
/* Accepts clients on the control socket. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "supervise/client.h"
#include "supervise/peer.h"
#include "supervise/server.h"
#include "supervise/sockmsg.h"

enum { CLIENTS_MIN = 16, SPARE = 64, EACH = 4, BACKLOG = 64 };

/* A client costs a socket and a pidfd here, its program another one: what is left is for launches
 * under way. */
static uint32_t clients_max(uint32_t kept)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
		files.rlim_cur < SPARE + kept + CLIENTS_MIN * EACH)
		return CLIENTS_MIN;
	return files.rlim_cur > (1u << 20) ? (1u << 20) / EACH
					   : (uint32_t)(files.rlim_cur - SPARE - kept) / EACH;
}

/* It is told why, then forgotten. */
static void turn_away(int sock, const char *group)
{
	struct tp_wire_error m = {
		.head = {TP_WIRE_MAGIC, TP_WIRE_VERSION, TP_WIRE_ERROR, sizeof(m), 0},
		.status = TP_STATUS_OWN,
		.error = -EMFILE};

	snprintf(m.text, sizeof(m.text),
		"%s: could not be reached: it serves as many clients as its limit on open files "
		"allows "
		"(raise ulimit -n before tprun run)",
		group);
	tp_sock_send(sock, &m, sizeof(m), NULL, 0, MSG_DONTWAIT);
	close(sock);
}

static void accept_one(struct tp_group *g, int listener)
{
	int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (sock < 0)
		return;
	if (!tp_peer_user_ok(sock))
		close(sock);
	else if (g->nclients >= clients_max(g->nkept))
		turn_away(sock, g->opts->group);
	else if (!tp_client_create(g, sock))
		close(sock);
}

static void on_listener(struct tp_watch *w, uint32_t events)
{
	(void)events;
	accept_one(tp_container(w, struct tp_group, listener), w->fd);
}

static void on_unnamed(struct tp_watch *w, uint32_t events)
{
	(void)events;
	accept_one(tp_container(w, struct tp_group, unnamed), w->fd);
}

int tp_server_init(struct tp_group *g)
{
	g->listener = (struct tp_watch){g->runtime.listen_fd, on_listener};
	return tp_loop_add(&g->loop, &g->listener, EPOLLIN);
}

static int unnamed_socket(struct sockaddr_un *ret, socklen_t *ret_len)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	*ret_len = sizeof(*ret);
	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)ret, sizeof(ret->sun_family)) == 0 &&
		listen(fd, BACKLOG) == 0 && getsockname(fd, (struct sockaddr *)ret, ret_len) == 0)
		return fd;
	close(fd);
	return -1;
}

void tp_server_open_unnamed(struct tp_group *g)
{
	struct sockaddr_un at;
	socklen_t len;
	size_t n;
	int fd;

	if (g->unnamed.fd > 0)
		return;
	fd = unnamed_socket(&at, &len);
	if (fd < 0)
		return;
	n = len - offsetof(struct sockaddr_un, sun_path) - 1;
	g->unnamed = (struct tp_watch){fd, on_unnamed};
	if (n >= TP_CONTROL_UNNAMED_MAX || tp_loop_add(&g->loop, &g->unnamed, EPOLLIN) < 0) {
		g->unnamed.fd = -1;
		close(fd);
		return;
	}
	memcpy(g->seg.at->control_unnamed, at.sun_path + 1, n);
}
