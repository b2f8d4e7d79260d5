/* SPDX-License-Identifier: MIT */
/*
 * Checks of the limits that are one for a whole group, or for all of a user's.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error.h"
#include "supervise/machine.h"
#include "supervise/runtime-dir.h"
#include "tp/abi/segment.h"
#include "tprun/doctor.h"

/* Mappings of an idle program of the kind, as measured. */
#define VMAS_BASH   39
#define VMAS_PYTHON 138

#define USERFAULTFD_USER_ONLY 1

static void check_maps(struct tp_finding *f)
{
	long long n = tp_number_in("/proc/sys/vm/max_map_count");

	if (n < 0) {
		tp_found(f, "not known without /proc");
		return;
	}
	tp_found(f, "vm.max_map_count %lld (about %lld times bash, or %lld times python3)", n,
		n / VMAS_BASH, n / VMAS_PYTHON);
	if (n < 65530)
		tp_limits(f, "the mappings of all programs of a group count together",
			"sysctl vm.max_map_count=262144");
}

static void check_overcommit(struct tp_finding *f)
{
	long long mode = tp_number_in("/proc/sys/vm/overcommit_memory");

	tp_found(f, "vm.overcommit_memory %lld", mode);
	if (mode == 2)
		tp_limits(f, "what programs reserve counts as used, as natively",
			"sysctl vm.overcommit_memory=0, or raise vm.overcommit_ratio");
}

static void check_userfaultfd(struct tp_finding *f)
{
	int fd = (int)syscall(SYS_userfaultfd, USERFAULTFD_USER_ONLY);

	if (fd >= 0) {
		tp_found(f, "works");
		close(fd);
		return;
	}
	tp_found(f, "refused: %s", tp_errno_words(errno));
	tp_limits(f, "writes to shared ranges cannot be watched",
		"sysctl vm.unprivileged_userfaultfd=1");
}

static void check_memlock(struct tp_finding *f)
{
	struct rlimit l = {0, 0};

	getrlimit(RLIMIT_MEMLOCK, &l);
	if (l.rlim_cur == RLIM_INFINITY) {
		tp_found(f, "unlimited");
		return;
	}
	tp_found(f, "%llu KiB", (unsigned long long)l.rlim_cur / 1024);
	if (l.rlim_cur < 64 << 20)
		tp_limits(f, "no more can be pinned for a device", "raise `ulimit -l`");
}

static void check_hugepages(struct tp_finding *f)
{
	char thp[128] = "not in this kernel";
	long long reserved = tp_number_in("/proc/sys/vm/nr_hugepages");

	tp_line_in("/sys/kernel/mm/transparent_hugepage/enabled", thp, sizeof(thp));
	tp_found(f, "transparent: %s; reserved: %lld", thp, reserved < 0 ? 0 : reserved);
	if (strstr(thp, "[never]"))
		tp_limits(f, "large heaps take a page fault every 4 KiB",
			"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

static void check_layout(struct tp_finding *f)
{
	struct rlimit l = {0, 0};
	int legacy = tp_number_in("/proc/sys/vm/legacy_va_layout") == 1 ||
		     (personality(0xffffffff) & ADDR_COMPAT_LAYOUT);

	getrlimit(RLIMIT_STACK, &l);
	if (legacy) {
		tp_found(f, "the legacy layout is on");
		tp_limits(f, "the host's own mappings take up to 3 slots",
			"sysctl vm.legacy_va_layout=0");
	} else if (l.rlim_cur == RLIM_INFINITY) {
		tp_found(f,
			"top-down; the stack is unlimited (a group's host is started with 8 MiB)");
	} else {
		tp_found(f, "top-down");
	}
}

static void check_address_space(struct tp_finding *f)
{
	struct tp_machine m = tp_machine_here();
	struct tp_error ignored;

	tp_found(f, "addresses of %u bits, pages of %llu KiB", m.bits,
		(unsigned long long)m.page_size >> 10);
	if (tp_machine_fits(&m, "", &ignored) < 0)
		tp_breaks(f, "the layout of a group does not fit",
			"boot a kernel with 48-bit addresses and pages of 4 KiB");
}

/* In a process like this one: where a host would map it. */
static void check_segment(struct tp_finding *f)
{
	void *at = (void *)TP_SEGMENT_BASE;
	void *p = mmap(at, TP_SEGMENT_END - TP_SEGMENT_BASE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == at) {
		tp_found(f, "%p is free for the group segment", p);
		munmap(p, TP_SEGMENT_END - TP_SEGMENT_BASE);
		return;
	}
	tp_found(f, "%p cannot be mapped: %s", at, tp_errno_words(errno));
	tp_breaks(
		f, "the group segment has no place", "use 48-bit addresses (4-level page tables)");
}

static void check_descriptors(struct tp_finding *f)
{
	struct rlimit l = {0, 0};

	getrlimit(RLIMIT_NOFILE, &l);
	tp_found(f, "%llu descriptors (hard limit)", (unsigned long long)l.rlim_max);
	if (l.rlim_max < 4096)
		tp_limits(
			f, "the supervisor holds one for every live program", "raise `ulimit -Hn`");
}

static void check_processes(struct tp_finding *f)
{
	struct rlimit l = {0, 0};

	getrlimit(RLIMIT_NPROC, &l);
	if (l.rlim_cur == RLIM_INFINITY)
		tp_found(f, "unlimited");
	else
		tp_found(f, "%llu", (unsigned long long)l.rlim_cur);
	if (l.rlim_cur < 1024)
		tp_limits(f, "no more programs and threads can be alive", "raise `ulimit -u`");
}

static void check_runtime_dir(struct tp_finding *f)
{
	char base[PATH_MAX];
	struct stat st;
	int err = tp_runtime_base(base);

	if (err) {
		tp_found(f, "its path is too long");
		tp_breaks(f, "a group cannot be found", "set XDG_RUNTIME_DIR to a shorter path");
		return;
	}
	tp_found(f, "%.150s", base);
	if (lstat(base, &st))
		return; /* made when it is needed */
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		tp_breaks(f, "it is not a directory that belongs to you alone",
			"remove it, or set XDG_RUNTIME_DIR");
}

static void check_pid1(struct tp_finding *f)
{
	char comm[64] = "?";

	tp_line_in("/proc/1/comm", comm, sizeof(comm));
	tp_found(f, "%s", comm);
	if (getpid() == 1)
		tp_limits(f, "tprun is process 1: all processes of the container end with it",
			"start it below an init (docker run --init)");
}

const struct tp_check tp_checks_limits[] = {
	{"mappings", check_maps},
	{"overcommit", check_overcommit},
	{"layout", check_layout},
	{"address space", check_address_space},
	{"segment", check_segment},
	{"descriptors", check_descriptors},
	{"processes", check_processes},
	{"memlock", check_memlock},
	{"hugepages", check_hugepages},
	{"userfaultfd", check_userfaultfd},
	{"runtime directory", check_runtime_dir},
	{"process 1", check_pid1},
	{.name = NULL},
};
