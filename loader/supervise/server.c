/* SPDX-License-Identifier: MIT */
/* Accepts clients on the control socket. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/client.h"
#include "supervise/peer.h"
#include "supervise/server.h"

enum { CLIENTS_MAX = 256 };

static uint32_t count(struct tp_group *g)
{
	struct tp_client *c;
	uint32_t n = 0;

	LIST_FOREACH(c, &g->clients, link)
		n++;
	return n;
}

static void on_listener(struct tp_watch *w, uint32_t events)
{
	struct tp_group *g = tp_container(w, struct tp_group, listener);
	int sock = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (sock < 0)
		return;
	if (!tp_peer_user_ok(sock) || count(g) >= CLIENTS_MAX || !tp_client_create(g, sock))
		close(sock);
}

int tp_server_init(struct tp_group *g)
{
	g->listener = (struct tp_watch){g->runtime.listen_fd, on_listener};
	return tp_loop_add(&g->loop, &g->listener, EPOLLIN);
}
