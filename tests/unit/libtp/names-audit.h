/* SPDX-License-Identifier: MIT */
#ifndef TP_TESTS_NAMES_AUDIT_H
#define TP_TESTS_NAMES_AUDIT_H

#include <stdint.h>

struct names_audit {
	uint32_t reached;	/* entries in chains */
	uint32_t lost;		/* claimed, but in no chain */
	uint32_t bad;		/* in a chain and free, twice in one, or in a bucket that is not theirs */
};

/* While nobody changes anything. */
struct names_audit names_audit(void);

/* Takes back what the dead have left, wherever entries have been given out. */
void names_audit_sweep(void);

#endif
