/* SPDX-License-Identifier: MIT */
/*
 * See runtime-dir.h. The socket is bound and reached through the directory's descriptor, so neither
 * the length of the path nor somebody who swaps a component of it matters.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "supervise/runtime-dir.h"
#include "tp/abi/segment.h"
#include "tp/abi/wire.h"

/* A process that was killed can take seconds to let go of its files on a machine that is busy. */
enum { BACKLOG = 64, TRIES = 3000, ANSWER_S = 2 };

#define SPARE ".spare" /* no group's name starts with a dot */

bool tp_runtime_name_ok(const char *group)
{
	const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t len = strlen(group);

	return len && len < TP_NAME_MAX && strspn(group, allowed) == len && group[0] != '.' &&
	       group[0] != '-';
}

/* One that su left behind is another user's: what root made there would lock its owner out. */
static bool is_own_directory(const char *path)
{
	struct stat st;

	return path[0] == '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid();
}

int tp_runtime_base(char ret_path[static PATH_MAX])
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	int n;

	if (dir && is_own_directory(dir))
		n = snprintf(ret_path, PATH_MAX, "%s/tprun", dir);
	else
		n = snprintf(ret_path, PATH_MAX, "/tmp/tprun-%u", (unsigned)geteuid());
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* A directory of ours that nobody else can write to; for root, too, another user's is a trap.
 * Return: descriptor or negative errno (-EPERM: not so). */
static int open_private(int at, const char *path)
{
	struct stat st;
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 077)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int make_private(int at, const char *path)
{
	if (mkdirat(at, path, 0700) < 0 && errno != EEXIST)
		return -errno;
	return open_private(at, path);
}

static void address_of(int dir, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/control", dir);
}

static int connect_in(int dir, int *ret_fd)
{
	struct sockaddr_un addr;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), r;

	if (fd < 0)
		return -errno;
	address_of(dir, &addr);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0) {
		*ret_fd = fd;
		return 0;
	}
	r = -errno;
	close(fd);
	return r;
}

static int open_group(const char *group)
{
	char base[PATH_MAX];
	int r = tp_runtime_base(base), base_fd, fd;

	if (r < 0)
		return r;
	base_fd = open_private(AT_FDCWD, base);
	if (base_fd < 0)
		return base_fd;
	fd = open_private(base_fd, group);
	close(base_fd);
	return fd;
}

int tp_runtime_connect(const char *group, int *ret_fd, struct tp_error *err)
{
	int dir = tp_runtime_name_ok(group) ? open_group(group) : -ENOENT, r;

	r = dir < 0 ? dir : connect_in(dir, ret_fd);
	if (dir >= 0)
		close(dir);
	switch (r) {
	case 0: return 0;
	case -ENOENT:
		return tp_error_named(err, TP_STATUS_OWN, r, group,
			"no such group runs (start it: tprun run -g NAME -- PROGRAM)");
	case -ECONNREFUSED:
		return tp_error_named(err, TP_STATUS_OWN, r, group, "the group has ended");
	case -EPERM:
		return tp_error_named(err, TP_STATUS_OWN, r, group,
			"could not be reached: its directory belongs to somebody else or is open "
			"to others");
	default:
		return tp_error_named(err, TP_STATUS_OWN, r, group, "could not be reached: %s",
			tp_errno_words(r));
	}
}

/* Whether the locked directory is still the one of that name: its last owner may just have removed
 * it. */
static bool still_there(int base, const char *group, int dir)
{
	struct stat a, b;

	return fstat(dir, &a) == 0 && fstatat(base, group, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * A lock that cannot be had is that of a live group, for a moment that of a sweep, or that of a
 * supervisor that has been killed and is not gone yet. The last one's socket still takes
 * connections: only an answer tells life. One that does not answer, but does not vanish either, is
 * only slow, or stopped.
 */
static bool answers(int dir)
{
	const struct tp_wire_head ask = {.magic = TP_WIRE_MAGIC,
		.version = TP_WIRE_VERSION,
		.type = TP_WIRE_INFO,
		.len = sizeof(ask),
		.seq = 1};
	const struct timeval patience = {.tv_sec = ANSWER_S};
	ssize_t n = -1;
	bool silent;
	char reply;
	int fd;

	if (connect_in(dir, &fd) < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send(fd, &ask, sizeof(ask), MSG_NOSIGNAL) == (ssize_t)sizeof(ask))
		n = recv(fd, &reply, 1, 0);
	silent = n < 0 && errno == EAGAIN;
	close(fd);
	return n > 0 || silent;
}

/*
 * The last group's directory, empty, is kept for the next: on a disk file system it takes longer to
 * make and remove one than to start the host. It is renamed while its owner still has the lock, as
 * nobody may take it before; whoever takes it in the very moment waits for the lock.
 */
static bool take_spare(int base, const char *group)
{
	return renameat2(base, SPARE, base, group, RENAME_NOREPLACE) == 0;
}

static bool is_empty(int dir)
{
	char buf[1024] __attribute__((aligned(8)));
	ssize_t n = getdents64(dir, buf, sizeof(buf));
	int entries = 0;

	for (ssize_t at = 0; at < n; entries++)
		at += ((const struct dirent64 *)(const void *)(buf + at))->d_reclen;
	return entries == 2; /* "." and ".." */
}

static bool keep_as_spare(int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	char spare[PATH_MAX + sizeof(SPARE)];

	snprintf(spare, sizeof(spare), "%.*s/" SPARE, (int)(slash - path), path);
	return is_empty(dir) && renameat2(AT_FDCWD, path, AT_FDCWD, spare, RENAME_NOREPLACE) == 0;
}

static int try_lock(int base, const char *group)
{
	int dir = take_spare(base, group) ? open_private(base, group) : make_private(base, group);
	int r = -EAGAIN;

	if (dir < 0)
		return dir == -ENOENT ? -EAGAIN : dir;
	if (flock(dir, LOCK_EX | LOCK_NB) == 0 && still_there(base, group, dir))
		return dir;
	if (answers(dir))
		r = -EEXIST;
	close(dir);
	return r;
}

/* Return: the locked directory; -EEXIST: a live group holds it; other negative errno. */
static int lock_dir(int base, const char *group)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	int r = -EAGAIN;

	for (int i = 0; i < TRIES && r == -EAGAIN; i++) {
		r = try_lock(base, group);
		if (r == -EAGAIN)
			nanosleep(&moment, NULL);
	}
	return r == -EAGAIN ? -EEXIST : r;
}

/* Whoever gets the lock of another's directory knows it dead. */
static void sweep_one(int base, const char *name)
{
	int dir = open_private(base, name);

	if (dir < 0)
		return;
	if (flock(dir, LOCK_EX | LOCK_NB) == 0 && still_there(base, name, dir)) {
		unlinkat(dir, "control", 0);
		unlinkat(base, name, AT_REMOVEDIR);
	}
	close(dir);
}

static void sweep(int base)
{
	int fd = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (tp_runtime_name_ok(e->d_name))
			sweep_one(base, e->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

void tp_runtime_sweep(void)
{
	char base[PATH_MAX];
	int fd = tp_runtime_base(base) < 0 ? -1 : open_private(AT_FDCWD, base);

	if (fd < 0)
		return;
	sweep(fd);
	close(fd);
}

static int listen_in(int dir)
{
	struct sockaddr_un addr;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;

	if (fd < 0)
		return -errno;
	unlinkat(dir, "control", 0);
	address_of(dir, &addr);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

static int create_in(const char *base, const char *group, struct tp_runtime *ret)
{
	int base_fd = make_private(AT_FDCWD, base), dir, sock;

	if (base_fd < 0)
		return base_fd;
	dir = lock_dir(base_fd, group);
	sock = dir < 0 ? dir : listen_in(dir);
	if (sock >= 0)
		sweep(base_fd);
	close(base_fd);
	if (dir < 0)
		return dir;
	if (sock < 0) {
		close(dir);
		return sock;
	}
	ret->dir_fd = dir;
	ret->listen_fd = sock;
	return 0;
}

int tp_runtime_create(const char *group, struct tp_runtime *ret, struct tp_error *err)
{
	char base[PATH_MAX];
	int r;

	*ret = (struct tp_runtime){.dir_fd = -1, .listen_fd = -1};
	if (!tp_runtime_name_ok(group))
		return tp_error_named(err, TP_STATUS_OWN, EINVAL, group,
			"is no name for a group: up to %d letters, digits, '.', '_', '-', and "
			"neither '.' nor '-' first",
			TP_NAME_MAX - 1);
	r = tp_runtime_base(base);
	r = r ? r : create_in(base, group, ret);
	if (r == 0) {
		/* Cut only if base is nearly PATH_MAX long, and then the directory could not be
		 * made. */
		snprintf(ret->path, sizeof(ret->path), "%.*s/%s", PATH_MAX - TP_NAME_MAX - 2, base,
			group);
		return 0;
	}
	if (r == -EEXIST)
		return tp_error_named(err, TP_STATUS_OWN, r, group,
			"could not be started: a group of that name runs (choose another with -g, "
			"or tprun stop -g %s)",
			group);
	if (r == -EPERM)
		return tp_error_named(err, TP_STATUS_OWN, r, group,
			"could not be started: %s belongs to somebody else or is open to others "
			"(remove it)",
			base);
	return tp_error_named(err, TP_STATUS_OWN, r, group,
		"could not be started: no directory in %s: %s", base, tp_errno_words(r));
}

void tp_runtime_remove(struct tp_runtime *rt)
{
	if (rt->dir_fd < 0)
		return;
	if (unlinkat(rt->dir_fd, "control", 0) < 0 || !keep_as_spare(rt->dir_fd, rt->path))
		rmdir(rt->path);
	close(rt->listen_fd);
	close(rt->dir_fd);
	rt->dir_fd = rt->listen_fd = -1;
}
