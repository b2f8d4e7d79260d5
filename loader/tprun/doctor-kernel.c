/* SPDX-License-Identifier: MIT */
/*
 * Checks of what the kernel, and whoever confines us, lets a group do. Each tries the real call, in
 * a child where it would leave traces.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "tprun/doctor.h"

#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif
#define MDWE_REFUSE_EXEC_GAIN 1

/* The oldest that has all that a group needs: close_range came last. */
#define KERNEL_MAJOR 5
#define KERNEL_MINOR 9

static int kernel_at_least(int major, int minor)
{
	struct utsname u;
	int have_major = 0, have_minor = 0;

	uname(&u);
	sscanf(u.release, "%d.%d", &have_major, &have_minor);
	return have_major > major || (have_major == major && have_minor >= minor);
}

static void check_kernel(struct tp_finding *f)
{
	struct utsname u;

	uname(&u);
	tp_found(f, "%s %s", u.release, u.machine);
	if (!kernel_at_least(KERNEL_MAJOR, KERNEL_MINOR))
		tp_breaks(f, "close_range and pidfds are missing", "use Linux 5.9 or later");
}

static int exit_status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_clone3(struct tp_finding *f)
{
	struct clone_args args = {.flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	int err = errno;

	if (!pid)
		_exit(0);
	if (pid > 0 && !exit_status_of(pid)) {
		tp_found(f, "works");
		return;
	}
	tp_found(f, "refused: %s", tp_errno_words(err));
	tp_limits(f, "clone is used instead", "allow clone3 in the container's seccomp profile");
}

/* The grandchild becomes our child, or there is no CLONE_PARENT. */
static void clone_parent(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT, 0, 0, 0, 0);

	_exit(pid < 0 ? errno : 0);
}

static void check_clone(struct tp_finding *f)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		clone_parent();
	status = pid < 0 ? errno : exit_status_of(pid);
	if (!status && waitpid(-1, NULL, 0) > 0) {
		tp_found(f, "clone with CLONE_PARENT works");
		return;
	}
	tp_found(f, "clone with CLONE_PARENT is refused: %s", tp_errno_words(status));
	tp_breaks(f, "the supervisor cannot be the parent of the programs",
		"start tprun outside of this sandbox");
}

static void check_pidfd(struct tp_finding *f)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (fd >= 0) {
		tp_found(f, "works");
		close(fd);
		return;
	}
	tp_found(f, "refused: %s", tp_errno_words(errno));
	tp_breaks(
		f, "programs cannot be waited for", "allow pidfd_open, or use Linux 5.9 or later");
}

static void check_memfd(struct tp_finding *f)
{
	int fd = memfd_create("tprun-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && !ftruncate(fd, 4096) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		tp_found(f, "memfd and seals work");
	} else {
		tp_found(f, "refused: %s", tp_errno_words(errno));
		tp_breaks(f, "a group has no shared segment", "allow memfd_create");
	}
	if (fd >= 0)
		close(fd);
}

static void check_proc(struct tp_finding *f)
{
	if (!access("/proc/self/maps", R_OK)) {
		tp_found(f, "/proc is there");
		return;
	}
	tp_found(f, "/proc cannot be used: %s", tp_errno_words(errno));
	tp_breaks(f, "the host's mappings cannot be read", "mount -t proc proc /proc");
}

static void check_seccomp(struct tp_finding *f)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int mode = -1, filters = 0;

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Seccomp: %d", &mode);
		sscanf(line, "Seccomp_filters: %d", &filters);
	}
	if (file)
		fclose(file);
	if (mode < 0)
		tp_found(f, "not in this kernel");
	else if (!mode)
		tp_found(f, "no filter");
	else
		tp_found(f, "mode %d, %d filters: programs inherit them, as natively", mode,
			filters);
}

static void check_mdwe(struct tp_finding *f)
{
	int mdwe = prctl(PR_GET_MDWE, 0L, 0L, 0L, 0L);

	if (mdwe <= 0 || !(mdwe & MDWE_REFUSE_EXEC_GAIN)) {
		tp_found(f, "write-xor-execute (PR_SET_MDWE) is off");
		return;
	}
	tp_found(f, "write-xor-execute (PR_SET_MDWE) is on");
	tp_limits(f,
		"system calls cannot be rewritten: memory is not kept per program, "
		"only brk is guarded",
		"start tprun outside of the service that sets it (MemoryDenyWriteExecute)");
}

/* Our own text, privately mapped, made writable, changed, and executable again. */
static int rewrite_text(void)
{
	int err = 0;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	volatile char *p;

	if (fd < 0)
		return 0; /* /proc is missing, which has a check of its own */
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return errno;
	if (mprotect((void *)p, 4096, PROT_READ | PROT_WRITE))
		err = errno;
	else
		p[0] = p[0];
	if (!err && mprotect((void *)p, 4096, PROT_READ | PROT_EXEC))
		err = errno;
	munmap((void *)p, 4096);
	close(fd);
	return err;
}

static void check_execmod(struct tp_finding *f)
{
	int err = rewrite_text();

	if (!err) {
		tp_found(f, "text may be rewritten");
		return;
	}
	tp_found(f, "text may not be rewritten: %s", tp_errno_words(err));
	tp_limits(f, "memory is not kept per program, only brk is guarded",
		"with SELinux: allow execmod to this domain");
}

/* Whether the mapping that a line of smaps opened is sealed: "VmFlags: rd ex mr mw me de sl". */
static int vdso_is_sealed(void)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];
	int in_vdso = 0, sealed = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (strstr(line, "[vdso]"))
			in_vdso = 1;
		else if (in_vdso && !strncmp(line, "VmFlags:", 8)) {
			sealed = strstr(line, " sl") != NULL;
			break;
		}
	}
	if (file)
		fclose(file);
	return sealed;
}

static void check_mseal(struct tp_finding *f)
{
	int sealed = vdso_is_sealed();

	tp_found(f, "%s",
		!kernel_at_least(6, 10) ? "not in this kernel"
		: sealed ? "there, and the kernel seals the vDSO (none of it is moved)"
			 : "there, the vDSO is not sealed");
	if (kernel_at_least(6, 10))
		snprintf(f->means, sizeof(f->means),
			"what a program seals stays mapped until its group ends");
}

static void check_kcmp(struct tp_finding *f)
{
	long r = syscall(SYS_kcmp, getpid(), getpid(), KCMP_VM, 0, 0);

	if (!r) {
		tp_found(f, "works");
		return;
	}
	tp_found(f, "refused: %s", tp_errno_words(errno));
	tp_limits(f, "whether a process still shares the memory is told by its executable",
		"allow kcmp in the container's seccomp profile");
}

static void check_yama(struct tp_finding *f)
{
	long long scope = tp_number_in("/proc/sys/kernel/yama/ptrace_scope");

	if (scope < 0)
		tp_found(f, "not in this kernel");
	else
		tp_found(f, "ptrace_scope %lld", scope);
	if (scope >= 2)
		tp_limits(f, "programs cannot be inspected", "sysctl kernel.yama.ptrace_scope=1");
	else if (scope == 1)
		snprintf(f->means, sizeof(f->means), "debuggers attach to their own children only");
}

static void check_core(struct tp_finding *f)
{
	struct rlimit l = {0, 0};

	getrlimit(RLIMIT_CORE, &l);
	tp_found(f, "core dumps are %s", l.rlim_cur ? "on" : "off");
	if (l.rlim_cur && !kernel_at_least(5, 16))
		tp_limits(f, "before Linux 5.16 a core dump kills every program of the group",
			"ulimit -c 0");
}

const struct tp_check tp_checks_kernel[] = {
	{"kernel", check_kernel},
	{"proc", check_proc},
	{"clone3", check_clone3},
	{"clone", check_clone},
	{"pidfd", check_pidfd},
	{"memfd", check_memfd},
	{"seccomp", check_seccomp},
	{"write-xor-execute", check_mdwe},
	{"execmod", check_execmod},
	{"mseal", check_mseal},
	{"kcmp", check_kcmp},
	{"yama", check_yama},
	{"core", check_core},
	{.name = NULL},
};
