/* SPDX-License-Identifier: MIT */
/*
 * Talking to a supervisor: connect, ask, and check what comes back. The supervisor is trusted more
 * than a client is by it, but a message of another version must not be read as ours.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/runtime-dir.h"
#include "tprun/client.h"
#include "tprun/wire-send.h"

int tp_client_connect(struct tp_client *c, const char *group, struct tp_error *err)
{
	int fd;
	int r = tp_runtime_connect(group, &fd, err);

	if (!r)
		*c = (struct tp_client){.fd = fd};
	return r;
}

void tp_client_close(struct tp_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

int tp_client_signal(struct tp_client *c, uint64_t id, int signo, int whole_group)
{
	struct tp_wire_signal m = {
		.id = id,
		.signo = signo,
		.whole_group = whole_group != 0,
	};

	return tp_wire_send(c, &m.head, TP_WIRE_SIGNAL, sizeof(m));
}

int tp_client_reclaim(struct tp_client *c, uint64_t id, uint32_t *ret_seq)
{
	struct tp_wire_signal m = {.id = id};
	int err = tp_wire_send(c, &m.head, TP_WIRE_RECLAIM, sizeof(m));

	if (!err)
		*ret_seq = c->seq;
	return err;
}

int tp_client_stop(struct tp_client *c, const char *name, uint32_t grace_ms, uint32_t *ret_seq)
{
	struct tp_wire_stop m = {.grace_ms = grace_ms, .all = name == NULL};
	int err;

	if (name && strlen(name) >= sizeof(m.name))
		return -ENAMETOOLONG;
	if (name)
		strcpy(m.name, name);
	err = tp_wire_send(c, &m.head, TP_WIRE_STOP, sizeof(m));
	if (!err)
		*ret_seq = c->seq;
	return err;
}

int tp_client_ask(struct tp_client *c, enum tp_wire_type type, uint32_t *ret_seq)
{
	struct tp_wire_head m;
	int err = tp_wire_send(c, &m, type, sizeof(m));

	if (!err)
		*ret_seq = c->seq;
	return err;
}

static size_t size_of_type(uint16_t type)
{
	switch (type) {
	case TP_WIRE_ERROR:
	case TP_WIRE_NOTE: return sizeof(struct tp_wire_error);
	case TP_WIRE_LAUNCHED:
	case TP_WIRE_EXITED:
	case TP_WIRE_STOPPED:
	case TP_WIRE_CONTINUED: return sizeof(struct tp_wire_event);
	case TP_WIRE_PROGRAM: return sizeof(struct tp_wire_program);
	case TP_WIRE_INFO_REPLY: return sizeof(struct tp_wire_info);
	default: return sizeof(struct tp_wire_head);
	}
}

static int check(union tp_message *m, ssize_t len)
{
	const struct tp_wire_head *h = &m->head;

	if (len < (ssize_t)sizeof(*h) || h->magic != TP_WIRE_MAGIC ||
		h->version != TP_WIRE_VERSION || h->len != (size_t)len ||
		h->len < size_of_type(h->type))
		return -EPROTO;
	if (h->type == TP_WIRE_ERROR || h->type == TP_WIRE_NOTE)
		m->error.text[TP_WIRE_TEXT_MAX - 1] = 0;
	if (h->type == TP_WIRE_PROGRAM)
		m->program.name[TP_NAME_MAX - 1] = 0;
	if (h->type == TP_WIRE_INFO_REPLY)
		m->info.group[TP_NAME_MAX - 1] = 0;
	return 0;
}

int tp_client_receive(struct tp_client *c, int wait, union tp_message *ret_message)
{
	int resets = 0;
	ssize_t n;

	/*
	 * A peer that ended with requests of ours unread leaves a reset, told once, before what it
	 * had still said.
	 */
	do
		n = recv(c->fd, ret_message, sizeof(*ret_message), wait ? 0 : MSG_DONTWAIT);
	while (n < 0 && (errno == EINTR || (errno == ECONNRESET && !resets++)));
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	if (!n)
		return -EPIPE;
	return check(ret_message, n);
}

int tp_client_wait(struct tp_client *c, uint32_t seq, union tp_message *ret_message)
{
	int err;

	do
		err = tp_client_receive(c, 1, ret_message);
	while (!err && ret_message->head.seq != seq);
	return err;
}

int tp_client_info(struct tp_client *c, struct tp_wire_info *ret_info)
{
	union tp_message m;
	uint32_t seq;
	int err = tp_client_ask(c, TP_WIRE_INFO, &seq);

	if (!err)
		err = tp_client_wait(c, seq, &m);
	if (err)
		return err;
	if (m.head.type != TP_WIRE_INFO_REPLY)
		return m.head.type == TP_WIRE_ERROR && m.error.error ? m.error.error : -EPROTO;
	*ret_info = m.info;
	return 0;
}
