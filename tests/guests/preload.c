/* SPDX-License-Identifier: MIT */
/* A user's own LD_PRELOAD library: it speaks when it is loaded and takes getppid over. */
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
	printf("preloaded %s\n", PRELOAD_NAME);
}

pid_t getppid(void)
{
	return PRELOAD_ID;
}
