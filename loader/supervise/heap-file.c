/* SPDX-License-Identifier: MIT */
/*
 * The heap's memory should come in huge pages where that can be had: touching it for the first time is then ten times cheaper. Huge
 * pages of a memfd depend on a setting of the whole machine that is mostly off; a tmpfs of our own has its own setting. The mount is never
 * attached anywhere: it lives as long as the file on it. Who may not mount gets a memfd.
 *
 * A file on a tmpfs cannot be sealed, so the supervisor never touches this memory: it could be made to fault.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "supervise/heap-file.h"
#include "tp/abi/layout.h"

static uint64_t limit_of(int resource)
{
	struct rlimit l;

	if (getrlimit((__rlimit_resource_t)resource, &l) || l.rlim_max == RLIM_INFINITY)
		return UINT64_MAX;
	return l.rlim_max;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t tp_heap_default_size(void)
{
	struct sysinfo info;
	uint64_t size = UINT64_C(1) << 30;

	if (sysinfo(&info) == 0)
		size = (uint64_t)info.totalram * info.mem_unit / 2;
	size = smaller(size, TP_HEAP_MAX);
	size = smaller(size, limit_of(RLIMIT_AS) / 4);
	size = smaller(size, limit_of(RLIMIT_FSIZE));
	size &= ~(TP_HEAP_FILE_MIN - 1);
	return size < TP_HEAP_FILE_MIN ? TP_HEAP_FILE_MIN : size;
}

/* A tmpfs that is nowhere in the tree: its root's descriptor. size=0 is no limit of its own: the file's length is one. */
static int own_tmpfs(void)
{
	int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), root = -1;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "huge", "advise", 0) == 0 &&
		syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", "0", 0) == 0 &&
		syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "mode", "700", 0) == 0 &&
		syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		root = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	close(fs);
	return root < 0 ? -EPERM : root;
}

static int file_with_huge_pages(void)
{
	int root = own_tmpfs(), fd;

	if (root < 0)
		return root;
	fd = openat(root, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	close(root);
	return fd < 0 ? -errno : fd;
}

int tp_heap_file_create(uint64_t size)
{
	int fd = file_with_huge_pages();

	if (fd < 0)
		fd = memfd_create("tprun-heap", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) < 0) {
		int r = -errno;

		close(fd);
		return r;
	}
	return fd;
}
