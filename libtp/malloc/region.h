/* SPDX-License-Identifier: MIT */
/* Where this process's malloc has its memory, and as whom. */
#ifndef TPI_MALLOC_REGION_H
#define TPI_MALLOC_REGION_H

#include "core.h"
#include "tp/abi/layout.h"

enum tpi_region_mode {
	TPI_REGION_UNKNOWN,	/* nobody has allocated yet */
	TPI_REGION_GROUP,	/* the group's, which its host has mapped */
	TPI_REGION_OWN,		/* in no group: mapped by this process for itself */
	TPI_REGION_ASIDE,	/* there is none: the C library's malloc does the work */
};

struct tpi_region {
	uint32_t mode;		/* enum tpi_region_mode */
	uint32_t forked;	/* times; not 0: this is a forked child: what it sees of others is a copy of some moment, or of two */
	uint64_t size;		/* bytes from TP_PRIVATE_HEAP_BASE on */
};

extern struct tpi_region tpi_region TPI_HIDDEN;

/* Tags below TP_TAG of any program: of a process in no group, and of forked children, which count on. */
enum { TPI_REGION_TAG = 1, TPI_REGION_TAGS = 2047 };

/* `here` is 1; 0 in a child that a fork has just made, and there is only its one thread. */
union tpi_region_mark {
	uint32_t here;
	char page[4096];
};

extern union tpi_region_mark tpi_region_mark TPI_HIDDEN;

/* fork.c: in that child, makes what the thread has its own again, and believes nothing else any more. */
void tpi_region_forked(void) TPI_HIDDEN;

/* ended.c: has this thread's end been told already? Then it is to be given nothing any more. */
#define TPI_PART_ENDED ((enum tpi_part)7)
void tpi_ended_watch(void) TPI_HIDDEN;
bool tpi_ended(void) TPI_HIDDEN;

/* Takes libtp-malloc.so out of LD_PRELOAD: what this program executes is in no group and has its usual malloc. */
void tpi_preload_forget(char **environment) TPI_HIDDEN;

#endif
