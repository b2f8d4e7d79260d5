/* SPDX-License-Identifier: MIT */
/* Satellites from containers. */
#ifndef TP_SUPERVISE_INVITED_H
#define TP_SUPERVISE_INVITED_H

#include "supervise/client.h"

/*
 * Has somebody mounted this group's directory into the mount namespace of this peer? Then that was
 * meant: it may attach, though it has less than the group otherwise. Only for peers in the group's
 * own user namespace: in another one the peer could have mounted it itself.
 */
bool tp_invited(const struct tp_client *c);

#endif
