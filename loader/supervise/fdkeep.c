/* SPDX-License-Identifier: MIT */
/*
 * See fdkeep.h. A hash over (program, key), and for each program the list of what is its own.
 *
 * An eventfd is shared with whoever put it: its flags and its count may be anything by the time it
 * is written. It is written only when poll says that there is room, and made non-blocking before,
 * each time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "supervise/fdkeep.h"

enum { SPARE = 64, SHARE = 4, ROOM_MAX = 1 << 18 };

struct tp_kept {
	LIST_ENTRY(tp_kept) bucket, mine, watching;
	struct tp_prog *owner;
	uint64_t id, key;
	int fd;
	bool watch;
};

static uint32_t hash(uint64_t id, uint64_t key)
{
	return (uint32_t)(((id * 31 + key) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % TP_KEPT_BUCKETS;
}

static struct tp_kept *find(const struct tp_group *g, uint64_t id, uint64_t key)
{
	struct tp_kept *k;

	LIST_FOREACH (k, &g->kept[hash(id, key)], bucket)
		if (k->id == id && k->key == key)
			return k;
	return NULL;
}

/* Partner: tpi_birth in loader/host/child.c, which sets its state first and then looks here.
 * Whoever has asked to watch, got its answer and does not see the new state is therefore seen by
 * the program. */
static void count_watchers(struct tp_group *g, int32_t by)
{
	g->nwatching = (uint32_t)((int32_t)g->nwatching + by);
	__atomic_store_n(&g->seg.at->watchers, g->nwatching, __ATOMIC_SEQ_CST);
}

static struct tp_kept *destroy(struct tp_kept *k)
{
	if (!k)
		return NULL;
	LIST_REMOVE(k, bucket);
	LIST_REMOVE(k, mine);
	if (k->watch) {
		LIST_REMOVE(k, watching);
		count_watchers(k->owner->group, -1);
	}
	k->owner->nkept--;
	k->owner->group->nkept--;
	close(k->fd);
	free(k);
	return NULL;
}

uint32_t tp_fdkeep_room(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur < SPARE)
		return 0;
	return files.rlim_cur > ROOM_MAX * SHARE ? ROOM_MAX
						 : (uint32_t)(files.rlim_cur - SPARE) / SHARE;
}

static bool is_eventfd(int fd)
{
	char path[48], is[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, is, sizeof(is) - 1);
	if (n < 0)
		return false;
	is[n] = '\0';
	return !strcmp(is, "anon_inode:[eventfd]");
}

static int may_put(const struct tp_prog *p, int fd, bool watch)
{
	if (p->nkept >= TP_KEPT_MAX)
		return -EMFILE;
	if (p->group->nkept >= tp_fdkeep_room())
		return -ENFILE;
	return watch && !is_eventfd(fd) ? -EINVAL : 0;
}

int tp_fdkeep_put(struct tp_prog *p, uint64_t key, int fd, bool watch)
{
	struct tp_group *g = p->group;
	struct tp_kept *k;
	int r;

	destroy(find(g, p->id, key));
	r = may_put(p, fd, watch);
	k = r < 0 ? NULL : malloc(sizeof(*k));
	if (!k) {
		close(fd);
		return r < 0 ? r : -ENOMEM;
	}
	*k = (struct tp_kept){.owner = p, .id = p->id, .key = key, .fd = fd, .watch = watch};
	LIST_INSERT_HEAD(&g->kept[hash(p->id, key)], k, bucket);
	LIST_INSERT_HEAD(&p->kept, k, mine);
	if (watch) {
		LIST_INSERT_HEAD(&g->watching, k, watching);
		count_watchers(g, 1);
	}
	p->nkept++;
	g->nkept++;
	return 0;
}

int tp_fdkeep_get(const struct tp_group *g, uint64_t owner, uint64_t key)
{
	const struct tp_kept *k = find(g, owner, key);

	return k ? k->fd : -ENOENT;
}

void tp_fdkeep_drop(struct tp_prog *p, uint64_t key)
{
	destroy(find(p->group, p->id, key));
}

void tp_fdkeep_forget(struct tp_prog *p)
{
	while (!LIST_EMPTY(&p->kept))
		destroy(LIST_FIRST(&p->kept));
}

static void ring_one(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int flags = fcntl(fd, F_GETFL);
	const uint64_t one = 1;

	if (flags >= 0 && !(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	/* One that is full is readable: its owner will look. */
	if (poll(&p, 1, 0) == 1 && p.revents & POLLOUT && write(fd, &one, sizeof(one)) < 0)
		return;
}

void tp_fdkeep_ring(struct tp_group *g)
{
	const struct tp_kept *k;

	LIST_FOREACH (k, &g->watching, watching)
		ring_one(k->fd);
}
