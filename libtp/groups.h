/* SPDX-License-Identifier: MIT */
#ifndef TPI_GROUPS_H
#define TPI_GROUPS_H

#include "core.h"

/*
 * Connects to a group's supervisor: by name; by the path of its directory, if there is a '/' in it;
 * NULL: the only one that lives. Return: a socket; negative errno with its text for tp_why.
 */
int tpi_groups_connect(const char *group) TPI_HIDDEN;

#endif
