/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_IMAGE_H
#define TP_LOADER_IMAGE_H

#include <stdbool.h>

#include "plan.h"
#include "resolve.h"

/*
 * Everything about one program that is known before memory is touched: the executable and, if it
 * names one, its interpreter, each found, opened, checked and planned.
 */
struct tp_image {
	struct tp_target exe;
	struct tp_plan plan;
	bool has_interp;
	struct tp_target interp;
	struct tp_plan interp_plan; /* valid if has_interp; else it has no maps */
};

/*
 * tp_image_open - tp_resolve, tp_plan_read, and the same for the interpreter, in one call.
 * Returns 0 or a negative errno with the reason in err; nothing is left open on failure.
 */
int tp_image_open(const struct tp_resolve_spec *spec, struct tp_image *ret_image,
		  struct tp_error *err);

/* tp_image_fini - close and release; harmless on one that was finished. */
void tp_image_fini(struct tp_image *image);

#endif
