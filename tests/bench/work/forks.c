/* SPDX-License-Identifier: MIT */
/* forks: fork, exit in the child, wait. */
#include "work.h"

#define OPS 20

static void slice(struct work_report *report)
{
	for (int i = 0; i < OPS; i++)
		work_fork();
	report->ops = OPS;
}

int main(void)
{
	work_serve(slice);
}
