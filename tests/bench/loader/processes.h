/* SPDX-License-Identifier: MIT */
/*
 * What a process holds, read from /proc.
 */
#ifndef TP_BENCH_PROCESSES_H
#define TP_BENCH_PROCESSES_H

#include <sys/types.h>

long bench_process_fds(pid_t pid);
long bench_process_vmas(pid_t pid);
long bench_process_resident_kib(pid_t pid); /* exact, unlike the one of /proc/PID/status */
double bench_process_cpu_us(pid_t pid);     /* user and system time so far, all its threads */

#endif
