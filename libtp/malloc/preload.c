/* SPDX-License-Identifier: MIT */
/*
 * The supervisor has put this library in front of LD_PRELOAD. The dynamic linker is through with that variable when constructors run, so it
 * gets back the value that the caller gave: in place, since main's third argument and environ are the same array.
 */
#include <string.h>

#include "region.h"

static const char variable[] = "LD_PRELOAD=", ours[] = "/libtp-malloc.so";

/* Length of the first path in the list, if it is ours; else 0. */
static size_t ours_in_front(const char *list)
{
	size_t n = strcspn(list, ": ");

	return n >= sizeof(ours) - 1 && !memcmp(list + n - (sizeof(ours) - 1), ours, sizeof(ours) - 1) ? n : 0;
}

static void remove_entry(char **at)
{
	do
		at[0] = at[1];
	while (*at++);
}

void tpi_preload_forget(char **environment)
{
	const size_t name = sizeof(variable) - 1;
	char **e = environment;

	while (e && *e) {
		size_t n = strncmp(*e, variable, name) ? 0 : ours_in_front(*e + name);

		if (!n) {
			e++;
		} else if (!(*e)[name + n]) {
			remove_entry(e);
		} else {
			/* The name moves up to the second path; ours was at least as long as it. */
			*e += n + 1;
			memcpy(*e, variable, name);
			e++;
		}
	}
}
