/* SPDX-License-Identifier: MIT */
/* See size.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tprun/size.h"

int tp_size_parse(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	unsigned shift = 0;
	uint64_t value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (*end) {
		unit = strchr(units, toupper((unsigned char)*end));
		if (!unit || end[1])
			return -EINVAL;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (value > UINT64_MAX >> shift)
		return -ERANGE;
	*ret_bytes = value << shift;
	return 0;
}
