/* SPDX-License-Identifier: MIT */
/* What clients ask for. */
#ifndef TP_SUPERVISE_REQUESTS_H
#define TP_SUPERVISE_REQUESTS_H

#include "supervise/client.h"

/* One message of n bytes with its descriptors, which are taken over. */
void tp_request_take(struct tp_client *c, const void *msg, size_t n, const int *fds, uint32_t nfds);

/* A message whose rest or descriptors got lost (-EMSGSIZE, -EMFILE); its first bytes are in msg, as
 * for a launch, or 0. */
void tp_request_broken(struct tp_client *c, const void *msg, int error);

/* c has disconnected: nobody is told about its programs any more; they are hung up. */
void tp_requests_client_gone(struct tp_client *c);

#endif
