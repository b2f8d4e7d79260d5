/* SPDX-License-Identifier: MIT */
/*
 * One connection. Nothing here blocks: what a client does not read is queued up to a bound, then
 * the client is dropped. Its programs stay.
 */
#ifndef TP_SUPERVISE_CLIENT_H
#define TP_SUPERVISE_CLIENT_H

#include "supervise/group.h"
#include "tp/abi/wire.h"

struct tp_request; /* launch.h: a launch whose descriptors are still arriving */

struct tp_out {
	STAILQ_ENTRY(tp_out) link;
	uint32_t len;
	char bytes[];
};

struct tp_client {
	struct tp_watch watch;
	struct tp_timer patience; /* for a half-sent launch */
	struct tp_group *group;
	LIST_ENTRY(tp_client) link;
	STAILQ_HEAD(, tp_out) out;
	size_t queued;
	int64_t since_ns; /* CLOCK_BOOTTIME: when it was accepted */
	int pidfd; /* of the peer, known once it has launched; -1 */
	struct tp_request *request;
	bool judged;       /* `refusal` is known */
	char refusal[160]; /* why this peer may not change anything; empty: it may */
};

/* Takes sock over. Return: NULL: no memory. */
struct tp_client *tp_client_create(struct tp_group *g, int sock);

/* Disconnects; freed after the current batch of events. Harmless twice. */
void tp_client_drop(struct tp_client *c);
/* The last words: what is queued is sent, as far as clients take it in that time. */
void tp_clients_drain(struct tp_group *g, int ms);
void tp_clients_free_closed(struct tp_group *g);

/* Sending: a NULL client is nobody. */
void tp_client_send(struct tp_client *c, void *msg, size_t len, uint32_t type, uint32_t seq);
void tp_client_ok(struct tp_client *c, uint32_t seq);
/* With descriptors, which stay the caller's. They cannot be queued: a client that has not read what it asked for before is dropped. */
void tp_client_send_fds(struct tp_client *c, void *msg, size_t len, uint32_t type, uint32_t seq,
	const int *fds, uint32_t nfds);
void tp_client_error(struct tp_client *c, uint32_t seq, const struct tp_error *err);
void tp_client_event(struct tp_client *c, uint32_t seq, uint32_t type, uint64_t id, int64_t value);

/* A line for people. */
__attribute__((format(printf, 2, 3))) void tp_client_note(
	struct tp_client *c, const char *fmt, ...);
#define tp_group_note(g, ...) tp_client_note((g)->first, __VA_ARGS__)

#endif
