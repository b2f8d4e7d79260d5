/* SPDX-License-Identifier: MIT */
/* System calls without a libc, and the numbers that the host uses (calls that this processor lacks have none). Results are the kernel's:
 * negative errno on failure. */
#pragma once

#include <stdint.h>

#define ARCH_NR_io_setup		0
#define ARCH_NR_io_destroy		1
#define ARCH_NR_eventfd2		19
#define ARCH_NR_dup3			24
#define ARCH_NR_fcntl			25
#define ARCH_NR_ioctl			29
#define ARCH_NR_ftruncate		46
#define ARCH_NR_faccessat		48
#define ARCH_NR_fchdir			50
#define ARCH_NR_chroot			51
#define ARCH_NR_openat			56
#define ARCH_NR_close			57
#define ARCH_NR_getdents64		61
#define ARCH_NR_lseek			62
#define ARCH_NR_read			63
#define ARCH_NR_write			64
#define ARCH_NR_writev			66
#define ARCH_NR_pread64			67
#define ARCH_NR_ppoll			73
#define ARCH_NR_readlinkat		78
#define ARCH_NR_newfstatat		79
#define ARCH_NR_fstat			80
#define ARCH_NR_capget			90
#define ARCH_NR_exit_group		94
#define ARCH_NR_unshare			97
#define ARCH_NR_futex			98
#define ARCH_NR_clock_gettime		113
#define ARCH_NR_sched_yield		124
#define ARCH_NR_kill			129
#define ARCH_NR_tgkill			131
#define ARCH_NR_rt_sigaction		134
#define ARCH_NR_rt_sigprocmask		135
#define ARCH_NR_setpriority		140
#define ARCH_NR_setpgid			154
#define ARCH_NR_setsid			157
#define ARCH_NR_getrlimit		163
#define ARCH_NR_setrlimit		164
#define ARCH_NR_umask			166
#define ARCH_NR_prctl			167
#define ARCH_NR_getpid			172
#define ARCH_NR_geteuid			175
#define ARCH_NR_getegid			177
#define ARCH_NR_gettid			178
#define ARCH_NR_shmctl			195
#define ARCH_NR_shmat			196
#define ARCH_NR_shmdt			197
#define ARCH_NR_socket			198
#define ARCH_NR_connect			203
#define ARCH_NR_setsockopt		208
#define ARCH_NR_getsockopt		209
#define ARCH_NR_sendmsg			211
#define ARCH_NR_recvmsg			212
#define ARCH_NR_brk			214
#define ARCH_NR_munmap			215
#define ARCH_NR_mremap			216
#define ARCH_NR_clone			220
#define ARCH_NR_execve			221
#define ARCH_NR_mmap			222
#define ARCH_NR_mprotect		226
#define ARCH_NR_munlock			229
#define ARCH_NR_mlockall		230
#define ARCH_NR_munlockall		231
#define ARCH_NR_madvise			233
#define ARCH_NR_rt_tgsigqueueinfo	240
#define ARCH_NR_prlimit64		261
#define ARCH_NR_process_vm_readv	270
#define ARCH_NR_memfd_create		279
#define ARCH_NR_execveat		281
#define ARCH_NR_membarrier		283
#define ARCH_NR_mlock2			284
#define ARCH_NR_pidfd_open		434
#define ARCH_NR_clone3			435
#define ARCH_NR_close_range		436
#define ARCH_NR_pidfd_getfd		438
#define ARCH_NR_faccessat2		439
#define ARCH_NR_futex_waitv		449

/* Of a line of the routed-call table: the number that this processor has. */
#define ARCH_ROUTED(x86_64, aarch64) (aarch64)

static inline long arch_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}

static inline long arch_syscall3(long nr, long a, long b, long c)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory", "cc");
	return x0;
}
