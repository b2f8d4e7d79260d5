/* SPDX-License-Identifier: MIT */
/* See client.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/client.h"
#include "supervise/launch.h"
#include "supervise/requests.h"
#include "supervise/sockmsg.h"

/* A foreground that was stopped for a while must not lose the ends of a thousand programs. */
enum { QUEUE_MAX = 4 << 20 };

static void flush(struct tp_client *c)
{
	struct tp_out *o;

	while ((o = STAILQ_FIRST(&c->out))) {
		int r = tp_sock_send(c->watch.fd, o->bytes, o->len, NULL, 0, MSG_DONTWAIT);

		if (r == -EAGAIN)
			return;
		if (r < 0) {
			tp_client_drop(c);
			return;
		}
		STAILQ_REMOVE_HEAD(&c->out, link);
		c->queued -= sizeof(*o) + o->len;
		free(o);
	}
	tp_loop_change(&c->group->loop, &c->watch, EPOLLIN);
}

static void enqueue(struct tp_client *c, const void *msg, size_t len)
{
	struct tp_out *o = c->queued + len > QUEUE_MAX ? NULL : malloc(sizeof(*o) + len);

	if (!o) {
		tp_client_drop(c);
		return;
	}
	o->len = (uint32_t)len;
	memcpy(o->bytes, msg, len);
	if (STAILQ_EMPTY(&c->out))
		tp_loop_change(&c->group->loop, &c->watch, EPOLLIN | EPOLLOUT);
	STAILQ_INSERT_TAIL(&c->out, o, link);
	c->queued += sizeof(*o) + len;
}

void tp_client_send(struct tp_client *c, void *msg, size_t len, uint32_t type, uint32_t seq)
{
	struct tp_wire_head *head = msg;
	int r;

	if (!c || c->watch.fd < 0)
		return;
	*head = (struct tp_wire_head){
		TP_WIRE_MAGIC, TP_WIRE_VERSION, (uint16_t)type, (uint32_t)len, seq};
	r = STAILQ_EMPTY(&c->out) ? tp_sock_send(c->watch.fd, msg, len, NULL, 0, MSG_DONTWAIT)
				  : -EAGAIN;
	if (r == -EAGAIN || r == -ENOBUFS || r == -ENOMEM)
		enqueue(c, msg, len);
	else if (r < 0)
		tp_client_drop(c);
}

void tp_client_send_fds(struct tp_client *c, void *msg, size_t len, uint32_t type, uint32_t seq,
	const int *fds, uint32_t nfds)
{
	struct tp_wire_head *head = msg;

	*head = (struct tp_wire_head){
		TP_WIRE_MAGIC, TP_WIRE_VERSION, (uint16_t)type, (uint32_t)len, seq};
	if (!STAILQ_EMPTY(&c->out) ||
		tp_sock_send(c->watch.fd, msg, len, fds, nfds, MSG_DONTWAIT) < 0)
		tp_client_drop(c);
}

void tp_client_ok(struct tp_client *c, uint32_t seq)
{
	struct tp_wire_head m;

	tp_client_send(c, &m, sizeof(m), TP_WIRE_OK, seq);
}

static void send_text(
	struct tp_client *c, uint32_t type, uint32_t seq, int status, int error, const char *text)
{
	struct tp_wire_error m;

	memset(&m, 0, sizeof(m));
	m.status = status;
	m.error = error;
	snprintf(m.text, sizeof(m.text), "%s", text);
	tp_client_send(c, &m, sizeof(m), type, seq);
}

void tp_client_error(struct tp_client *c, uint32_t seq, const struct tp_error *err)
{
	send_text(c, TP_WIRE_ERROR, seq, err->status, err->err, err->text);
}

void tp_client_event(struct tp_client *c, uint32_t seq, uint32_t type, uint64_t id, int64_t value)
{
	struct tp_wire_event m = {.id = id, .value = value};

	tp_client_send(c, &m, sizeof(m), type, seq);
}

void tp_client_note(struct tp_client *c, const char *fmt, ...)
{
	char text[TP_WIRE_TEXT_MAX];
	va_list args;

	if (!c)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	send_text(c, TP_WIRE_NOTE, 0, 0, 0, text);
}

static void receive(struct tp_client *c)
{
	static _Alignas(8) char buf[TP_WIRE_MESSAGE_MAX]; /* the stack may be small */
	int fds[TP_SOCK_FDS];
	uint32_t nfds;
	ssize_t n;

	memset(buf, 0, sizeof(struct tp_wire_launch));
	n = tp_sock_receive(c->watch.fd, buf, sizeof(buf), fds, &nfds);

	if (n == -EAGAIN)
		return;
	if (n > 0)
		tp_request_take(c, buf, (size_t)n, fds, nfds);
	else if (n == -EMSGSIZE || n == -EMFILE)
		tp_request_broken(c, buf, (int)n);
	else
		tp_client_drop(c);
}

static void on_ready(struct tp_watch *w, uint32_t events)
{
	struct tp_client *c = tp_container(w, struct tp_client, watch);

	if (events & EPOLLOUT)
		flush(c);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	/* One a turn: that is fair, and the loop comes back while there is more. */
	if (c->watch.fd >= 0)
		receive(c);
}

static void on_patience(struct tp_timer *t)
{
	struct tp_client *c = tp_container(t, struct tp_client, patience);

	if (c->request)
		tp_client_drop(c);
}

struct tp_client *tp_client_create(struct tp_group *g, int sock)
{
	struct tp_client *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->group = g;
	STAILQ_INIT(&c->out);
	c->watch = (struct tp_watch){sock, on_ready};
	c->pidfd = -1;
	c->since_ns = tp_now_boot_ns();
	c->patience.fire = on_patience;
	fcntl(sock, F_SETFL, fcntl(sock, F_GETFL) | O_NONBLOCK);
	LIST_INSERT_HEAD(&g->clients, c, link);
	g->nclients++;
	if (tp_loop_add(&g->loop, &c->watch, EPOLLIN) < 0)
		tp_client_drop(c);
	return c;
}

void tp_client_drop(struct tp_client *c)
{
	struct tp_group *g = c->group;
	int sock = c->watch.fd;

	if (sock < 0)
		return;
	tp_loop_remove(&g->loop, &c->watch);
	close(sock);
	tp_timer_disarm(&c->patience);
	c->request = tp_request_free(c->request);
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
	LIST_REMOVE(c, link);
	g->nclients--;
	LIST_INSERT_HEAD(&g->closed, c, link);
	if (g->first == c) {
		g->first = NULL;
		g->first_done = true;
	}
	tp_requests_client_gone(c);
}

static void drain(struct tp_client *c, int64_t until)
{
	while (c->watch.fd >= 0 && !STAILQ_EMPTY(&c->out) && tp_now_ms() < until) {
		struct pollfd p = {.fd = c->watch.fd, .events = POLLOUT};

		poll(&p, 1, (int)(until - tp_now_ms()));
		flush(c);
	}
}

void tp_clients_drain(struct tp_group *g, int ms)
{
	int64_t until = tp_now_ms() + ms;
	struct tp_client *c, *next;

	for (c = LIST_FIRST(&g->clients); c; c = next) {
		next = LIST_NEXT(c, link);
		drain(c, until);
	}
}

static void client_free(struct tp_client *c)
{
	struct tp_out *o;

	while ((o = STAILQ_FIRST(&c->out))) {
		STAILQ_REMOVE_HEAD(&c->out, link);
		free(o);
	}
	free(c);
}

void tp_clients_free_closed(struct tp_group *g)
{
	struct tp_client *c;

	while ((c = LIST_FIRST(&g->closed))) {
		LIST_REMOVE(c, link);
		client_free(c);
	}
}
