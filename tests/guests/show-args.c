/* SPDX-License-Identifier: MIT */
/* show-args ARG...: print every argument and every environment entry; `-n`: only their counts and
 * sizes. */
#include "guest.h"

extern char **environ;

static void show(const char *what, char **list)
{
	for (int i = 0; list[i]; i++)
		printf("%s[%d]=%s\n", what, i, list[i]);
}

static void sum(const char *what, char **list)
{
	size_t bytes = 0, n = 0;
	unsigned long hash = 5381;

	for (; list[n]; n++) {
		bytes += strlen(list[n]) + 1;
		for (const char *c = list[n]; *c; c++)
			hash = hash * 33 + (unsigned char)*c;
	}
	printf("%s: %zu entries, %zu bytes, hash %lx\n", what, n, bytes, hash);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-n") == 0) {
		sum("argv", argv);
		sum("environ", environ);
		return 0;
	}
	printf("argc=%d\n", argc);
	show("argv", argv);
	show("env", environ);
	return 0;
}
