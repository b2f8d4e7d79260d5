/* SPDX-License-Identifier: MIT */
/* wrong-free twice|wild|inside|static: frees what must not be freed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char array[64];

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char *volatile p = malloc(100);

	free(malloc(100));
	if (!strcmp(how, "twice")) {
		free(p);
		free(p);
	} else if (!strcmp(how, "wild")) {
		free((void *)(uintptr_t)0x123456789000);
	} else if (!strcmp(how, "inside")) {
		free(p + 32);
	} else if (!strcmp(how, "static")) {
		p = array + 16;
		free(p);
	}
	puts("went on");
	return 0;
}
