/* SPDX-License-Identifier: MIT */
/* churn: malloc and free 16 to 1,024 bytes, about 1,000 blocks alive. One operation is a free and a
 * malloc. */
#include "work.h"

#include <stdlib.h>

#define LIVE 1024
#define OPS  100000

static char *blocks[LIVE];
static uint32_t state = 1;

static uint32_t next(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	return state ^= state << 5;
}

static void slice(struct work_report *report)
{
	for (int i = 0; i < OPS; i++) {
		uint32_t r = next();
		char **block = &blocks[r % LIVE];

		free(*block);
		*block = malloc(16 + (r >> 16) % 1009);
		if (!*block)
			work_die("malloc");
		**block = 1;
	}
	report->ops = OPS;
}

int main(void)
{
	work_serve(slice);
}
