/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_IMAGE_CACHE_H
#define TP_LOADER_IMAGE_CACHE_H

#include <stdbool.h>

#include "exec-file.h"
#include "plan.h"

/*
 * Remembers what the checks and plans of the last few ELF files came to, so that the same program,
 * or the same interpreter, started again costs one open and one look at its identity.
 *
 * A file is the same if device, inode, size, mode, owner, mtime and ctime are; one that was changed
 * less than two seconds before it was looked at is not remembered, for the clock of its file system
 * might not tell the next change from that one. No descriptor is kept, so that nothing is pinned.
 * Files inside a root directory are not remembered. (One thing goes unnoticed: a file system that
 * is remounted noexec.)
 *
 * Not thread-safe: a cache belongs to one thread.
 */
struct tp_image_cache;

/* tp_image_cache_create - NULL: no memory. A NULL cache is valid and remembers nothing. */
struct tp_image_cache *tp_image_cache_create(void);

/* tp_image_cache_destroy - takes NULL; returns NULL. */
struct tp_image_cache *tp_image_cache_destroy(struct tp_image_cache *cache);

/* One file. Valid until the next tpi_image_cache_put. */
struct tpi_image_memory {
	const char *realpath;
	const struct tp_plan *plan;
};

/*
 * tpi_image_cache_open - open path if it is known and has not changed.
 * @interp: whether it was planned as an interpreter
 * Returns true: ret_file holds a descriptor, and no check needs to be made again. False: nothing is
 * known, or it has changed; nothing is open.
 */
bool tpi_image_cache_open(struct tp_image_cache *cache, const struct tpi_where *where,
			  const char *path, bool interp, struct tpi_exec_file *ret_file,
			  struct tpi_image_memory *ret_memory);

/* tpi_image_cache_put - remember a file that has passed all checks. Everything is copied. */
void tpi_image_cache_put(struct tp_image_cache *cache, const char *path, bool interp,
			 const struct stat *st, const char *realpath, const struct tp_plan *plan);

#endif
