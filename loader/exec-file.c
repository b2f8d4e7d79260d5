/* SPDX-License-Identifier: MIT */
/*
 * Whether a file may be executed, and why not. See exec-file.h.
 *
 * The path is opened twice: first as a mere place (O_PATH), which touches neither FIFO nor device,
 * and, once that turns out to be a regular file with execute permission, for reading. Should the
 * name have passed to another file in between, it is looked at again.
 */
#include "exec-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "error.h"

enum { REPLACED_RETRIES = 8 };

static int refuse(struct tpi_refusal *refusal, int error, const char *why)
{
	refusal->error = error;
	refusal->why = why;
	return error;
}

static int refuse_existing(struct tpi_refusal *refusal, int error, const char *why)
{
	refusal->exists = true;
	return refuse(refusal, error, why);
}

static int check_kind(mode_t mode, struct tpi_refusal *refusal)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return 0;
	case S_IFDIR:
		refusal->directory = true;
		return refuse_existing(refusal, -EACCES, "it is a directory");
	case S_IFIFO:
		return refuse_existing(refusal, -EACCES, "it is a FIFO, not a file");
	case S_IFSOCK:
		return refuse_existing(refusal, -EACCES, "it is a socket, not a file");
	}
	return refuse_existing(refusal, -EACCES, "it is a device, not a file");
}

/* For kernels and seccomp profiles without faccessat2. */
static bool mode_permits(const struct stat *st)
{
	if (geteuid() == 0)
		return st->st_mode & 0111;
	if (st->st_uid == geteuid())
		return st->st_mode & S_IXUSR;
	if (st->st_gid == getegid() || group_member(st->st_gid))
		return st->st_mode & S_IXGRP;
	return st->st_mode & S_IXOTH;
}

static bool is_noexec(int fd)
{
	struct statvfs vfs;

	return fstatvfs(fd, &vfs) == 0 && (vfs.f_flag & ST_NOEXEC);
}

static bool may_execute(int fd, const struct stat *st)
{
	if (syscall(SYS_faccessat2, fd, "", X_OK, AT_EMPTY_PATH | AT_EACCESS) == 0)
		return true;
	if (errno == ENOSYS || errno == EPERM)
		return mode_permits(st) && !is_noexec(fd);
	return false;
}

static int check_permission(int fd, const struct stat *st, struct tpi_refusal *refusal)
{
	if (may_execute(fd, st))
		return 0;
	if ((st->st_mode & 0111) == 0)
		return refuse_existing(refusal, -EACCES,
			"it has no execute permission (chmod +x, if it is a program)");
	if (is_noexec(fd))
		return refuse_existing(refusal, -EACCES,
			"its file system is mounted noexec (copy it elsewhere)");
	return refuse_existing(refusal, -EACCES, "you have no permission to execute it");
}

static int open_place(const struct tpi_where *where, const char *path, struct stat *ret_st,
	struct tpi_refusal *refusal)
{
	int fd = tpi_where_open(where, path, O_PATH);
	int ret;

	if (fd < 0)
		return refuse(refusal, fd, tp_errno_words(fd));
	ret = fstat(fd, ret_st) < 0 ? refuse(refusal, -errno, tp_errno_words(errno)) : 0;
	if (ret == 0)
		ret = check_kind(ret_st->st_mode, refusal);
	if (ret == 0)
		ret = check_permission(fd, ret_st, refusal);
	close(fd);
	return ret;
}

/* Returns a descriptor, -EAGAIN if the file is not the one of st any more, another -errno. */
static int open_same(const struct tpi_where *where, const char *path, const struct stat *st)
{
	int fd = tpi_where_open(where, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat now;

	if (fd < 0)
		return fd;
	if (fstat(fd, &now) == 0 && now.st_dev == st->st_dev && now.st_ino == st->st_ino)
		return fd;
	close(fd);
	return -EAGAIN;
}

static int open_once(const struct tpi_where *where, const char *path, struct tpi_exec_file *file,
	struct tpi_refusal *refusal)
{
	int ret = open_place(where, path, &file->st, refusal);

	if (ret < 0)
		return ret;
	file->fd = open_same(where, path, &file->st);
	if (file->fd >= 0)
		return 0;
	if (file->fd == -EACCES)
		return refuse_existing(refusal, -EACCES,
			"it may be executed but not read (a program of a group must be readable)");
	return refuse(refusal, file->fd, tp_errno_words(file->fd));
}

int tpi_exec_file_open(const struct tpi_where *where, const char *path,
	struct tpi_exec_file *ret_file, struct tpi_refusal *ret_refusal)
{
	struct tpi_exec_file file;
	int ret = -EAGAIN;

	for (int i = 0; i < REPLACED_RETRIES && ret == -EAGAIN; i++) {
		*ret_refusal = (struct tpi_refusal){ 0 };
		ret = open_once(where, path, &file, ret_refusal);
	}
	if (ret == 0)
		*ret_file = file;
	return ret;
}

int tpi_exec_file_privileges(const struct tpi_exec_file *file, struct tpi_refusal *ret_refusal)
{
	mode_t mode = file->st.st_mode;

	*ret_refusal = (struct tpi_refusal){ 0 };
	if (mode & S_ISUID)
		return refuse_existing(ret_refusal, -EPERM, "it is setuid, and a group has the "
			"privileges of its caller (run it outside)");
	/* Without group execution the bit meant mandatory locking, and execve ignores it. */
	if ((mode & S_ISGID) && (mode & S_IXGRP))
		return refuse_existing(ret_refusal, -EPERM, "it is setgid, and a group has the "
			"privileges of its caller (run it outside)");
	if (fgetxattr(file->fd, "security.capability", NULL, 0) > 0)
		return refuse_existing(ret_refusal, -EPERM, "it has file capabilities, and a group has "
			"the privileges of its caller (run it outside)");
	return 0;
}
