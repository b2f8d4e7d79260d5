/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_SHEBANG_H
#define TP_LOADER_SHEBANG_H

#include <stdbool.h>
#include <stddef.h>

enum { TP_SHEBANG_BYTES = 256 }; /* of a script that the kernel looks at */

/* The first line of a script: `#! interpreter [argument]`. */
struct tp_shebang {
	char interp[TP_SHEBANG_BYTES]; /* "" if the line starts with a NUL */
	char arg[TP_SHEBANG_BYTES];    /* everything behind the interpreter … */
	bool has_arg;                  /* … if there is anything: it can be an empty string */
};

/*
 * tp_shebang_parse - read a `#!` line as the kernel does.
 * @head: the first bytes of the file
 * @len:  how many, at most TP_SHEBANG_BYTES; fewer only if the file ends there
 * Returns 1: it is one; 0: the bytes do not start with `#!`; -ENOEXEC: they do, but no interpreter
 * can be made out (blank, or a path that may be cut off).
 */
int tp_shebang_parse(const char *head, size_t len, struct tp_shebang *ret_line);

#endif
