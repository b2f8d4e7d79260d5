/* SPDX-License-Identifier: MIT */
/*
 * --shared-malloc: the group has one private region for all programs' malloc, and each program that
 * is dynamically linked gets libtp-malloc.so in front of its LD_PRELOAD.
 */
#ifndef TP_SUPERVISE_PRELOAD_H
#define TP_SUPERVISE_PRELOAD_H

#include "error.h"

struct tp_client;
struct tp_group;
struct tp_launching;

/* The environment of one launch. */
struct tp_preload {
	const char **envp; /* NULL: as the caller's */
	char **made;       /* the strings that were made for it, NULL-terminated */
};

/* Before the host is started: it maps what the segment's header asks for. */
void tp_preload_init(struct tp_group *g);

/*
 * Decides whether this program gets the library, and makes its environment. Return: 0; -EINVAL:
 * it was asked for and cannot be had; -ENOMEM.
 */
int tp_preload_admit(
	struct tp_launching *l, struct tp_client *c, const char *name, struct tp_error *err);
void tp_preload_fini(struct tp_preload *p);

#endif
