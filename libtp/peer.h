/* SPDX-License-Identifier: MIT */
/* Reading the registry. In a group only. */
#ifndef TPI_PEER_H
#define TPI_PEER_H

#include "core.h"
#include <tp/member.h>

struct tpi_peer {
	struct tp_peer_info info;
	bool started; /* its first instruction was reached */
	bool left;    /* by executing another file */
	int32_t wait_status;
};

/* How many entries have ever been used: the others need not be looked at. */
uint32_t tpi_registry_used(void) TPI_HIDDEN;

/* false: the entry is nobody's, or changes hands this moment. */
bool tpi_peer_read(uint32_t index, struct tpi_peer *ret) TPI_HIDDEN;
bool tpi_peer_lives(const struct tp_peer_info *peer) TPI_HIDDEN;

#endif
