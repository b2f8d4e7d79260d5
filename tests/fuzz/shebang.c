/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes at all, taken for the start of a script.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shebang.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct tp_shebang *line)
{
	size_t len = strnlen(line->interp, sizeof(line->interp));

	MUST(len < sizeof(line->interp));
	MUST(strcspn(line->interp, " \t\n") == len);
	if (!line->has_arg)
		return;
	len = strnlen(line->arg, sizeof(line->arg));
	MUST(len < sizeof(line->arg));
	MUST(!strchr(line->arg, '\n'));
	MUST(len == 0 || (line->arg[0] != ' ' && line->arg[0] != '\t'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_shebang line;
	int ret;

	memset(&line, 0xa5, sizeof(line));
	if (size > TP_SHEBANG_BYTES)
		size = TP_SHEBANG_BYTES;
	ret = tp_shebang_parse((const char *)data, size, &line);
	MUST(ret == 0 || ret == 1 || ret == -ENOEXEC);
	MUST((ret != 0) == (size >= 2 && data[0] == '#' && data[1] == '!'));
	if (ret == 1)
		check_line(&line);
	return 0;
}
