/* SPDX-License-Identifier: MIT */
/*
 * struct tp_buffer: memory that says how long it is and what is in it, so that a receiver in another language can use it as it stands.
 *
 * A pointer alone is enough between C programs that agree on a type. Python's module `tp` publishes, sends and receives pointers to this
 * struct, and makes memoryviews and numpy arrays of it without a copy. A C program fills one in and publishes or sends its address.
 *
 * Struct and data may be one block of the group's heap (data behind the struct) or two; who frees the struct frees the data only in the
 * first case. Nothing here is a call: the struct is all there is to it.
 */
#ifndef TP_BUFFER_H
#define TP_BUFFER_H

#include <tp/base.h>

#define TP_BUFFER_MAGIC		UINT32_C(0x46425054)	/* the bytes "TPBF" */
#define TP_BUFFER_DIMENSIONS	8

#define TP_BUFFER_READONLY	0x1u	/* the receiver is asked not to write */
#define TP_BUFFER_ONE_BLOCK	0x2u	/* data lies behind the struct in its block: one tp_free for both */

struct tp_buffer {
	uint32_t magic;		/* TP_BUFFER_MAGIC */
	uint32_t flags;		/* TP_BUFFER_* */
	void *data;
	uint64_t size;		/* bytes: itemsize times all of shape */
	uint32_t itemsize;	/* bytes of one element; of a kind that `format` names */
	uint32_t dimensions;	/* at most TP_BUFFER_DIMENSIONS; 0: one element */
	char format[8];		/* one letter of Python's struct module: "d" double, "f" float, "i" int, "q" long long, "B" bytes */
	uint64_t shape[TP_BUFFER_DIMENSIONS]; /* elements along each dimension, the last one contiguous (as in C) */
	uint64_t reserved[3];
};

#ifdef __cplusplus
static_assert(sizeof(struct tp_buffer) == 128, "frozen: programs of several versions share it");
#else
_Static_assert(sizeof(struct tp_buffer) == 128, "frozen: programs of several versions share it");
#endif

#endif
