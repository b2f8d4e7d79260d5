/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

noreturn void work_die(const char *what)
{
	perror(what);
	exit(1);
}

void work_fork(void)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		work_die("fork");
	if (!pid)
		_exit(0);
	if (waitpid(pid, &status, 0) != pid || status)
		work_die("waitpid");
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		work_die("clock_gettime");
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t work_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static uint64_t cpu_now(void)
{
	struct rusage children;

	if (getrusage(RUSAGE_CHILDREN, &children))
		work_die("getrusage");
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + timeval_ns(children.ru_utime) +
	       timeval_ns(children.ru_stime);
}

static void run_slice(work_slice *slice)
{
	struct work_report report = {.ops = 1};
	uint64_t cpu = cpu_now(), wall = work_now();

	slice(&report);
	report.wall_ns = work_now() - wall;
	report.cpu_ns = cpu_now() - cpu;
	if (write(STDOUT_FILENO, &report, sizeof(report)) != (ssize_t)sizeof(report))
		work_die("write");
}

noreturn void work_serve(work_slice *slice)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1)
		run_slice(slice);
	exit(0);
}

void work_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		work_die("sched_setaffinity");
}

long work_arg(int argc, char **argv, int at, long otherwise)
{
	return at < argc ? atol(argv[at]) : otherwise;
}
