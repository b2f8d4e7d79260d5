/* SPDX-License-Identifier: MIT */
/* See procmaps.h. Works line by line over one buffer that is refilled; a line is at most a path
 * long. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "supervise/procmaps.h"

enum { BUFFER = 64 << 10 };

struct reader {
	int fd;
	size_t at, end;
	char buf[BUFFER + 1];
};

/* Return: length of the next line without its newline, at r->buf + r->at; -1: no more. */
static ssize_t next_line(struct reader *r)
{
	for (;;) {
		char *nl = memchr(r->buf + r->at, '\n', r->end - r->at);
		ssize_t n;

		if (nl)
			return nl - (r->buf + r->at);
		memmove(r->buf, r->buf + r->at, r->end - r->at);
		r->end -= r->at;
		r->at = 0;
		n = r->end < BUFFER ? read(r->fd, r->buf + r->end, BUFFER - r->end) : 0;
		if (n <= 0)
			return -1;
		r->end += (size_t)n;
	}
}

static uint64_t hex(const char **at)
{
	uint64_t v = 0;

	for (;; (*at)++) {
		char c = **at;
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
						   : -1;

		if (digit < 0)
			return v;
		v = v << 4 | (uint64_t)digit;
	}
}

/* "55d0-55d1 r-xp 00000000 fe:00 123   /path": the digits first; smaps' other lines open with a
 * capital. */
static bool parse_range(const char *line, struct tp_mapping *ret)
{
	const char *at = line;

	ret->lo = hex(&at);
	if (at == line || *at++ != '-')
		return false;
	ret->hi = hex(&at);
	ret->rss = 0;
	ret->path = at;
	return *at == ' ';
}

static void scan(struct reader *r, void (*each)(void *arg, const struct tp_mapping *m), void *arg,
	bool details)
{
	struct tp_mapping m = {0}, now;
	ssize_t len;

	while ((len = next_line(r)) >= 0) {
		const char *line = r->buf + r->at;

		if (parse_range(line, &now)) {
			if (details && m.hi)
				each(arg, &m);
			m = now;
			if (!details)
				each(arg, &m);
			else
				m.path = "\n";
		} else if (!strncmp(line, "Rss:", 4)) {
			m.rss = strtoull(line + 4, NULL, 10) << 10;
		}
		r->at += (size_t)len + 1;
	}
	if (details && m.hi)
		each(arg, &m);
}

int tp_procmaps_each(
	pid_t pid, const char *file, void (*each)(void *arg, const struct tp_mapping *m), void *arg)
{
	struct reader *r;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = malloc(sizeof(*r));
	if (r) {
		r->fd = fd;
		r->at = r->end = 0;
		r->buf[BUFFER] = '\0';
		scan(r, each, arg, !strcmp(file, "smaps"));
		free(r);
	}
	close(fd);
	return r ? 0 : -ENOMEM;
}

struct leap {
	uint64_t (*each)(void *arg, const struct tp_mapping *m);
	void *arg;
	uint64_t from;
};

static void leap_line(void *arg, const struct tp_mapping *m)
{
	struct leap *l = arg;

	if (m->hi > l->from)
		l->from = l->each(l->arg, m);
}

int tp_procmaps_leap_by_text(pid_t pid, uint64_t (*each)(void *arg, const struct tp_mapping *m), void *arg)
{
	struct leap l = {each, arg, 0};

	return tp_procmaps_each(pid, "maps", leap_line, &l);
}

/* struct procmap_query of linux/fs.h, which build machines may lack. */
struct query {
	uint64_t size, flags, addr;
	uint64_t lo, hi, vma_flags, page_size, offset, inode;
	uint32_t dev[2], name_size, build_id_size;
	uint64_t name, build_id;
};

#define PROCMAP_QUERY	 _IOWR('f', 17, struct query)
#define COVERING_OR_NEXT UINT64_C(0x10)

int tp_procmaps_leap(pid_t pid, uint64_t (*each)(void *arg, const struct tp_mapping *m), void *arg)
{
	struct query q = {.size = sizeof(q), .flags = COVERING_OR_NEXT};
	char path[64];
	int fd, r;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((r = ioctl(fd, PROCMAP_QUERY, &q)) >= 0)
		q.addr = each(arg, &(struct tp_mapping){.lo = q.lo, .hi = q.hi, .path = "\n"});
	r = errno == ENOENT ? 0 : -errno;
	close(fd);
	return r == -ENOTTY ? tp_procmaps_leap_by_text(pid, each, arg) : r;
}

static void count_one(void *arg, const struct tp_mapping *m)
{
	(void)m;
	++*(int *)arg;
}

int tp_procmaps_count(pid_t pid)
{
	int n = 0, r = tp_procmaps_each(pid, "maps", count_one, &n);

	return r < 0 ? r : n;
}
