/* SPDX-License-Identifier: MIT */
/*
 * The host's life: map the group segment, guard the kernel's brk, say hello, serve one request after another.
 *
 * When the supervisor is gone the host ends; it does so too when told nothing sensible. Programs do not depend on it.
 */
#include "shared.h"

#include <linux/auxvec.h>
#include <linux/prctl.h>

uint32_t tpi_can_patch;
char tpi_host_exe[TP_PATH_MAX];
uint32_t tpi_host_exe_len;

static struct tpi_request *request; /* and behind it room for the message */

static _Noreturn void leave(int status)
{
	for (;;)
		arch_syscall3(ARCH_NR_exit_group, status, 0, 0);
}

static uint64_t auxv_value(uint64_t *sp, uint64_t key)
{
	uint64_t *p = sp + 1 + *sp + 1;

	while (*p)
		p++;
	for (p++; p[0] != AT_NULL; p += 2)
		if (p[0] == key)
			return p[1];
	return 0;
}

/* What follows `name` in the one variable that starts with it, or NULL. */
static const char *environment(uint64_t *sp, const char *name)
{
	size_t len = tpi_strlen(name);

	for (const char **v = (const char **)(sp + 1 + *sp + 1); *v; v++)
		if (tpi_strlen(*v) >= len && !memcmp(*v, name, len))
			return *v + len;
	return NULL;
}

static long map_shared(uint64_t at, uint64_t size, int fd, long how)
{
	long r = tpi_mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | how, fd, 0);

	return tpi_failed(r) ? r : 0;
}

/* The kernel would write all of it, holes as well: a core of gigabytes for the crash of a small program. */
static void leave_out_of_cores(uint64_t at, uint64_t size)
{
	tpi_madvise(at, size, MADV_DONTDUMP);
}

/* The header says how large both files are. Without huge pages the advice does nothing. */
static long map_segment(void)
{
	long r = map_shared(TP_SEGMENT_BASE, TP_SEGMENT_REGISTRY_OFF, TP_HOST_SEGMENT_FD, MAP_FIXED_NOREPLACE);
	uint64_t heap;

	if (r)
		return r;
	heap = TPI_SEGMENT->areas[TP_AREA_HEAP].size;
	r = map_shared(TP_SEGMENT_BASE, TPI_SEGMENT->size, TP_HOST_SEGMENT_FD, MAP_FIXED);
	if (!r)
		r = map_shared(TP_HEAP_BASE, heap, TP_HOST_HEAP_FD, MAP_FIXED_NOREPLACE);
	if (!r) {
		tpi_madvise(TP_HEAP_BASE, heap, MADV_HUGEPAGE);
		leave_out_of_cores(TP_HEAP_BASE, heap);
		leave_out_of_cores(TP_SEGMENT_BASE + TP_AREA_COUNTERS_OFF, TPI_SEGMENT->size - TP_AREA_COUNTERS_OFF);
	}
	tpi_close(TP_HOST_SEGMENT_FD);
	tpi_close(TP_HOST_HEAP_FD);
	return r;
}

/*
 * One region for the malloc of all programs. Private: a forked child goes on with a copy of its own, and cannot write what its parent
 * and the neighbours go on with. Where memory is limited it may be smaller than asked for; its size is what counts.
 */
static long map_private_heap(void)
{
	struct tp_area *area = &TPI_SEGMENT->areas[TP_AREA_PRIVATE_HEAP];
	const uint64_t least = UINT64_C(2) << 30; /* half of it for what the heap knows about the other half */
	long r = 0;

	for (uint64_t size = area->size; size; size /= 2) {
		r = tpi_mmap(TP_PRIVATE_HEAP_BASE, size, PROT_READ | PROT_WRITE,
			     TPI_MAP_ANON | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (!tpi_failed(r) || r != -ENOMEM || size <= least) {
			area->size = tpi_failed(r) ? 0 : size;
			leave_out_of_cores(TP_PRIVATE_HEAP_BASE, area->size);
			break;
		}
	}
	return tpi_failed(r) ? r : 0;
}

/* Code that was not rewritten and asks the kernel for brk is refused, instead of sharing it with everybody. */
static long guard_brk(uint64_t *ret_brk)
{
	uint64_t at = tpi_page_up((uint64_t)arch_syscall3(ARCH_NR_brk, 0, 0, 0));
	long r = tpi_mmap(at, TP_PAGE_SIZE, PROT_NONE, TPI_MAP_ANON | MAP_FIXED_NOREPLACE, -1, 0);

	*ret_brk = at;
	return tpi_failed(r) && r != -EEXIST ? r : 0;
}

/* Does this kernel let private file text be changed and executed again (no MDWE, no SELinux execmod)? Tried, not guessed. */
static bool can_patch(void)
{
	long fd = arch_syscall6(ARCH_NR_openat, TPI_AT_FDCWD, (long)"/proc/self/exe", 02000000, 0, 0, 0);
	long r, anon;
	bool ok;

	if (fd < 0)
		return false;
	r = tpi_mmap(0, TP_PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	anon = tpi_mmap(0, TP_PAGE_SIZE, PROT_READ | PROT_WRITE, TPI_MAP_ANON, -1, 0);
	tpi_close((int)fd);
	if (tpi_failed(r) || tpi_failed(anon))
		return false;
	ok = !tpi_mprotect((uint64_t)r, TP_PAGE_SIZE, PROT_READ | PROT_WRITE);
	if (ok) {
		*(volatile uint8_t *)r = 0; /* the change is what execmod looks at */
		*(volatile uint8_t *)anon = 0;
		ok = !tpi_mprotect((uint64_t)r, TP_PAGE_SIZE, PROT_READ | PROT_EXEC) &&
		     !tpi_mprotect((uint64_t)anon, TP_PAGE_SIZE, PROT_READ | PROT_EXEC);
	}
	tpi_munmap((uint64_t)r, TP_PAGE_SIZE);
	tpi_munmap((uint64_t)anon, TP_PAGE_SIZE);
	return ok;
}

static void learn_own_path(void)
{
	long n = arch_syscall6(ARCH_NR_readlinkat, TPI_AT_FDCWD, (long)"/proc/self/exe", (long)tpi_host_exe,
			       TP_PATH_MAX - 1, 0, 0);

	tpi_host_exe_len = n > 0 ? (uint32_t)n : 0;
}

/* What the group's first caller ignored is its own affair: each program gets what its own caller ignores (child.c). */
static void ignore_nothing(void)
{
	struct arch_sigaction dfl = { 0 };

	for (int s = 1; s <= 64; s++)
		arch_syscall6(ARCH_NR_rt_sigaction, s, (long)&dfl, 0, 8, 0, 0);
}

/* What only the host needs is not copied by any fork: its stack, and where requests are received. */
static bool keep_to_itself(uint64_t sp)
{
	const uint64_t around = UINT64_C(0x40000), size = tpi_page_up(sizeof(*request)) + TP_HOST_MESSAGE_MAX;
	long r = tpi_mmap(0, size, PROT_READ | PROT_WRITE, TPI_MAP_ANON, -1, 0);

	if (tpi_failed(r))
		return false;
	tpi_madvise((uint64_t)r, size, MADV_DONTFORK);
	tpi_madvise((sp & ~(TP_PAGE_SIZE - 1)) - around, 2 * around, MADV_DONTFORK);
	request = (struct tpi_request *)r;
	request->head = (struct tp_host_head *)((uint64_t)r + tpi_page_up(sizeof(*request)));
	return true;
}

static void hello(uint64_t *sp)
{
	struct tp_host_hello h = {
		.head = { TP_HOST_MAGIC, TP_HOST_VERSION, TP_HOST_HELLO, sizeof(h), 0 },
		.pid = (int32_t)arch_syscall3(ARCH_NR_getpid, 0, 0, 0),
		.route_entry = (uint64_t)arch_route_enter,
		.vdso = auxv_value(sp, AT_SYSINFO_EHDR),
	};

	ignore_nothing();
	learn_own_path();
	h.error = (int32_t)map_segment();
	h.stage = h.error ? TP_STAGE_SEGMENT : TP_STAGE_NONE;
	if (!h.error) {
		h.error = (int32_t)map_private_heap();
		h.stage = h.error ? TP_STAGE_PRIVATE_HEAP : TP_STAGE_NONE;
	}
	if (!h.error) {
		h.error = (int32_t)guard_brk(&h.brk);
		h.stage = h.error ? TP_STAGE_BRK_GUARD : TP_STAGE_NONE;
	}
	tpi_can_patch = h.can_patch = can_patch();
	if (tpi_can_patch) {
		tpi_shared_init();
		tpi_facts_load(environment(sp, "TPRUN_TEXTS="));
	}
	tpi_channel_send(&h, sizeof(h));
	if (h.error)
		leave(1);
}

static void close_received(void)
{
	for (uint32_t i = 0; i < request->nfds; i++)
		tpi_close(request->fds[i]);
	request->nfds = 0;
}

static void serve(long n)
{
	struct tp_host_head *head = request->head;
	struct tp_host_result result = { .head = { TP_HOST_MAGIC, TP_HOST_VERSION, TP_HOST_RESULT, sizeof(result), head->seq } };

	if (n < (long)sizeof(*head) || head->magic != TP_HOST_MAGIC || head->version != TP_HOST_VERSION || head->len != n) {
		result.error = -EPROTO;
		result.stage = TP_STAGE_RECEIVE;
	} else if (head->op == TP_HOST_LAUNCH) {
		tpi_launch(request, &result);
	} else if (head->op == TP_HOST_RECLAIM) {
		tpi_reclaim((const struct tp_host_reclaim *)head, &result);
	} else if (head->op != TP_HOST_PING) {
		result.error = -ENOSYS;
	}
	close_received();
	tpi_channel_send(&result, sizeof(result));
}

void tpi_host_main(uint64_t *sp)
{
	arch_syscall3(ARCH_NR_prctl, PR_SET_NAME, (long)"tp-host", 0);
	if (!keep_to_itself((uint64_t)sp))
		leave(1);
	hello(sp);
	for (;;) {
		long n = tpi_channel_receive(request, 0);

		/* A program that changed its credentials made the whole address space undumpable. */
		arch_syscall3(ARCH_NR_prctl, PR_SET_DUMPABLE, 1, 0);
		if (n == 0)
			leave(0);
		if (n > 0)
			serve(n);
		else if (n != -EMSGSIZE)
			leave(1);
	}
}
