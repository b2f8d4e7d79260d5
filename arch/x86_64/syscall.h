/* SPDX-License-Identifier: MIT */
/* System calls without a libc, and the numbers that the host uses. Results are the kernel's: negative errno on failure. */
#pragma once

#include <stdint.h>

#define ARCH_NR_mmap			9
#define ARCH_NR_mprotect		10
#define ARCH_NR_munmap			11
#define ARCH_NR_brk			12
#define ARCH_NR_rt_sigaction		13
#define ARCH_NR_rt_sigprocmask		14
#define ARCH_NR_pread64			17
#define ARCH_NR_writev			20
#define ARCH_NR_mremap			25
#define ARCH_NR_madvise			28
#define ARCH_NR_shmat			30
#define ARCH_NR_shmctl			31
#define ARCH_NR_dup3			292
#define ARCH_NR_getpid			39
#define ARCH_NR_sendmsg			46
#define ARCH_NR_recvmsg			47
#define ARCH_NR_clone			56
#define ARCH_NR_fork			57
#define ARCH_NR_vfork			58
#define ARCH_NR_execve			59
#define ARCH_NR_kill			62
#define ARCH_NR_shmdt			67
#define ARCH_NR_fcntl			72
#define ARCH_NR_fchdir			81
#define ARCH_NR_readlink		89
#define ARCH_NR_umask			95
#define ARCH_NR_getrlimit		97
#define ARCH_NR_setpgid			109
#define ARCH_NR_setsid			112
#define ARCH_NR_setpriority		141
#define ARCH_NR_munlock			150
#define ARCH_NR_mlockall		151
#define ARCH_NR_munlockall		152
#define ARCH_NR_prctl			157
#define ARCH_NR_arch_prctl		158
#define ARCH_NR_setrlimit		160
#define ARCH_NR_chroot			161
#define ARCH_NR_write			1
#define ARCH_NR_geteuid			107
#define ARCH_NR_getegid			108
#define ARCH_NR_gettid			186
#define ARCH_NR_futex			202
#define ARCH_NR_io_setup		206
#define ARCH_NR_io_destroy		207
#define ARCH_NR_clock_gettime		228
#define ARCH_NR_exit_group		231
#define ARCH_NR_openat			257
#define ARCH_NR_newfstatat		262
#define ARCH_NR_readlinkat		267
#define ARCH_NR_faccessat		269
#define ARCH_NR_unshare			272
#define ARCH_NR_prlimit64		302
#define ARCH_NR_execveat		322
#define ARCH_NR_mlock2			325
#define ARCH_NR_clone3			435
#define ARCH_NR_close_range		436
#define ARCH_NR_faccessat2		439
#define ARCH_NR_close			3
#define ARCH_NR_open			2
#define ARCH_NR_fstat			5
#define ARCH_NR_ioctl			16
#define ARCH_NR_tgkill			234
#define ARCH_NR_memfd_create		319
#define ARCH_NR_ftruncate		77
#define ARCH_NR_rt_tgsigqueueinfo	297
#define ARCH_NR_capget			125
#define ARCH_NR_process_vm_readv	310
#define ARCH_NR_socket			41
#define ARCH_NR_connect			42
#define ARCH_NR_eventfd2		290
#define ARCH_NR_membarrier		324
#define ARCH_NR_pidfd_open		434
#define ARCH_NR_pidfd_getfd		438
#define ARCH_NR_futex_waitv		449
#define ARCH_NR_getsockopt		55
#define ARCH_NR_setsockopt		54
#define ARCH_NR_ppoll			271
#define ARCH_NR_getdents64		217
#define ARCH_NR_lseek			8
#define ARCH_NR_read			0
#define ARCH_NR_sched_yield		24

/* Of a line of the routed-call table: the number that this processor has. */
#define ARCH_ROUTED(x86_64, aarch64) (x86_64)

static inline long arch_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long arch_syscall3(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return ret;
}
