/* SPDX-License-Identifier: MIT */
/* sleeper: say a byte once alive, sleep until standard input ends or a signal comes. */
#include "work.h"

#include <unistd.h>

int main(void)
{
	char byte = 0;

	if (write(STDOUT_FILENO, &byte, 1) != 1)
		work_die("write");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	return 0;
}
