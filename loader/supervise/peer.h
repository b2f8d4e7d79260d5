/* SPDX-License-Identifier: MIT */
/* Who is at the other end of a connection. */
#ifndef TP_SUPERVISE_PEER_H
#define TP_SUPERVISE_PEER_H

#include "supervise/client.h"

/* The peer's user may talk to this group at all: its owner, or root. */
bool tp_peer_user_ok(int sock);

/* Who connected, as the kernel noted it then. Return: 0: nobody who can be seen from here. */
pid_t tp_peer_pid(int sock);
/* The same. Return: a pidfd, or negative errno. */
int tp_peer_pidfd(int sock);

bool tp_peer_has_ended(int pidfd);

/* Do both see the same there: "root", or "ns/" and a kind of namespace? One that this kernel lacks is the same for all. */
bool tp_peer_shares(pid_t pid, const char *which);

/*
 * Why this peer may not change anything here: what it launched would run outside a sandbox,
 * namespace or group set that holds the peer. Looked at once a connection. Return: NULL: it may.
 */
const char *tp_peer_refusal(struct tp_client *c);

#endif
