/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_WIRE_SEND_H
#define TP_TPRUN_WIRE_SEND_H

#include <stddef.h>

#include "tprun/client.h"

/* tp_wire_send - give a message its head, with a new seq, and send it. */
int tp_wire_send(
	struct tp_client *client, struct tp_wire_head *message, enum tp_wire_type type, size_t len);

/* tp_wire_send_fds - the same under a given seq, with descriptors (at most TP_WIRE_FDS_BATCH). */
int tp_wire_send_fds(struct tp_client *client, struct tp_wire_head *message, enum tp_wire_type type,
	size_t len, uint32_t seq, const int *fds, size_t nfds);

#endif
