/* SPDX-License-Identifier: MIT */
/*
 * The argument vector of a script: for each `#!` line, the innermost last, its interpreter and
 * argument; then the script's path in place of argv[0]; then the rest. See argv.h.
 */
#include "argv.h"

#include <stdlib.h>
#include <string.h>

/* Borrowed strings into out; returns how many. */
static size_t collect(const struct tp_shebang *script, int nscripts, const char *path,
	const char *const *argv, const char **out)
{
	size_t n = 0;

	for (int i = nscripts - 1; i >= 0; i--) {
		out[n++] = script[i].interp;
		if (script[i].has_arg)
			out[n++] = script[i].arg;
	}
	out[n++] = nscripts ? path : argv[0];
	while (*++argv)
		out[n++] = *argv;
	return n;
}

/* Copies vector and strings into one block. */
static char **pack(const char *const *from, size_t n)
{
	size_t bytes = (n + 1) * sizeof(char *);
	char **to, *at;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(from[i]) + 1;
	to = malloc(bytes);
	if (!to)
		return NULL;
	at = (char *)(to + n + 1);
	for (size_t i = 0; i < n; i++) {
		to[i] = at;
		at = stpcpy(at, from[i]) + 1;
	}
	to[n] = NULL;
	return to;
}

char **tpi_argv_make(const struct tp_shebang *script, int nscripts, const char *path,
	const char *const *argv, size_t *ret_argc)
{
	const char **list;
	char **packed;
	size_t n = 0;

	while (argv[n])
		n++;
	list = malloc((n + 2 * nscripts) * sizeof(*list));
	if (!list)
		return NULL;
	n = collect(script, nscripts, path, argv, list);
	packed = pack(list, n);
	free(list);
	if (packed)
		*ret_argc = n;
	return packed;
}
