/* SPDX-License-Identifier: MIT */
/* Makes the group segment. The seals see to it that nobody can make the supervisor fault on it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/heap-file.h"
#include "supervise/segment.h"
#include "tp/abi/heap.h"

enum { UNIT = 64 << 10 };

/* The metadata area has room for every unit that the heap can be cut into. */
static uint64_t meta_size(uint64_t heap_size)
{
	uint64_t units = heap_size / UNIT, size = units * TP_HEAP_META_PER_UNIT;

	if (size < TP_HEAP_META_SIZE(units))
		size = TP_HEAP_META_SIZE(units);
	return (size + UNIT - 1) & ~(uint64_t)(UNIT - 1);
}

static void fill_areas(struct tp_segment *s, uint64_t heap_size)
{
	s->areas[TP_AREA_COUNTERS] = (struct tp_area){
		TP_AREA_COUNTERS_OFF, TP_AREA_NAMES_OFF - TP_AREA_COUNTERS_OFF, 0};
	s->areas[TP_AREA_NAMES] = (struct tp_area){
		TP_AREA_NAMES_OFF, TP_AREA_HEAP_META_OFF - TP_AREA_NAMES_OFF, 0};
	s->areas[TP_AREA_HEAP_META] =
		(struct tp_area){TP_AREA_HEAP_META_OFF, meta_size(heap_size), 0};
	s->areas[TP_AREA_HEAP] = (struct tp_area){TP_HEAP_BASE - TP_SEGMENT_BASE, heap_size, 0};
}

static void fill_header(struct tp_segment *s, const char *group, uint64_t heap_size)
{
	s->magic = TP_SEGMENT_MAGIC;
	s->abi_major = TP_ABI_MAJOR;
	s->abi_minor = TP_ABI_MINOR;
	s->header_size = sizeof(*s);
	s->features = TP_SEG_FEATURES;
	s->base = TP_SEGMENT_BASE;
	s->size = TP_AREA_HEAP_META_OFF + meta_size(heap_size);
	s->registry_off = TP_SEGMENT_REGISTRY_OFF;
	s->registry_count = TP_REGISTRY_MAX;
	s->registry_stride = sizeof(struct tp_program);
	s->supervisor_pid = getpid();
	snprintf(s->group, sizeof(s->group), "%s", group);
	fill_areas(s, heap_size);
}

static int size_and_seal(int fd, uint64_t size)
{
	if (ftruncate(fd, (off_t)size) < 0)
		return -errno;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return -errno;
	return 0;
}

static int make_control(uint64_t heap_size, struct tp_seg *seg)
{
	void *at;
	int r;

	seg->fd = memfd_create("tprun-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (seg->fd < 0)
		return -errno;
	r = size_and_seal(seg->fd, TP_AREA_HEAP_META_OFF + meta_size(heap_size));
	if (r < 0)
		return r;
	at = mmap(NULL, TP_SEG_SEEN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, seg->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	seg->at = at;
	return 0;
}

int tp_seg_create(struct tp_seg *ret, const char *group, uint64_t heap_size)
{
	struct tp_seg seg = {.fd = -1, .heap_fd = -1};
	int r;

	heap_size = heap_size ? heap_size : tp_heap_default_size();
	heap_size = (heap_size + TP_HEAP_FILE_MIN - 1) & ~(TP_HEAP_FILE_MIN - 1);
	if (heap_size > TP_HEAP_MAX)
		return -E2BIG;
	r = make_control(heap_size, &seg);
	if (!r)
		seg.heap_fd = tp_heap_file_create(heap_size);
	if (!r && seg.heap_fd < 0)
		r = seg.heap_fd;
	if (r < 0) {
		tp_seg_fini(&seg);
		return r;
	}
	fill_header(seg.at, group, heap_size);
	seg.heap_size = heap_size;
	*ret = seg;
	return 0;
}

void tp_seg_fini(struct tp_seg *seg)
{
	if (seg->at)
		munmap(seg->at, TP_SEG_SEEN);
	if (seg->fd >= 0)
		close(seg->fd);
	if (seg->heap_fd >= 0)
		close(seg->heap_fd);
	*seg = (struct tp_seg){.fd = -1, .heap_fd = -1};
}

/* Partner: tpi_birth in loader/host/child.c, which does the same for a program. */
void tp_seg_announce_arrival(struct tp_seg *seg)
{
	__atomic_fetch_add(&seg->at->arrivals, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &seg->at->arrivals, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/*
 * Partner: tpi_wait in libtp/wait.c, which sets its bit, then reads the word, then looks whether what it waits for is alive. Either
 * it sees the new word, and the state that was stored before it, or the bit is seen here.
 */
void tp_seg_announce_death(struct tp_seg *seg)
{
	struct tp_segment *s = seg->at;
	uint64_t sleepers;

	for (int i = 0; i < TP_DEATH_WORDS; i++)
		__atomic_fetch_add(&s->deaths[i], 1, __ATOMIC_SEQ_CST);
	sleepers = __atomic_load_n(&s->sleepers, __ATOMIC_SEQ_CST);
	for (int i = 0; i < TP_DEATH_WORDS; i++)
		if (sleepers >> i & 1)
			syscall(SYS_futex, &s->deaths[i], FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
