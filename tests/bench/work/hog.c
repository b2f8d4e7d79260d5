/* SPDX-License-Identifier: MIT */
/*
 * hog MIB [FORKS [CPU]]: the first slice fills so much memory, in small pages; each further one
 * forks FORKS times. It exits, and its memory with it, when standard input ends.
 */
#include "work.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static size_t len;
static long nforks;
static char *area;

static void fill(void)
{
	area = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		work_die("mmap");
	(void)madvise(area, len, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < len; i += PAGE)
		area[i] = 1;
}

static void fork_all(void)
{
	for (long i = 0; i < nforks; i++)
		work_fork();
}

static void slice(struct work_report *report)
{
	(void)report;
	if (area)
		fork_all();
	else
		fill();
}

int main(int argc, char **argv)
{
	len = (size_t)work_arg(argc, argv, 1, 1024) << 20;
	nforks = work_arg(argc, argv, 2, 0);
	work_pin((int)work_arg(argc, argv, 3, -1));
	work_serve(slice);
}
