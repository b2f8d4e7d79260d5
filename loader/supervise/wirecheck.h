/* SPDX-License-Identifier: MIT */
/* What a client's bytes must look like before anything is done with them. Pure; fuzzed. */
#ifndef TP_SUPERVISE_WIRECHECK_H
#define TP_SUPERVISE_WIRECHECK_H

#include <stddef.h>
#include <stdint.h>

#include "tp/abi/wire.h"

/*
 * Checks one received message: head, version, type, exact length, every count and every terminated
 * string in it. `nfds` descriptors came with it. Return: NULL: good; else what is wrong with it, in
 * words. The message is 8-aligned.
 */
const char *tp_wire_check(const void *msg, size_t len, uint32_t nfds);

/* Descriptors that the whole launch brings: blob, working directory, root, the caller's. */
uint32_t tp_wire_launch_fds(const struct tp_wire_launch *launch);

/* A launch's strings, taken apart. Pointers into the blob. */
struct tp_wire_strings {
	const int32_t *targets;
	const char **argv; /* NULL-terminated, then envp, NULL-terminated: one allocation */
	const char **envp;
};

/*
 * Checks and splits a blob of launch->blob_len bytes plus one NUL that the caller has put behind
 * it. Return: NULL: good, ret->argv is to be freed; else what is wrong.
 */
const char *tp_wire_split(
	const struct tp_wire_launch *launch, const char *blob, struct tp_wire_strings *ret);

#endif
