/* SPDX-License-Identifier: MIT */
/* Accepts clients on the control socket. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/client.h"
#include "supervise/peer.h"
#include "supervise/server.h"
#include "supervise/sockmsg.h"

enum { CLIENTS_MIN = 16, SPARE = 64, EACH = 4 };

/* A client costs a socket and a pidfd here, its program another one: what is left is for launches
 * under way. */
static uint32_t clients_max(uint32_t kept)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur < SPARE + kept + CLIENTS_MIN * EACH)
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

static void on_listener(struct tp_watch *w, uint32_t events)
{
	struct tp_group *g = tp_container(w, struct tp_group, listener);
	int sock = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (sock < 0)
		return;
	if (!tp_peer_user_ok(sock))
		close(sock);
	else if (g->nclients >= clients_max(g->nkept))
		turn_away(sock, g->opts->group);
	else if (!tp_client_create(g, sock))
		close(sock);
}

int tp_server_init(struct tp_group *g)
{
	g->listener = (struct tp_watch){g->runtime.listen_fd, on_listener};
	return tp_loop_add(&g->loop, &g->listener, EPOLLIN);
}
