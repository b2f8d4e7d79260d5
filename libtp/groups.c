/* SPDX-License-Identifier: MIT */
/*
 * Where the groups of this user are: each has a directory with a control socket in
 * $XDG_RUNTIME_DIR/tprun, if that is the user's own, else in /tmp/tprun-UID
 * (loader/supervise/runtime-dir.h). Those directories are entered only if nobody else can write to
 * them; a directory that the caller names is taken as it is. Whoever takes a connection lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "groups.h"
#include "link.h"
#include "syscall.h"

enum { PATH_ROOM = 4096 };

static uint32_t own_uid(void)
{
	return (uint32_t)arch_syscall3(ARCH_NR_geteuid, 0, 0, 0);
}

static bool is_own_directory(const char *path)
{
	struct stat st;

	return path[0] == '/' &&
	       arch_syscall6(ARCH_NR_newfstatat, AT_FDCWD, (long)path, (long)&st, 0, 0, 0) == 0 &&
	       S_ISDIR(st.st_mode) && st.st_uid == own_uid();
}

static int format(char *to, size_t size, const char *how, ...)
{
	va_list args;
	size_t n;

	va_start(args, how);
	n = tpi_format(to, size, how, args);
	va_end(args);
	return n + 1 < size ? 0 : -ENAMETOOLONG;
}

static int base_path(char ret[static PATH_ROOM])
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (dir && is_own_directory(dir))
		return format(ret, PATH_ROOM, "%s/tprun", dir);
	return format(ret, PATH_ROOM, "/tmp/tprun-%u", (uint64_t)own_uid());
}

/* -EPERM: somebody else's, or open to others. */
static int open_private(int at, const char *path)
{
	int fd = (int)arch_syscall6(ARCH_NR_openat, at, (long)path,
		O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);
	struct stat st;

	if (fd < 0)
		return fd == -ELOOP || fd == -ENOTDIR ? -EPERM : fd;
	if (arch_syscall6(ARCH_NR_newfstatat, fd, (long)"", (long)&st, AT_EMPTY_PATH, 0, 0) < 0 ||
		st.st_uid != own_uid() || (st.st_mode & 077)) {
		tpi_link_close(fd);
		return -EPERM;
	}
	return fd;
}

static int connect_below(int base, const char *group)
{
	int dir = open_private(base, group), sock;

	if (dir < 0)
		return dir;
	sock = tpi_link_connect_in(dir);
	tpi_link_close(dir);
	return sock;
}

static bool is_name(const char *group)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t len = strnlen(group, TP_NAME_MAX);

	return len && len < TP_NAME_MAX && strspn(group, allowed) == len && group[0] != '.' &&
	       group[0] != '-';
}

struct entry {
	uint64_t inode, offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

struct search {
	int sock; /* of the first that lives; -1 */
	bool more;
	char first[TP_NAME_MAX], second[TP_NAME_MAX];
};

static void try_one(struct search *s, int base, const char *name)
{
	int sock = is_name(name) && !s->more ? connect_below(base, name) : -1;

	if (sock < 0)
		return;
	if (s->sock < 0) {
		s->sock = sock;
		strcpy(s->first, name);
		return;
	}
	tpi_link_close(sock);
	s->more = true;
	strcpy(s->second, name);
}

static void search(struct search *s, int base)
{
	_Alignas(8) char room[2048];
	long n;

	while ((n = arch_syscall3(ARCH_NR_getdents64, base, (long)room, sizeof(room))) > 0)
		for (long at = 0; at < n; at += ((struct entry *)(void *)(room + at))->length)
			try_one(s, base, ((struct entry *)(void *)(room + at))->name);
}

static int connect_only(int base)
{
	struct search s = {.sock = -1};

	search(&s, base);
	if (s.more) {
		tpi_link_close(s.sock);
		return tpi_fail(-ENOTUNIQ,
			"which group is not clear: %s and %s are running, at least (name one)",
			s.first, s.second);
	}
	if (s.sock < 0)
		return tpi_fail(
			-ENOENT, "no group is running (start one: tprun run -g NAME -- PROGRAM)");
	return s.sock;
}

static int refuse_named(const char *group, int r)
{
	switch (r) {
	case -ENOENT: return tpi_fail(r, "group %s: no such group runs", group);
	case -EPERM:
		return tpi_fail(r,
			"group %s: its directory belongs to somebody else or is open to others",
			group);
	case -ECONNREFUSED: return tpi_fail(r, "group %s: it has ended", group);
	default: return tpi_link_fail(r);
	}
}

static int connect_named(int base, const char *group)
{
	int r = base < 0 ? base : connect_below(base, group);

	return r < 0 ? refuse_named(group, r) : r;
}

static int connect_path(const char *group)
{
	char path[PATH_ROOM];
	int r = format(path, sizeof(path), "%s/control", group);

	r = r < 0 ? r : tpi_link_connect(path);
	return r < 0 ? tpi_fail(r, "%s: no group can be reached there", group) : r;
}

int tpi_groups_connect(const char *group)
{
	char path[PATH_ROOM];
	int base, r;

	if (group && strchr(group, '/'))
		return connect_path(group);
	if (group && !is_name(group))
		return tpi_fail(-EINVAL,
			"that is no name of a group: up to %u letters, digits, '.', '_', '-'",
			(uint64_t)TP_NAME_MAX - 1);
	base = base_path(path) < 0 ? -ENAMETOOLONG : open_private(AT_FDCWD, path);
	if (base == -ENOENT && !group)
		return tpi_fail(
			base, "no group is running (start one: tprun run -g NAME -- PROGRAM)");
	if (base < 0 && base != -ENOENT)
		return tpi_fail(base,
			"%s, where groups are found, cannot be entered (it has to be this user's "
			"alone)",
			path);
	r = group ? connect_named(base, group) : connect_only(base);
	tpi_link_close(base);
	return r;
}
