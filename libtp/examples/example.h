/* SPDX-License-Identifier: MIT */
/* What the examples share: end with the reason when a call fails. */
#include <stdio.h>
#include <stdlib.h>

#include <tp/tp.h>

static inline int check(int result, const char *what)
{
	if (result < 0) {
		fprintf(stderr, "%s: %s\n", what, tp_why());
		exit(1);
	}
	return result;
}

static inline void *check_memory(void *block)
{
	if (!block)
		check(-1, "memory");
	return block;
}
