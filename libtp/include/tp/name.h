/* SPDX-License-Identifier: MIT */
/* Names: a pointer is published under a name with a type, found, waited for. */
#ifndef TP_NAME_H
#define TP_NAME_H

#include <tp/base.h>

#define TP_NAME_LENGTH_MAX	63	/* bytes, of a name and of a type; no control characters */

#define TP_PUBLISH_KEEP		0x1u	/* stays valid after the owner's death; the pointer must be in the group segment */
#define TP_PUBLISH_REPLACE	0x2u	/* this program's own entry of that name and type is replaced */

struct tp_name {
	void *ptr;
	tp_id owner;
	uint64_t generation;	/* of the entry: each publish of a name counts on */
	uint32_t flags;
	uint32_t alive;		/* 1: the owner runs */
	uint64_t handle;	/* for tp_name_check */
	char name[TP_NAME_LENGTH_MAX + 1];
	char type[TP_NAME_LENGTH_MAX + 1];
};

struct tp_name_cursor {
	uint64_t at;
	uint64_t reserved[3];
};

TP_BEGIN

/*
 * tp_publish - -EEXIST: a live program has it; -EINVAL: name or type is empty, too long or holds control characters;
 * -EFAULT: the pointer belongs to nobody in the group (or, with KEEP, is not in the segment); -ENOSPC: the table is full.
 * A dead owner's entry is taken over. Types of one name are told apart: ("book", "order@1") and ("book", "order@2") stand side by side.
 */
TP_API int tp_publish(const char *name, const void *ptr, const char *type, unsigned flags);

/*
 * tp_lookup - type NULL: whichever was published last. -ENOENT: no such name; -EPROTOTYPE: the name is there, but not with this
 * type (tp_why names both); -EOWNERDEAD: its owner has died (*ret_name is filled in; without KEEP its pointer is not to be used).
 */
TP_API int tp_lookup(const char *name, const char *type, struct tp_name *ret_name);

/* tp_wait - as tp_lookup, but waits for a live entry; -ETIMEDOUT. */
TP_API int tp_wait(const char *name, const char *type, int64_t timeout, struct tp_name *ret_name);

/* tp_unpublish - own entries only: -EPERM, -ENOENT. type NULL: all types of that name. */
TP_API int tp_unpublish(const char *name, const char *type);

/* tp_name_check - is what was looked up still what the name stands for? -ESTALE: replaced or unpublished; -EOWNERDEAD. A few ns. */
TP_API int tp_name_check(const struct tp_name *name);

/* tp_name_next - lists: start with a zeroed cursor. 1: an entry; 0: the end. */
TP_API int tp_name_next(struct tp_name_cursor *cursor, struct tp_name *ret_name);

TP_END
#endif
