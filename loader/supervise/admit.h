/* SPDX-License-Identifier: MIT */
/* Who may be started: every rule that is not about the file itself. */
#ifndef TP_SUPERVISE_ADMIT_H
#define TP_SUPERVISE_ADMIT_H

#include "image.h"
#include "supervise/group.h"

enum {
	TP_ADMIT_VMAS_EXTRA = 16,  /* what a small program maps besides its images */
	TP_ADMIT_VMAS_SPARE = 200, /* must remain, so that running programs can go on */
};

/* A live host, room in the map count, one sanitizer of a kind, a fixed address that is free. */
int tp_admit(
	struct tp_group *g, const struct tp_image *image, const char *name, struct tp_error *err);

/* A unit for a new program. */
int tp_admit_unit(struct tp_group *g, uint64_t id, uint32_t *ret_unit, const char *name,
	struct tp_error *err);

#endif
