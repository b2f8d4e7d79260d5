/* SPDX-License-Identifier: MIT */
/*
 * The system calls that are routed, for both CPUs: X(name, x86_64 number, aarch64 number; -1: the CPU has none).
 *
 * "in place" calls make a task that returns on another stack: the routine only prepares, and the stub itself
 * executes the system call (tp_route_verdict).
 */
#ifndef TP_ABI_ROUTED_H
#define TP_ABI_ROUTED_H

#define TP_ROUTED_CALLS(X) \
	X(mmap,		9,	222) \
	X(munmap,	11,	215) \
	X(mremap,	25,	216) \
	X(brk,		12,	214) \
	X(mprotect,	10,	226) \
	X(shmat,	30,	196) \
	X(shmdt,	67,	197) \
	X(io_setup,	206,	0) \
	X(io_destroy,	207,	1) \
	X(readlink,	89,	-1) \
	X(readlinkat,	267,	78) \
	X(open,		2,	-1) \
	X(openat,	257,	56) \
	X(rt_sigaction,	13,	134) \
	X(fork,		57,	-1) \
	X(vfork,	58,	-1) \
	X(clone,	56,	220) \
	X(clone3,	435,	435) \
	X(execve,	59,	221) \
	X(execveat,	322,	281) \
	X(prlimit64,	302,	261) \
	X(setrlimit,	160,	164) \
	X(getrlimit,	97,	163) \
	X(prctl,	157,	167) \
	X(mlockall,	151,	230) \
	X(munlockall,	152,	231)

#endif
