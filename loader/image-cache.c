/* SPDX-License-Identifier: MIT */
/*
 * What is known of ELF files looked at before. See image-cache.h.
 *
 * A few entries in an array, looked through one by one; the one used longest ago makes room.
 */
#include "image-cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	ENTRIES = 32,
	SETTLED_S = 2, /* no file system has a coarser clock */
};

struct entry {
	char *path; /* as it was opened; NULL: unused */
	char *realpath;
	bool interp;
	uint64_t used;
	struct stat st;
};

struct tp_image_cache {
	uint64_t clock; /* counts uses */
	struct entry entry[ENTRIES];
	/* Apart: what is looked through stays small, and plans that are not used cost no memory. */
	struct tp_plan plan[ENTRIES];
};

static struct tp_plan *plan_of(struct tp_image_cache *cache, const struct entry *e)
{
	return &cache->plan[e - cache->entry];
}

struct tp_image_cache *tp_image_cache_create(void)
{
	return calloc(1, sizeof(struct tp_image_cache));
}

static void forget(struct entry *e)
{
	free(e->path);
	free(e->realpath);
	e->path = e->realpath = NULL;
	e->used = 0;
}

struct tp_image_cache *tp_image_cache_destroy(struct tp_image_cache *cache)
{
	for (int i = 0; cache && i < ENTRIES; i++)
		forget(&cache->entry[i]);
	free(cache);
	return NULL;
}

static struct entry *find(struct tp_image_cache *cache, const char *path, bool interp)
{
	for (int i = 0; i < ENTRIES; i++) {
		struct entry *e = &cache->entry[i];

		if (e->path && e->interp == interp && strcmp(e->path, path) == 0)
			return e;
	}
	return NULL;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
		&& a->st_mode == b->st_mode && a->st_uid == b->st_uid && a->st_gid == b->st_gid
		&& same_time(&a->st_mtim, &b->st_mtim) && same_time(&a->st_ctim, &b->st_ctim);
}

/* The directories above may have been renamed, and a link turned: the real path must still lead to
 * the file. An interpreter's is only shown to people. */
static bool is_still_real(const struct entry *e)
{
	struct stat st;

	if (e->interp || strcmp(e->path, e->realpath) == 0)
		return true;
	return stat(e->realpath, &st) == 0 && st.st_dev == e->st.st_dev
		&& st.st_ino == e->st.st_ino;
}

bool tpi_image_cache_open(struct tp_image_cache *cache, const struct tpi_where *where,
	const char *path, bool interp, struct tpi_exec_file *ret_file,
	struct tpi_image_memory *ret_memory)
{
	struct entry *e = cache && where->root_fd < 0 ? find(cache, path, interp) : NULL;
	struct stat st;
	int fd;

	if (!e)
		return false;
	fd = tpi_where_open(where, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0 || !same_file(&st, &e->st) || !is_still_real(e)) {
		close(fd);
		forget(e);
		return false;
	}
	e->used = ++cache->clock;
	*ret_file = (struct tpi_exec_file){ .fd = fd, .st = st };
	*ret_memory = (struct tpi_image_memory){ .realpath = e->realpath, .plan = plan_of(cache, e) };
	return true;
}

static bool has_settled(const struct stat *st)
{
	struct timespec now;
	int64_t limit;

	clock_gettime(CLOCK_REALTIME, &now);
	limit = now.tv_sec - SETTLED_S;
	return st->st_mtim.tv_sec < limit && st->st_ctim.tv_sec < limit;
}

static struct entry *find_oldest(struct tp_image_cache *cache)
{
	struct entry *oldest = &cache->entry[0];

	for (int i = 1; i < ENTRIES; i++)
		if (cache->entry[i].used < oldest->used)
			oldest = &cache->entry[i];
	return oldest;
}

void tpi_image_cache_put(struct tp_image_cache *cache, const char *path, bool interp,
	const struct stat *st, const char *realpath, const struct tp_plan *plan)
{
	struct entry *e;

	if (!cache || realpath[0] != '/' || !has_settled(st))
		return;
	e = find(cache, path, interp);
	if (!e)
		e = find_oldest(cache);
	forget(e);
	e->path = strdup(path);
	e->realpath = strdup(realpath);
	if (!e->path || !e->realpath) {
		forget(e);
		return;
	}
	e->interp = interp;
	e->st = *st;
	e->used = ++cache->clock;
	tp_plan_copy(plan, plan_of(cache, e));
}
