/* SPDX-License-Identifier: MIT */
/*
 * Names: a program publishes a pointer under a name with a type; others look it up, or wait for it.
 *
 * Name and type are 1 to 63 bytes of UTF-8 without control characters (U+0000 to 1F, 7F to 9F). A name may be there with several types
 * side by side, each with an owner of its own: ("book", "order@1") for programs of yesterday, ("book", "order@2") for those of today. No
 * name and type ever has two live owners.
 *
 * When a program ends, in whatever way, its names are dead from the moment that it has been reaped; they are reported as such until
 * somebody takes them over by publishing, unpublishes them, or the table needs their room.
 *
 * All calls: thread-safe; do not allocate; lock-free, so that a program that is killed or stopped in one of them holds nobody up; in a
 * forked child -ENOTCONN. All but tp_wait never block. Not async-signal-safe, unless said otherwise, since they say in tp_why what failed.
 */
#ifndef TP_NAME_H
#define TP_NAME_H

#include <tp/base.h>

#define TP_NAME_LENGTH_MAX	63

#define TP_PUBLISH_KEEP		0x1u	/* stays good after the owner's death; the pointer must be in the group's heap */
#define TP_PUBLISH_REPLACE	0x2u	/* this program's own entry of that name and type is replaced, if there is one */

struct tp_name {
	void *ptr;
	tp_id owner;
	uint64_t generation;	/* grows with each publish of a name; no two entries that ever had this name and type share one */
	uint32_t flags;		/* TP_PUBLISH_KEEP */
	uint32_t alive;		/* 1: the owner runs */
	uint64_t handle[2];	/* for tp_name_check */
	char name[TP_NAME_LENGTH_MAX + 1];
	char type[TP_NAME_LENGTH_MAX + 1];
	uint64_t reserved[4];
};

/* Where a list is; zeroed: at its beginning. */
struct tp_name_cursor {
	uint64_t at;
	char name[TP_NAME_LENGTH_MAX + 1];
	char type[TP_NAME_LENGTH_MAX + 1];
	uint64_t reserved[3];
};

TP_BEGIN

/*
 * tp_publish - others find a pointer under a name.
 *
 * name, type: copied. ptr: into this program's own memory, or the group's heap; what it points to stays the caller's. In a satellite it
 * must be in the heap. flags: TP_PUBLISH_*.
 *
 * Takes the name over, if its owner has died. Everything that was written before is visible to those who find the name.
 *
 * Return: 0;
 *   -EEXIST  the name is there with this type: of another program that runs (tp_why names it), or of this one without
 *            TP_PUBLISH_REPLACE
 *   -EINVAL  name or type is NULL, empty, too long, not UTF-8 or has control characters; unknown flags
 *   -EFAULT  the pointer is of nobody in the group, or, with TP_PUBLISH_KEEP or in a satellite, not in the heap
 *   -ENOSPC  the table (261,119 names), or this name's list of types, is full; tp_why says which
 *   -EUCLEAN the table is damaged: a program has written to where it should not
 *
 * Context: see above. Since 0.1.
 */
TP_API int tp_publish(const char *name, const void *ptr, const char *type, unsigned flags);

/*
 * tp_lookup - what a name stands for now.
 *
 * type: NULL is any: the one that was published last among those whose owners run. *ret_name stays good as long as tp_name_check says so.
 *
 * Return: 0; with TP_PUBLISH_KEEP also when the owner has died (alive is 0 then);
 *   -ENOENT     no such name
 *   -EPROTOTYPE the name is there, but with another type; tp_why names both
 *   -EOWNERDEAD its owner has died; *ret_name is filled in, but its pointer must not be used
 *   -EFAULT     this is a satellite, and the pointer leads into its owner's own memory (tp_why names the owner); *ret_name is filled
 *               in, with ptr NULL
 *   -EINVAL, -EUCLEAN as tp_publish
 *
 * Context: see above. Since 0.1.
 */
TP_API int tp_lookup(const char *name, const char *type, struct tp_name *ret_name);

/*
 * tp_wait - as tp_lookup, but until the name is there with an owner that runs (or is kept).
 *
 * timeout: nanoseconds from now; TP_NOWAIT, TP_FOREVER. Another type of that name is waited out, as it may come, too.
 *
 * Return: 0; -ETIMEDOUT (tp_why says what was there instead); -EFAULT, -EINVAL, -EUCLEAN as tp_lookup.
 *
 * Context: blocks; a signal does not end the wait; else see above. Since 0.1.
 */
TP_API int tp_wait(const char *name, const char *type, int64_t timeout, struct tp_name *ret_name);

/*
 * tp_unpublish - the name is gone, from one moment to the next. What it stood for stays as it is.
 *
 * type: NULL is all types of that name that may be removed: those of this program, and those whose owners have died.
 *
 * Return: 0; -EPERM: it is of another program, which runs; -ENOENT; -EINVAL, -EUCLEAN as tp_publish;
 *   -ENOSPC: table and its reserve are full at this moment; nothing has changed, try again.
 *
 * Context: see above. Since 0.1.
 */
TP_API int tp_unpublish(const char *name, const char *type);

/*
 * tp_name_check - is what was looked up still what the name stands for? A few nanoseconds, unless names of the same hash have changed.
 *
 * Return: 0; -ESTALE: it was replaced, taken over or unpublished; -EOWNERDEAD: the owner has died (never with TP_PUBLISH_KEEP);
 *   -EINVAL: *name was not filled in by a look-up; -EUCLEAN.
 *
 * Context: see above. Since 0.1.
 */
TP_API int tp_name_check(const struct tp_name *name);

/*
 * tp_name_next - lists all names, those of the dead as well.
 *
 * cursor: zeroed at first; each call moves it on. Others may change names meanwhile: each name and type that is there all the time
 * is listed once, even if it is replaced.
 * In a satellite ptr is NULL where it leads into a program's own memory.
 *
 * Return: 1: *ret_name is filled in; 0: that was all; -EUCLEAN.
 *
 * Context: see above. Since 0.1.
 */
TP_API int tp_name_next(struct tp_name_cursor *cursor, struct tp_name *ret_name);

TP_END
#endif
