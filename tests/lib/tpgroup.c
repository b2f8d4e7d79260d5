/* SPDX-License-Identifier: MIT */
#include "tpgroup.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "supervise/segment.h"

static struct tp_seg seg = {.fd = -1, .heap_fd = -1};
static uint64_t serial;
static uint32_t next_index;

static void map_at(uint64_t base, uint64_t size, int fd)
{
	void *p = mmap((void *)base, size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);

	if (p != (void *)base) {
		perror("tpgroup: the segment's place is taken");
		abort();
	}
}

void tpgroup_open(uint64_t heap_size)
{
	tpi_heap_spare = 1;
	if (tp_seg_create(&seg, "unit", heap_size ? heap_size : UINT64_C(1) << 30) < 0)
		abort();
	map_at(TP_SEGMENT_BASE, seg.at->size, seg.fd);
	map_at(TP_HEAP_BASE, seg.at->areas[TP_AREA_HEAP].size, seg.heap_fd);
	madvise((void *)TP_HEAP_BASE, seg.at->areas[TP_AREA_HEAP].size, MADV_HUGEPAGE);
}

void tpgroup_close(void)
{
	tpi_disconnect();
	munmap((void *)TP_SEGMENT_BASE, seg.at->size);
	munmap((void *)TP_HEAP_BASE, seg.at->areas[TP_AREA_HEAP].size);
	tp_seg_fini(&seg);
	next_index = 0;
}

/* Entries are used in turn, as the supervisor does; one of a live program is left out. */
uint64_t tpgroup_add(const char *name)
{
	struct tp_program *e;
	uint64_t id;

	do {
		e = tp_seg_entry(&seg, next_index);
		id = ++serial << TP_ID_INDEX_BITS | next_index;
		next_index = (next_index + 1) % TP_REGISTRY_MAX;
	} while (tp_seg_load(e->state) == TP_PROGRAM_RUNNING);
	__atomic_store_n(&e->id, 0, __ATOMIC_RELAXED); /* in the order of tp_registry_publish */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memset(e, 0, sizeof(*e));
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->pid = getpid();
	e->started = 1;
	tp_seg_store(e->state, TP_PROGRAM_RUNNING);
	tp_seg_store(e->id, id);
	return id;
}

void *tpgroup_private(void)
{
	static void *page;

	if (!page)
		page = mmap((void *)UINT64_C(0x500000000000), 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (page == MAP_FAILED)
		abort();
	return page;
}

void tpgroup_be(uint64_t id)
{
	tpi_disconnect();
	if (tpi_connect((struct tp_segment *)TP_SEGMENT_BASE, id) < 0)
		abort();
}

pid_t tpgroup_fork(uint64_t id, int (*fn)(void *arg), void *arg)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0) {
		tpgroup_be(id);
		_exit(fn(arg));
	}
	tp_seg_store(tp_seg_entry(&seg, TP_ID_INDEX(id))->pid, pid);
	return pid;
}

void tpgroup_died(uint64_t id)
{
	tp_seg_store(tp_seg_entry(&seg, TP_ID_INDEX(id))->state, TP_PROGRAM_DEAD);
	tp_seg_announce_death(&seg);
}

int tpgroup_join(pid_t pid, uint64_t id)
{
	int status = 0;

	waitpid(pid, &status, 0);
	tpgroup_died(id);
	return status;
}

void tpgroup_kill(pid_t pid, uint64_t id)
{
	kill(pid, SIGKILL);
	tpgroup_join(pid, id);
}
