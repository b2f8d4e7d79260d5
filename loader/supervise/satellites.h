/* SPDX-License-Identifier: MIT */
/*
 * What libtp asks for: of programs of the group, and of satellites, ordinary processes that have
 * attached to the group segment.
 *
 * A satellite has an id and a registry entry like a program, so that liveness, locks and watches
 * know it, but no slot. It is no child of ours: its pidfd tells of its death, and how it ended
 * stays unknown. It does not keep the group alive, and is left alone by stop.
 */
#ifndef TP_SUPERVISE_SATELLITES_H
#define TP_SUPERVISE_SATELLITES_H

#include "supervise/client.h"

/* May this client make it without being looked at as one who changes the group? Programs and
 * satellites may for themselves. */
bool tp_satellites_trusts(struct tp_client *c, uint32_t type);

/* A checked message of those types; the descriptors are taken over. */
void tp_satellites_request(
	struct tp_client *c, const struct tp_wire_head *m, const int *fds, uint32_t nfds);

#endif
