/* SPDX-License-Identifier: MIT */
/* The group segment in a process that was not made by the loader. What is in the way is named as
 * /proc/self/maps has it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <string.h>
#include <unistd.h>

#include "link.h"
#include "segment-map.h"
#include "syscall.h"

/* What this process, or the one it was forked from, has mapped. */
static uint64_t mapped, mapped_heap;

static long map(uint64_t at, uint64_t size, int fd, bool over)
{
	long r = arch_syscall6(ARCH_NR_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE | (over ? MAP_FIXED : MAP_FIXED_NOREPLACE), fd, 0);

	if (r == (long)at)
		return 0;
	if ((unsigned long)r > -4096UL)
		return r;
	arch_syscall3(ARCH_NR_munmap, r, (long)size,
		0); /* a kernel that does not know NOREPLACE takes it for a hint */
	return -EEXIST;
}

static void unmap(uint64_t at, uint64_t size)
{
	arch_syscall3(ARCH_NR_munmap, (long)at, (long)size, 0);
}

/* One line of /proc/self/maps a time. */
struct lines {
	int fd;
	size_t len, at;
	char room[4096 + 256];
};

static char *next_line(struct lines *l)
{
	for (;;) {
		char *start = l->room + l->at, *end = memchr(start, '\n', l->len - l->at);
		long n;

		if (end) {
			*end = '\0';
			l->at = (size_t)(end + 1 - l->room);
			return start;
		}
		memmove(l->room, start, l->len - l->at);
		l->len -= l->at;
		l->at = 0;
		if (l->len == sizeof(l->room))
			return NULL;
		n = arch_syscall3(ARCH_NR_read, l->fd, (long)(l->room + l->len),
			(long)(sizeof(l->room) - l->len));
		if (n <= 0)
			return NULL;
		l->len += (size_t)n;
	}
}

static uint64_t hex(const char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

/* "7f..-7f.. rw-p 00000000 00:00 0    /path": does it overlap, and what does it name? */
static const char *overlaps(const char *line, uint64_t lo, uint64_t hi, uint64_t *ret_at)
{
	const char *at = line, *name;
	uint64_t from = hex(&at), to;

	if (*at++ != '-')
		return NULL;
	to = hex(&at);
	if (to <= lo || from >= hi)
		return NULL;
	*ret_at = from;
	name = strpbrk(at, "/[");
	return name ? name : "memory without a name";
}

static int name_what_is_there(uint64_t lo, uint64_t size)
{
	struct lines l = {.fd = (int)arch_syscall6(ARCH_NR_openat, AT_FDCWD,
				  (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0)};
	const char *what = NULL;
	uint64_t at = 0;
	char *line;

	while (l.fd >= 0 && !what && (line = next_line(&l)))
		what = overlaps(line, lo, lo + size, &at);
	if (what)
		tpi_fail(-EADDRINUSE, "the group segment has to lie at %x, and at %x there is %s",
			lo, at, what);
	else
		tpi_fail(-EADDRINUSE, "the group segment has to lie at %x, and something is there",
			lo);
	tpi_link_close(l.fd);
	return -EADDRINUSE;
}

static int failed(long error, uint64_t at, uint64_t size)
{
	if (error == -EEXIST)
		return name_what_is_there(at, size);
	if (error == -ENOMEM)
		return tpi_fail(-ENOMEM,
			"%u bytes of address space for the group segment cannot be had (raise "
			"ulimit -v)",
			size);
	return tpi_fail(
		(int)error, "the group segment cannot be mapped: error %d", (int64_t)-error);
}

/* The whole file: the supervisor has sealed its length. */
static int map_control(int fd, bool over, uint64_t *ret_size, bool *ret_mapped)
{
	const struct tp_segment *s = (const struct tp_segment *)TP_SEGMENT_BASE;
	int64_t have = arch_syscall3(ARCH_NR_lseek, fd, 0, SEEK_END);
	long r;

	if (have < (int64_t)TP_SEGMENT_REGISTRY_OFF || have > (int64_t)TP_SEGMENT_SIZE)
		return tpi_fail(-EPROTO, "what the group sent is no group segment");
	*ret_size = (uint64_t)have;
	r = map(TP_SEGMENT_BASE, (uint64_t)have, fd, over);
	if (r < 0)
		return failed(r, TP_SEGMENT_BASE, (uint64_t)have);
	*ret_mapped = true;
	if (s->size > (uint64_t)have)
		return tpi_fail(-EPROTO,
			"the group segment says that it has %u bytes, and its file has %u", s->size,
			(uint64_t)have);
	return tpi_check_version(s);
}

int tpi_segment_map(int fd, int heap_fd, uint64_t heap_size, bool over)
{
	uint64_t size = 0;
	bool control = false;
	int r = map_control(fd, over, &size, &control);
	long m;

	if (!r) {
		m = map(TP_HEAP_BASE, heap_size, heap_fd, over);
		r = m < 0 ? failed(m, TP_HEAP_BASE, heap_size) : 0;
	}
	if (!r) {
		arch_syscall3(ARCH_NR_madvise, (long)TP_HEAP_BASE, (long)heap_size, MADV_HUGEPAGE);
		mapped = size;
		mapped_heap = heap_size;
	} else if (control && !over) {
		unmap(TP_SEGMENT_BASE, size);
	}
	return r;
}

void tpi_segment_unmap(void)
{
	unmap(TP_SEGMENT_BASE, mapped);
	unmap(TP_HEAP_BASE, mapped_heap);
}
