/* SPDX-License-Identifier: MIT */
#ifndef TPI_SEGMENT_MAP_H
#define TPI_SEGMENT_MAP_H

#include "core.h"

/*
 * Maps the group segment and its heap at their places. `over`: what lies there is an earlier
 * mapping of the same kind; else nothing may. Return: 0; -EADDRINUSE: something is there, and
 * tp_why names it; -EPROTO, -ENOMEM and others.
 */
int tpi_segment_map(int fd, int heap_fd, uint64_t heap_size, bool over) TPI_HIDDEN;
void tpi_segment_unmap(void) TPI_HIDDEN;

#endif
