/* SPDX-License-Identifier: MIT */
/* overflow [read]: an ordinary run, or a heap overflow that the address sanitizer must report. */
#include "guest.h"

int main(int argc, char **argv)
{
	volatile char *p = malloc(16);
	int i = argc > 1 && strcmp(argv[1], "read") == 0 ? 16 : 3;

	if (argc > 2)
		sleep((unsigned)atoi(argv[2]));
	p[3] = 1;
	printf("read %d\n", p[i]);
	free((void *)p);
	return 0;
}
