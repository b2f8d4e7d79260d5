/* SPDX-License-Identifier: MIT */
/*
 * Another root directory for a program that is being born: chroot, and where that needs privilege, in a user namespace of
 * its own, in which it stays the user that it was.
 */
#include "host.h"

static void write_file(const char *path, const char *text, size_t n)
{
	enum { WRITE_ONLY = 1, CLOSE_ON_EXEC = 02000000 };
	long fd = arch_syscall6(ARCH_NR_openat, TPI_AT_FDCWD, (long)path, WRITE_ONLY | CLOSE_ON_EXEC, 0, 0, 0);

	if (fd < 0)
		return;
	arch_syscall3(ARCH_NR_write, fd, (long)text, (long)n);
	tpi_close((int)fd);
}

static size_t put_number(char *to, uint32_t v)
{
	char digits[10];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		to[i] = digits[n - 1 - i];
	return n;
}

/* "ID ID 1": in the namespace it is called as outside. Without /proc it is called nobody, which it can live with. */
static void map_id(const char *path, uint32_t id)
{
	char line[32];
	size_t n = put_number(line, id);

	line[n++] = ' ';
	n += put_number(line + n, id);
	line[n++] = ' ';
	line[n++] = '1';
	write_file(path, line, n);
}

static long own_namespace(void)
{
	enum { NEWUSER = 0x10000000 };
	uint32_t uid = (uint32_t)arch_syscall3(ARCH_NR_geteuid, 0, 0, 0);
	uint32_t gid = (uint32_t)arch_syscall3(ARCH_NR_getegid, 0, 0, 0);
	long r = arch_syscall3(ARCH_NR_unshare, NEWUSER, 0, 0);

	if (r)
		return r;
	map_id("/proc/self/uid_map", uid);
	write_file("/proc/self/setgroups", "deny", 4);
	map_id("/proc/self/gid_map", gid);
	return 0;
}

long tpi_enter_root(int fd)
{
	long r = arch_syscall3(ARCH_NR_fchdir, fd, 0, 0);

	if (!r)
		r = arch_syscall3(ARCH_NR_chroot, (long)".", 0, 0);
	if (r == -EPERM && !own_namespace())
		r = arch_syscall3(ARCH_NR_chroot, (long)".", 0, 0);
	return r;
}
