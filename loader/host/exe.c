/* SPDX-License-Identifier: MIT */
/*
 * /proc/self/exe names the host for every program of the group; a program must see its own executable.
 *
 * The kernel is asked first wherever it can be, so that errors and permissions are its own; the path is then known to be
 * readable.
 */
#include "host.h"

extern char tpi_host_exe[TP_PATH_MAX];
extern uint32_t tpi_host_exe_len;

enum whose { WHOSE_NONE, WHOSE_OWN, WHOSE_PID };

static bool starts(const char **p, const char *prefix)
{
	const char *s = *p;

	for (; *prefix; prefix++, s++)
		if (*s != *prefix)
			return false;
	*p = s;
	return true;
}

/* "/proc/self/exe", "/proc/thread-self/exe" or "/proc/<pid>/exe" */
static enum whose whose_exe(const char *path, long *ret_pid)
{
	long pid = 0;

	if (!starts(&path, "/proc/"))
		return WHOSE_NONE;
	if (starts(&path, "self/exe") || starts(&path, "thread-self/exe"))
		return *path ? WHOSE_NONE : WHOSE_OWN;
	if (*path < '1' || *path > '9')
		return WHOSE_NONE;
	for (; *path >= '0' && *path <= '9' && pid < 100000000; path++)
		pid = pid * 10 + (*path - '0');
	if (!tpi_streq(path, "/exe"))
		return WHOSE_NONE;
	*ret_pid = pid;
	return pid == arch_syscall3(ARCH_NR_getpid, 0, 0, 0) ? WHOSE_OWN : WHOSE_PID;
}

/* Copies the executable's path of the program with that pid; it may die meanwhile, so the kernel copies. */
static long copy_of_pid(long pid, char *buf, long size)
{
	for (uint32_t i = 0; i < TP_REGISTRY_MAX; i++) {
		struct tp_program *p = TPI_REGISTRY + i;
		struct tp_control *other;
		uint32_t len;
		uint64_t n;

		if (p->pid != pid || (p->state != TP_PROGRAM_RUNNING && p->state != TP_PROGRAM_STARTING))
			continue;
		other = (struct tp_control *)TP_UNIT_BASE(p->unit);
		if (!tpi_copy_safely(pid, &len, (uint64_t)&other->exe_len, sizeof(len)))
			return -1;
		n = len < (uint64_t)size ? len : (uint64_t)size;
		return tpi_copy_safely(pid, buf, (uint64_t)other->exe, n) ? (long)n : -1;
	}
	return -1;
}

static bool is_host(const char *buf, long n)
{
	return n == (long)tpi_host_exe_len && !memcmp(buf, tpi_host_exe, (size_t)n);
}

long tpi_route_readlink(struct tp_control *c, int dirfd, const char *path, char *buf, long size, bool at)
{
	enum whose who;
	long pid = 0, r, n;

	if (at)
		r = arch_syscall6(ARCH_NR_readlinkat, dirfd, (long)path, (long)buf, size, 0, 0);
	else
		r = arch_syscall6(ARCH_NR_readlinkat, TPI_AT_FDCWD, (long)path, (long)buf, size, 0, 0);
	if (r <= 0)
		return r;
	who = whose_exe(path, &pid);
	if (who != WHOSE_OWN && !is_host(buf, r) && r < size)
		return r;
	if (who == WHOSE_NONE && !is_host(buf, r))
		return r;
	if (who == WHOSE_PID && !c->alone) {
		n = copy_of_pid(pid, buf, size);
		return n > 0 ? n : r;
	}
	n = c->exe_len < (uint64_t)size ? c->exe_len : size;
	memcpy(buf, c->exe, (size_t)n);
	/* The kernel's longer answer is in the buffer: callers that count on a zeroed one get its end back as zeroes. */
	if (n < r)
		memset(buf + n, 0, (size_t)(r - n));
	return n;
}

static bool names_own_exe(const struct tp_control *c, const char *path)
{
	long pid;

	return tpi_peek_ok(c, path) && path[0] == '/' && path[1] == 'p' && whose_exe(path, &pid) == WHOSE_OWN;
}

/* Cancellation may unwind out of a blocking open, so it must happen in the program's own text: only the path changes. */
struct arch_outcome tpi_route_open(struct tp_control *c, struct arch_frame *f, unsigned path_arg)
{
	if (names_own_exe(c, (const char *)f->arg[path_arg]))
		f->arg[path_arg] = (uint64_t)c->exe;
	return tpi_raw();
}

bool tpi_is_program_itself(const struct tp_control *c)
{
	return !c->alone && arch_syscall3(ARCH_NR_getpid, 0, 0, 0) == c->program->pid;
}

/* Return: whether the kernel took it, and there is something to restore. Other threads may change what is kept meanwhile. */
static bool limit_in_kernel(int resource, const uint64_t kept[2], uint64_t old[2])
{
	uint64_t limit[2] = { __atomic_load_n(&kept[0], __ATOMIC_RELAXED), __atomic_load_n(&kept[1], __ATOMIC_RELAXED) };

	if (limit[0] == UINT64_MAX && limit[1] == UINT64_MAX)
		return false;
	/* A vfork child that has set a limit of its own (limits.c) keeps it. */
	if (arch_syscall6(ARCH_NR_prlimit64, 0, resource, 0, (long)old, 0, 0) || old[0] != UINT64_MAX)
		return false;
	return !arch_syscall6(ARCH_NR_prlimit64, 0, resource, (long)limit, 0, 0, 0);
}

static void limit_restore(int resource, const uint64_t old[2])
{
	arch_syscall6(ARCH_NR_prlimit64, 0, resource, (long)old, 0, 0, 0);
}

/*
 * A hard limit cannot be taken back without privilege: nothing is limited for a file that cannot be executed anyway, as
 * execvp tries many. Only what fails later (no memory for the arguments, a text file) leaves the limits behind.
 */
static bool may_succeed(const struct tp_control *c, const struct arch_frame *f, unsigned path_arg)
{
	enum { X_MODE = 1, EACCESS = 0x200, NOFOLLOW = 0x100, EMPTY_PATH = 0x1000 };
	long dir = path_arg ? (long)f->arg[0] : TPI_AT_FDCWD, flags = EACCESS;
	long r;

	if (c->rlimit_as[1] == UINT64_MAX && c->rlimit_data[1] == UINT64_MAX)
		return true;
	if (path_arg)
		flags |= (long)f->arg[4] & (NOFOLLOW | EMPTY_PATH);
	r = arch_syscall6(ARCH_NR_faccessat2, dir, (long)f->arg[path_arg], X_MODE, flags, 0, 0);
	return !r || r == -ENOSYS || r == -EPERM;
}

static long exec_now(const struct arch_frame *f)
{
	return arch_syscall6((long)f->nr, (long)f->arg[0], (long)f->arg[1], (long)f->arg[2], (long)f->arg[3],
			     (long)f->arg[4], 0);
}

/*
 * A program that execs leaves the group. The limits that the routine kept for it become the kernel's again, and the
 * supervisor is told to look; after a failure everything is as it was.
 */
struct arch_outcome tpi_route_exec(struct tp_control *c, struct arch_frame *f, unsigned path_arg)
{
	enum { RESOURCE_DATA = 2, RESOURCE_AS = 9 };
	uint64_t old_as[2], old_data[2];
	bool tell = tpi_is_program_itself(c), as = false, data = false;
	long r;

	if (names_own_exe(c, (const char *)f->arg[path_arg]))
		f->arg[path_arg] = (uint64_t)c->exe;
	if (may_succeed(c, f, path_arg)) {
		as = limit_in_kernel(RESOURCE_AS, c->rlimit_as, old_as);
		data = limit_in_kernel(RESOURCE_DATA, c->rlimit_data, old_data);
	}
	if (tell)
		tpi_doorbell(c->program, TP_EVENT_EXEC);
	r = exec_now(f);
	if (tell)
		__atomic_fetch_and(&c->program->events, ~TP_EVENT_EXEC, __ATOMIC_RELEASE);
	if (as)
		limit_restore(RESOURCE_AS, old_as);
	if (data)
		limit_restore(RESOURCE_DATA, old_data);
	return tpi_done(r);
}
