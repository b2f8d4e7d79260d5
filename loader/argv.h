/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_ARGV_H
#define TP_LOADER_ARGV_H

#include <stddef.h>

#include "shebang.h"

/*
 * tpi_argv_make - the arguments of what is really executed, after `#!` lines were followed.
 * @script:   the lines, from the command's own inwards
 * @nscripts: how many; 0: the arguments are those of the command
 * @path:     the first script, as execve is given it
 * @argv:     of the command; argv[0] is there
 * Returns one malloced block with the NULL-terminated vector and its strings, to be freed as a
 * whole, or NULL: no memory.
 */
char **tpi_argv_make(const struct tp_shebang *script, int nscripts, const char *path,
		     const char *const *argv, size_t *ret_argc);

#endif
