/* SPDX-License-Identifier: MIT */
/* Makes the group segment. The seals see to it that nobody can make the supervisor fault on it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "supervise/segment.h"

static void fill_header(struct tp_segment *s, const char *group)
{
	s->magic = TP_SEGMENT_MAGIC;
	s->abi_major = TP_ABI_MAJOR;
	s->abi_minor = TP_ABI_MINOR;
	s->header_size = sizeof(*s);
	s->base = TP_SEGMENT_BASE;
	s->size = TP_SEGMENT_SIZE;
	s->registry_off = TP_SEGMENT_REGISTRY_OFF;
	s->registry_count = TP_REGISTRY_MAX;
	s->registry_stride = sizeof(struct tp_program);
	s->supervisor_pid = getpid();
	snprintf(s->group, sizeof(s->group), "%s", group);
}

static int size_and_seal(int fd)
{
	if (ftruncate(fd, TP_SEGMENT_SIZE) < 0)
		return -errno;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return -errno;
	return 0;
}

int tp_seg_create(struct tp_seg *ret, const char *group)
{
	int fd = memfd_create("tprun-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *at;
	int r;

	if (fd < 0)
		return -errno;
	r = size_and_seal(fd);
	at = r < 0 ? MAP_FAILED
		   : mmap(NULL, TP_SEGMENT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		r = r < 0 ? r : -errno;
		close(fd);
		return r;
	}
	fill_header(at, group);
	*ret = (struct tp_seg){.fd = fd, .at = at};
	return 0;
}

void tp_seg_fini(struct tp_seg *seg)
{
	if (seg->at)
		munmap(seg->at, TP_SEGMENT_SIZE);
	if (seg->fd >= 0)
		close(seg->fd);
	*seg = (struct tp_seg){.fd = -1};
}
