/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "say.h"

static FILE *open_of(pid_t pid, const char *what)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	f = fopen(path, "re");
	if (!f)
		bench_die("%s: %s", path, strerror(errno));
	return f;
}

long bench_process_fds(pid_t pid)
{
	char path[64];
	DIR *d;
	long n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	if (!d)
		bench_die("%s: %s", path, strerror(errno));
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

long bench_process_vmas(pid_t pid)
{
	FILE *f = open_of(pid, "maps");
	long n = 0;

	for (int c; (c = getc_unlocked(f)) != EOF;)
		n += c == '\n';
	fclose(f);
	return n;
}

long bench_process_resident_kib(pid_t pid)
{
	FILE *f = open_of(pid, "smaps_rollup");
	char line[256];
	long kib = -1;

	while (kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "Rss: %ld", &kib);
	fclose(f);
	if (kib < 0)
		bench_die("/proc/%d/smaps_rollup names no resident memory", (int)pid);
	return kib;
}

double bench_process_cpu_us(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}
