/* SPDX-License-Identifier: MIT */
/*
 * What the kernel was built to give programs, as far as a group depends on it: the layout of
 * abi/tp/abi/layout.h is made for one page size and needs so many bits of addresses.
 */
#ifndef TP_SUPERVISE_MACHINE_H
#define TP_SUPERVISE_MACHINE_H

#include <stdint.h>

#include "error.h"

#define TP_MACHINE_BITS 47 /* of user addresses, at least */

struct tp_machine {
	uint64_t page_size;
	unsigned bits; /* of user addresses */
};

/* Of this process's own kernel. */
struct tp_machine tp_machine_here(void);

/* Return: 0, or a negative errno with the reason in err. */
int tp_machine_fits(const struct tp_machine *m, const char *group, struct tp_error *err);

#endif
