/* SPDX-License-Identifier: MIT */
/* Whose memory a pointer is, for the calls that hand pointers over. */
#ifndef TPI_OWNER_H
#define TPI_OWNER_H

#include "core.h"
#include <tp/member.h>

/* As tp_owner_of, in a group, without a reason: 0 or -EFAULT. */
int tpi_owner_find(const void *ptr, struct tp_owner *ret_owner) TPI_HIDDEN;

/* A pointer that whoever receives it, or this process, cannot follow: tpi_fail's text names what it
 * is and whose. Return: -EFAULT. */
int tpi_pointer_refuse(const void *ptr) TPI_HIDDEN __attribute__((cold));

/* May this process hand ptr to others, or follow it? A satellite reaches the segment alone. Return:
 * 0, -EFAULT. */
static inline int tpi_pointer_ok(const void *ptr)
{
	return tpi_likely(!tpi_self.satellite) || tpi_in_segment(ptr, 1) ? 0
									 : tpi_pointer_refuse(ptr);
}

#endif
