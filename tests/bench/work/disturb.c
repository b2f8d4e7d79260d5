/* SPDX-License-Identifier: MIT */
/*
 * disturb remap|fork CPU [MS]: for this long, map, touch and unmap 64 KiB, or fork and wait. ops:
 * how often.
 */
#include "work.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEN 65536

static uint64_t length_ns;
static void (*disturb_once)(void);

static void remap_once(void)
{
	char *p = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		work_die("mmap");
	for (int i = 0; i < LEN; i += 4096)
		((volatile char *)p)[i] = 1;
	if (munmap(p, LEN))
		work_die("munmap");
}

static void slice(struct work_report *report)
{
	uint64_t end = work_now() + length_ns;

	for (report->ops = 0; work_now() < end; report->ops++)
		disturb_once();
}

int main(int argc, char **argv)
{
	disturb_once = argc > 1 && !strcmp(argv[1], "fork") ? work_fork : remap_once;
	work_pin((int)work_arg(argc, argv, 2, -1));
	length_ns = (uint64_t)work_arg(argc, argv, 3, 250) * 1000000u;
	work_serve(slice);
}
