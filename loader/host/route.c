/* SPDX-License-Identifier: MIT */
/*
 * Where every routed call arrives (from enter.S): the number decides who answers it.
 *
 * Sites that serve many numbers (libc's syscall(), Go's Syscall6) arrive here too; what is not in the table of
 * abi/tp/abi/routed.h goes back to the stub, which executes it itself.
 */
#include "host.h"

struct arch_outcome tpi_route(struct tp_control *c, struct arch_frame *f)
{
	const uint64_t *a = f->arg;

	switch (f->nr) {
	case ARCH_NR_mmap:
		return tpi_done(tpi_route_mmap(c, f));
	case ARCH_NR_munmap:
		return tpi_route_munmap(c, f);
	case ARCH_NR_mremap:
		return tpi_done(tpi_route_mremap(c, f));
	case ARCH_NR_brk:
		return tpi_done(tpi_route_brk(c, a[0]));
	case ARCH_NR_mprotect:
		return c->data_bitmap ? tpi_done(tpi_route_mprotect(c, f)) : tpi_raw();
	case ARCH_NR_shmat:
		return tpi_done(tpi_route_shmat(c, f));
	case ARCH_NR_shmdt:
		return tpi_done(tpi_route_shmdt(c, f));
	case ARCH_NR_io_setup:
		return tpi_done(tpi_route_io_setup(c, f));
	case ARCH_NR_io_destroy:
		return tpi_done(tpi_route_io_destroy(c, f));
	case ARCH_NR_rt_sigaction:
		return tpi_done(tpi_route_sigaction(c, f));
	case ARCH_NR_mlockall:
		return tpi_done(tpi_route_mlockall(c, (long)a[0]));
	case ARCH_NR_munlockall:
		return tpi_done(tpi_route_munlockall(c));
#ifdef ARCH_NR_readlink
	case ARCH_NR_readlink:
		return tpi_done(tpi_route_readlink(c, TPI_AT_FDCWD, (const char *)a[0], (char *)a[1], (long)a[2], false));
#endif
	case ARCH_NR_readlinkat:
		return tpi_done(tpi_route_readlink(c, (int)a[0], (const char *)a[1], (char *)a[2], (long)a[3], true));
#ifdef ARCH_NR_open
	case ARCH_NR_open:
		return tpi_route_open(c, f, 0);
#endif
	case ARCH_NR_openat:
		return tpi_route_open(c, f, 1);
	case ARCH_NR_execve:
		return tpi_route_exec(c, f, 0);
	case ARCH_NR_execveat:
		return tpi_route_exec(c, f, 1);
#ifdef ARCH_NR_fork
	case ARCH_NR_fork:
	case ARCH_NR_vfork:
#endif
	case ARCH_NR_clone:
	case ARCH_NR_clone3:
		return tpi_route_fork(c, f);
	case ARCH_NR_prlimit64:
	case ARCH_NR_setrlimit:
	case ARCH_NR_getrlimit:
		return tpi_route_limits(c, f);
	case ARCH_NR_prctl:
		return tpi_route_prctl(c, f);
	default:
		return tpi_raw();
	}
}
