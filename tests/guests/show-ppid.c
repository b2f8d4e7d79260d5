/* SPDX-License-Identifier: MIT */
/* show-ppid: print getppid(); with preload libraries the first one's answer. */
#include "guest.h"

int main(void)
{
	printf("parent %d\n", (int)getppid());
	return 0;
}
